//===- plain.c - Cholesky's factorization by tiles in plain loops ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that depend on the tiles they use.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void factorize(void) {
  for (long k = 0; k < tiles; ++k) {
    double *diagonal = tileAt(k, k);
#pragma omp task depend(inout : diagonal[0])
    factorSymmetric(diagonal, tileSize);
    for (long i = k + 1; i < tiles; ++i) {
      double *below = tileAt(i, k);
#pragma omp task depend(in : diagonal[0]) depend(inout : below[0])
      solveTransposed(below, diagonal, tileSize);
    }
    for (long i = k + 1; i < tiles; ++i) {
      double *left = tileAt(i, k);
      for (long j = k + 1; j <= i; ++j) {
        double *right = tileAt(j, k), *sum = tileAt(i, j);
#pragma omp task depend(in : left[0], right[0]) depend(inout : sum[0])
        subtractTransposed(sum, left, right, tileSize);
      }
    }
  }
}

static void run(void) {
  copyOriginal();
#pragma omp parallel
#pragma omp single
  factorize();
}

int main(void) { return appServe(); }
