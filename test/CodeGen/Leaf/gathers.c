// Elements that lie apart, on processors whose gathers and scatters are slow:
// vectors do without them, or keep them where only some instances read; the bits
// are those of plain code.
// RUN: %sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=3 %sluice run %s | FileCheck %s
// RUN: %sluice run --reference %s | FileCheck %s
// RUN: %sluice run -mprefer-vector-width=512 %s | FileCheck %s
// RUN: %sluice build -march=x86-64-v3 %s -o %t && %t | FileCheck %s
// CHECK: 0 differ
//
// RUN: %sluice build -march=znver4 -DSTRIDE %s --print=asm | FileCheck %s --check-prefix=APART --implicit-check-not=vgather --implicit-check-not=vscatter
// RUN: %sluice build -march=znver4 -DTABLE %s --print=asm | FileCheck %s --check-prefix=APART --implicit-check-not=vgather --implicit-check-not=vscatter
// APART: {{%[yz]mm}}
// RUN: %sluice build -march=znver4 -DSOME %s --print=asm | FileCheck %s --check-prefix=GATHER
// RUN: %sluice build -march=sapphirerapids -DTABLE %s --print=asm | FileCheck %s --check-prefix=GATHER
// GATHER: vgather

#include <hpvm.h>
#include <stdio.h>
#include <string.h>

enum { N = 1003, Table = 64 };

#if !defined(STRIDE) && !defined(TABLE) && !defined(SOME)
#define ALL
#endif

/// Every second element in place, from its neighbours.
void strideLeaf(float *u, size_t uBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, u, 1, u);
  long i = 1 + 2 * __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  u[i] = 0.5f * (u[i - 1] + u[i + 1]) - u[i];
}

void tableLeaf(float *table, size_t tableBytes, float *x, size_t xBytes,
               float *y, size_t yBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, table, x, 1, y);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  float place = x[i] * (Table - 1);
  int k = (int)place;
  y[i] = table[k] + (place - k) * (table[k + 1] - table[k]);
}

void someLeaf(float *table, size_t tableBytes, float *x, size_t xBytes,
              float *z, size_t zBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, table, x, 1, z);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  float place = x[i] * 2 * Table - 16, value = -1;
  int k = (int)place;
  if (k >= 0 && k < Table)
    value = table[k] * place + x[i] * table[k + 1];
  z[i] = value;
}

struct __attribute__((packed)) Arguments {
  float *u;
  size_t uBytes;
  float *table;
  size_t tableBytes;
  float *x;
  size_t xBytes;
  float *y;
  size_t yBytes;
  float *z;
  size_t zBytes;
  long n;
};

void root(float *u, size_t uBytes, float *table, size_t tableBytes, float *x,
          size_t xBytes, float *y, size_t yBytes, float *z, size_t zBytes,
          long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, u, table, x, 3, u, y, z);
#if defined(ALL) || defined(STRIDE)
  void *stride = __hpvm__createNodeND(1, strideLeaf, n);
  __hpvm__bindIn(stride, 0, 0, 0);
  __hpvm__bindIn(stride, 1, 1, 0);
#endif
#if defined(ALL) || defined(TABLE)
  void *all = __hpvm__createNodeND(1, tableLeaf, n);
  for (int port = 0; port != 6; ++port)
    __hpvm__bindIn(all, port + 2, port, 0);
#endif
#if defined(ALL) || defined(SOME)
  void *some = __hpvm__createNodeND(1, someLeaf, n);
  for (int port = 0; port != 6; ++port)
    __hpvm__bindIn(some, port < 4 ? port + 2 : port + 4, port, 0);
#endif
}

int main(void) {
  static float u[2 * N + 1], plain[2 * N + 1], table[Table + 1];
  static float x[N], y[N], z[N];
  for (int i = 0; i != 2 * N + 1; ++i)
    u[i] = plain[i] = (float)(i * 7919 % 1009);
  for (int i = 0; i != Table + 1; ++i)
    table[i] = (float)(i * 104729 % 512);
  for (int i = 0; i != N; ++i)
    x[i] = (float)(i * 61 % 256) / 256;
  struct Arguments arguments = {u, sizeof(u), table, sizeof(table),
                                x, sizeof(x), y,     sizeof(y),
                                z, sizeof(z), N};
  __hpvm__init();
  void *graph = __hpvm__launch(0, root, &arguments);
  __hpvm__wait(graph);
  __hpvm__cleanup();
  // All products and sums are exact.
  int differ = 0;
#pragma clang loop vectorize(disable)
  for (int i = 0; i != N; ++i) {
    int p = 2 * i + 1;
    plain[p] = 0.5f * (plain[p - 1] + plain[p + 1]) - plain[p];
    float place = x[i] * (Table - 1);
    int k = (int)place;
    float value = table[k] + (place - k) * (table[k + 1] - table[k]);
    place = x[i] * 2 * Table - 16;
    k = (int)place;
    float some = -1;
    if (k >= 0 && k < Table)
      some = table[k] * place + x[i] * table[k + 1];
    differ += memcmp(&plain[p], &u[p], sizeof(float)) != 0;
    differ += plain[p - 1] != u[p - 1];
    differ += y[i] != value;
    differ += z[i] != some;
  }
  printf("%d differ\n", differ);
}
