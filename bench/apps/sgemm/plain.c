//===- plain.c - The product of two matrices in plain loops ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four rows at a time, over strips of columns that stay in the first cache.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

enum { rowsAtOnce = 4, stripColumns = 512 };

/// Rows `row` to `row` + 3 of the columns `begin` to `end`.
static inline void multiplyRows(const float *restrict left,
                                const float *restrict right,
                                float *restrict product, long row, long begin,
                                long end) {
  float sums[rowsAtOnce][stripColumns] = {{0}};
  for (long k = 0; k < side; ++k) {
    const float *line = right + k * side + begin;
    for (long column = 0; column < end - begin; ++column)
      for (int y = 0; y < rowsAtOnce; ++y)
        sums[y][column] += left[(row + y) * side + k] * line[column];
  }
  for (int y = 0; y < rowsAtOnce; ++y)
    memcpy(product + (row + y) * side + begin, sums[y],
           sizeof(float) * (size_t)(end - begin));
}

static inline void multiplyRow(const float *restrict left,
                               const float *restrict right,
                               float *restrict product, long row) {
  memset(product + row * side, 0, sizeof(float) * (size_t)side);
  for (long k = 0; k < side; ++k)
    for (long column = 0; column < side; ++column)
      product[row * side + column] +=
          left[row * side + k] * right[k * side + column];
}

static void run(void) {
  const long whole = side / rowsAtOnce * rowsAtOnce;
#pragma omp parallel for schedule(static)
  for (long row = 0; row < whole; row += rowsAtOnce)
    for (long begin = 0; begin < side; begin += stripColumns)
      multiplyRows(a, b, c, row, begin,
                   begin + stripColumns < side ? begin + stripColumns : side);
  for (long row = whole; row < side; ++row)
    multiplyRow(a, b, c, row);
}

int main(void) { return appServe(); }
