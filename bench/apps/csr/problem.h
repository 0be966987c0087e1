//===- problem.h - Sparse matrix times vector --------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = A x with A in compressed rows, as in Parboil. Rows are uneven: most have
// up to 8 entries, one in eight up to 100.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_CSR_H
#define SLUICE_BENCH_CSR_H

#include "../app.h"

static long numRows, numEntries;
static int *rowStarts, *columns;
static float *values, *x, *y, *expected;

static inline float rowProduct(const int *starts, const int *column,
                               const float *value, const float *factor,
                               long row) {
  float sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i)
    sum += value[i] * factor[column[i]];
  return sum;
}

static void reset(void) { memset(y, 0, sizeof(float) * (size_t)numRows); }

static void allocate(void) {
  numRows = appNumber(1);
  rowStarts = appInts(numRows + 1);
  for (long row = 0; row < numRows; ++row) {
    uint32_t isLong = appRandom() % 8 == 0;
    rowStarts[row + 1] =
        rowStarts[row] + 1 + (int)(appRandom() % (isLong ? 100 : 8));
  }
  numEntries = rowStarts[numRows];
  columns = appInts(numEntries);
  values = appFloats(numEntries);
  x = appFloats(numRows);
  y = appFloats(numRows);
  expected = (float *)appOracle(sizeof(float) * (size_t)numRows);
  for (long i = 0; i < numEntries; ++i) {
    columns[i] = (int)(appRandom() % (uint32_t)numRows);
    values[i] = (float)(appRandom() % 9) - 4;
  }
  for (long i = 0; i < numRows; ++i)
    x[i] = (float)(appRandom() % 7) - 3;
  for (long row = 0; row < numRows; ++row)
    expected[row] = rowProduct(rowStarts, columns, values, x, row);
}

static const char *verify(void) {
  return appSameFloats("y", expected, y, numRows, 0);
}

#endif // SLUICE_BENCH_CSR_H
