//===- plain.c - The factorization A = L U by tiles in plain loops --------===//
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
    factorTile(diagonal, tileSize);
    for (long i = k + 1; i < tiles; ++i) {
      double *right = tileAt(k, i), *below = tileAt(i, k);
#pragma omp task depend(in : diagonal[0]) depend(inout : right[0])
      solveLower(right, diagonal, tileSize);
#pragma omp task depend(in : diagonal[0]) depend(inout : below[0])
      solveUpper(below, diagonal, tileSize);
    }
    for (long i = k + 1; i < tiles; ++i)
      for (long j = k + 1; j < tiles; ++j) {
        double *left = tileAt(i, k), *above = tileAt(k, j), *sum = tileAt(i, j);
#pragma omp task depend(in : left[0], above[0]) depend(inout : sum[0])
        subtractProduct(sum, left, above, tileSize);
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
