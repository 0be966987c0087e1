// Turns of a parallel loop fold into memory; as plain code they do so as well.
// RUN: sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=5 sluice run %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 sluice run %s | FileCheck %s
// RUN: sluice check %s 2>&1 | FileCheck %s --check-prefix=VERDICT
// RUN: not sluice check %s -DSCAN 2>&1 | FileCheck %s --check-prefix=SCAN
// SCAN: error: 'sluice_scan' is for leaves of HPVM-C: called as plain code, nothing would scan behind the loop; write this node in HPVM-C, or a loop that adds up [reduce]
// SCAN-NOT: error
// CHECK: 750001 999, 750001 999
// VERDICT: proven free of races

#include <hetero.h>
#include <stdio.h>
#include <stdlib.h>
void sums(const float *x, size_t xBytes, double *sum, size_t sumBytes,
          int *largest, size_t largestBytes, int n) {
  void *section = __hetero_section_begin();
  for (int i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 4, x, xBytes, sum, sumBytes, largest,
                           largestBytes, n, 2, sum, sumBytes, largest,
                           largestBytes);
    sluice_reduce(sum, sumBytes, SLUICE_SUM);
#ifdef SCAN
    sluice_scan(largest, largestBytes, SLUICE_SUM);
#else
    sluice_reduce(largest, largestBytes, SLUICE_MAX);
#endif
    sum[0] += x[i];
    if (i % 1000 > *largest)
      *largest = i % 1000;
  }
  __hetero_section_end(section);
}
int main(void) {
  int n = 100000;
  float *x = malloc(n * sizeof *x);
  for (int i = 0; i < n; ++i)
    x[i] = i % 16;
  double sum = 1;
  int largest = 3;
  void *launch = __hetero_launch((void *)sums, 4, x, n * sizeof *x, &sum,
                                 sizeof sum, &largest, sizeof largest, n, 2,
                                 &sum, sizeof sum, &largest, sizeof largest);
  __hetero_wait(launch);
  double again = 1;
  int other = 3;
  sums(x, n * sizeof *x, &again, sizeof again, &other, sizeof other, n);
  printf("%g %d, %g %d\n", sum, largest, again, other);
}
