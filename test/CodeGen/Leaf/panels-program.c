// A whole program with panels and without: the same numbers for every number of
// workers and vector length, also where both factors are one matrix.
// RUN: %sluice run -ffp-contract=off %s | FileCheck %s
// RUN: env SLUICE_WORKERS=1 %sluice run -ffp-contract=off %s | FileCheck %s
// RUN: env SLUICE_WORKERS=3 %sluice run -ffp-contract=off %s | FileCheck %s
// RUN: %sluice run -ffp-contract=off --no-panels %s | FileCheck %s
// RUN: %sluice run -ffp-contract=off --reference %s | FileCheck %s
// RUN: %sluice run -ffp-contract=off -march=x86-64 %s | FileCheck %s
// RUN: %sluice run -ffp-contract=off -fno-vectorize %s | FileCheck %s
// CHECK: 9 of 9 products are right
// RUN: %sluice build %s --print=llvm | FileCheck %s --check-prefix=PANEL
// RUN: %sluice build --no-panels %s --print=llvm | FileCheck %s --check-prefix=NONE
// PANEL: call {{.*}} @sluiceGroupMalloc
// PANEL: "sluice-copies-shared"
// NONE-NOT: @sluiceGroupMalloc

#include <hpvm.h>
#include <stdio.h>

enum { most = 150 };

void element(float *a, size_t aBytes, float *b, size_t bBytes, float *c,
             size_t cBytes, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, a, b, 1, c);
  void *self = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(self);
  long y = __hpvm__getNodeInstanceID_y(self);
  float sum = 0;
  for (long k = 0; k < size; ++k)
    sum += a[y * size + k] * b[k * size + x];
  c[y * size + x] = sum;
}

void root(float *a, size_t aBytes, float *b, size_t bBytes, float *c,
          size_t cBytes, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, a, b, 1, c);
  void *node = __hpvm__createNodeND(2, element, size, size);
  for (int port = 0; port != 7; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

struct __attribute__((packed)) Arguments {
  float *a;
  size_t aBytes;
  float *b;
  size_t bBytes;
  float *c;
  size_t cBytes;
  long size;
};

int main(void) {
  static const long sizes[] = {1, 2, 15, 31, 32, 64, 67, 131, most};
  static float a[most * most], c[most * most];
  __hpvm__init();
  for (long i = 0; i < most * most; ++i)
    a[i] = (i * 7919 % 1009) / 1009.0f - 0.5f;
  llvm_hpvm_track_mem(a, sizeof(a));
  llvm_hpvm_track_mem(c, sizeof(c));
  int good = 0;
  for (int number = 0; number != 9; ++number) {
    long n = sizes[number];
    struct Arguments arguments = {a, sizeof(a), a, sizeof(a), c, sizeof(c), n};
    __hpvm__wait(__hpvm__launch(0, root, &arguments));
    llvm_hpvm_request_mem(c, sizeof(c));
    int same = 1;
    for (long y = 0; y < n; ++y)
      for (long x = 0; x < n; ++x) {
        float sum = 0;
        for (long k = 0; k < n; ++k)
          sum += a[y * n + k] * a[k * n + x];
        same &= sum == c[y * n + x];
      }
    good += same;
  }
  llvm_hpvm_untrack_mem(a);
  llvm_hpvm_untrack_mem(c);
  __hpvm__cleanup();
  printf("%d of 9 products are right\n", good);
}
