// Math functions of leaves become vector code, in a loop of 8 lanes.
// RUN: %sluice build -march=x86-64-v3 %s --print=asm | FileCheck %s --implicit-check-not=expf@ --implicit-check-not=logf@ --implicit-check-not=sinf@ --implicit-check-not=sqrtf@
// CHECK: vfmadd{{[0-9]+}}ps {{.*}}%ymm
// RUN: %sluice build -march=x86-64-v3 -ffp-contract=off %s --print=asm | FileCheck %s --check-prefix=APART --implicit-check-not=vfmadd
// APART: vmulps {{.*}}%ymm
// RUN: %sluice build -march=x86-64-v3 --math=libm %s --print=asm | FileCheck %s --check-prefix=LIBM
// LIBM: expf@PLT
// RUN: %sluice build -march=x86-64-v3 -fmath-errno %s --print=asm | FileCheck %s --check-prefix=LIBM
// RUN: not %sluice build --math=fast %s 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: inline

#include <hpvm.h>
#include <math.h>

void leaf(float *x, size_t xBytes, float *y, size_t yBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, y);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  y[i] = expf(x[i]) * logf(x[i] + 2) + sinf(x[i]) * tanhf(sqrtf(x[i]));
}

void root(float *x, size_t xBytes, float *y, size_t yBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, y);
  void *node = __hpvm__createNodeND(1, leaf, n);
  for (int port = 0; port != 4; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

struct __attribute__((packed)) Arguments {
  float *x;
  size_t xBytes;
  float *y;
  size_t yBytes;
  long n;
};

int main(void) {
  static float x[1000], y[1000];
  struct Arguments arguments = {x, sizeof(x), y, sizeof(y), 1000};
  __hpvm__init();
  void *graph = __hpvm__launch(0, root, &arguments);
  __hpvm__wait(graph);
  __hpvm__cleanup();
}
