//===- distance.c - A race in plain OpenMP --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All threads share 'd'. 'sluice check' finds that, and 'private(d)' mends it:
// see ../openmp/distance.c.
//
//===----------------------------------------------------------------------===//

#include <math.h>
#include <stdio.h>

static double distance(const double *x, const double *y, int n) {
  double sum = 0, d;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    d = x[i] - y[i];
    sum += d * d;
  }
  return sqrt(sum);
}

int main(void) {
  static double x[1000], y[1000];
  x[1] = 3, y[2] = 4;
  printf("%g\n", distance(x, y, 1000));
}
