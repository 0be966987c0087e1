//===- distance.c - A distance in plain OpenMP ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The distance between two points with many coordinates.
//
//===----------------------------------------------------------------------===//

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double distance(const double *x, const double *y, int n) {
  double sum = 0, d;
#pragma omp parallel for private(d) reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    d = x[i] - y[i];
    sum += d * d;
  }
  return sqrt(sum);
}

int main(void) {
  int n = 1000000;
  double *x = malloc(n * sizeof(double)), *y = malloc(n * sizeof(double));
  if (!x || !y)
    return 1;
  double expected = 0;
  for (int i = 0; i < n; ++i) {
    x[i] = i % 1000;
    y[i] = i % 7;
    expected += (x[i] - y[i]) * (x[i] - y[i]);
  }
  // All numbers are integers below 2 to the 53, so every order is exact.
  int isRight = distance(x, y, n) == sqrt(expected);
  puts(isRight ? "distance: ok" : "distance: wrong");
  free(x);
  free(y);
  return !isRight;
}
