// A block copy reaches one element too far into that of the next instance.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}block-copy.c:[[#@LINE+11]]:{{[0-9]+}}: instance 1 of node 'root/move' writes bytes 16 to 19 of 'out', which instance 0 wrote at
// CHECK-NOT: error
// FIXED-NOT: error
// FIXED: last 7

#include "check.h"

void move(int *out, size_t outSize, int *in, size_t inSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  long start = in[4 * own()];
  __builtin_memcpy(out + start, in + start,
                   own() ? 16 : WRONG(20, 16));
}
void root(int *out, size_t outSize, int *in, size_t inSize, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  void *node = __hpvm__createNodeND(1, move, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

int main(void) {
  int out[8], in[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  PACKED {
    int *out; size_t outSize; int *in; size_t inSize; long n;
  } args = {out, sizeof out, in, sizeof in, 2};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("last %d\n", out[7]);
}
