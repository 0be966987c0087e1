// The race of a reduction that nobody has declared: the message says what to
// declare, of sums and of maxima, and with it there is none.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DDECLARED %s | FileCheck %s --check-prefix=DECLARED
// DECLARED: {{^}}proven free of races{{$}}

#include <hetero.h>

void fold(const double *x, size_t xBytes, double *sum, size_t sumBytes,
          double *most, size_t mostBytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 4, x, xBytes, sum, sumBytes, most, mostBytes, n,
                           2, sum, sumBytes, most, mostBytes);
#ifdef DECLARED
    sluice_reduce(sum, sumBytes, SLUICE_SUM);
    sluice_reduce(most, mostBytes, SLUICE_MAX);
#endif
    // CHECK-DAG: forgotten-reduction.cpp:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} meet; declare the reduction before the first update: 'sluice_reduce(sum, sumBytes, SLUICE_SUM)' [race]
    *sum += x[i];
    double v = x[i] * 0.5 + 1;
    // CHECK-DAG: error: {{.*}} meet; declare the reduction before the first update: 'sluice_reduce(most, mostBytes, SLUICE_MAX)' [race]
    if (v > *most)
      *most = v;
  }
  __hetero_section_end(section);
}

int main() {
  double x[4] = {1, 4, 2, 3}, sum = 0, most = 0;
  __hetero_wait(__hetero_launch((void *)fold, 4, x, sizeof x, &sum, sizeof sum,
                                &most, sizeof most, 4L, 2, &sum, sizeof sum,
                                &most, sizeof most));
}
