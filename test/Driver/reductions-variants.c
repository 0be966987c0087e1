// Kernels compiled for the extents at hand give the same bytes; elements that
// are smaller than what C computes with; memory that overlaps is refused.
// RUN: env SLUICE_WORKERS=3 SLUICE_SPECIALIZE=3 sluice run %s | FileCheck %s
// RUN: env SLUICE_SPECIALIZE=0 sluice run %s | FileCheck %s
// The sums are 832494450 and 832500000, but for rounding.
// CHECK: 0x1.8cf6dcp+29 0x1.8cf78ap+29 bad 0
// RUN: not sluice run -DOVERLAP %s 2>&1 | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: error: {{.*}}overlap

#include <hpvm.h>
#include <stdio.h>
void leaf(double *x, size_t xBytes, float *sum, size_t sumBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, sum, 1, sum);
  sluice_reduce(sum, sumBytes, SLUICE_SUM);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  sum[i % 2] += x[i] * 0.1f;
}
void root(double *x, size_t xBytes, float *sum, size_t sumBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, sum, 1, sum);
  void *node = __hpvm__createNodeND(1, leaf, n);
  for (int i = 0; i < 4; ++i) __hpvm__bindIn(node, i, i, 0);
}
int main(void) {
  static double x[300000]; float sum[2], first[2];
  for (int i = 0; i < 300000; ++i) x[i] = i * 0.37;
  struct __attribute__((packed)) { double *x; size_t xb; float *sum; size_t sb; long n; } a = {x, sizeof x, sum, sizeof sum, 300000};
#ifdef OVERLAP
  a.sum = (float *)(x + 7);
#endif
  __hpvm__init();
  int bad = 0;
  for (int k = 0; k < 200; ++k) {
    sum[0] = 1; sum[1] = 2;
    __hpvm__wait(__hpvm__launch(0, root, &a));
    if (k == 0) { first[0] = sum[0]; first[1] = sum[1]; }
    bad += sum[0] != first[0] || sum[1] != first[1];
  }
  __hpvm__cleanup();
  printf("%a %a bad %d\n", first[0], first[1], bad);
}
