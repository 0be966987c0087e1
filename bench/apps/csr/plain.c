//===- plain.c - Sparse matrix times vector in plain loops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows in chunks that threads take as they come, for rows are uneven.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void run(void) {
  const int *restrict starts = rowStarts, *restrict column = columns;
  const float *restrict value = values, *restrict factor = x;
  float *restrict product = y;
#pragma omp parallel for schedule(guided, 64)
  for (long row = 0; row < numRows; ++row)
    product[row] = rowProduct(starts, column, value, factor, row);
}

int main(void) { return appServe(); }
