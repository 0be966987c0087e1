//===- problem.h - The edit distance of two texts ----------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Levenshtein's table, of which every element needs those to its left, above,
// and between: tiles of one anti-diagonal are independent. The texts have a
// whole number of tiles.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_EDIT_H
#define SLUICE_BENCH_EDIT_H

#include "../app.h"

enum { tile = 64 };
static long length, stride; ///< of a text, and of a row of the table
static char *first, *second;
static int *table, *lastRow;

/// The tile at (tileRow, tileColumn); row and column 0 of the table are given.
static inline void fillTile(int *cells, const char *a, const char *b,
                            long tileRow, long tileColumn, long width) {
  for (long i = tileRow * tile + 1; i <= (tileRow + 1) * tile; ++i)
    for (long j = tileColumn * tile + 1; j <= (tileColumn + 1) * tile; ++j) {
      int replaced = cells[(i - 1) * width + j - 1] + (a[i - 1] != b[j - 1]);
      int removed = cells[(i - 1) * width + j] + 1;
      int inserted = cells[i * width + j - 1] + 1;
      int least = removed < inserted ? removed : inserted;
      cells[i * width + j] = replaced < least ? replaced : least;
    }
}

/// The tiles of diagonal d: from which row on, and how many.
static inline long firstRow(long d, long tiles) {
  return d < tiles ? 0 : d - tiles + 1;
}
static inline long tilesOf(long d, long tiles) {
  return d < tiles ? d + 1 : 2 * tiles - 1 - d;
}

static void reset(void) {
  memset(table, 0, sizeof(int) * (size_t)(stride * stride));
  for (long i = 0; i <= length; ++i)
    table[i] = table[i * stride] = (int)i;
}

static void allocate(void) {
  length = appNumber(1) * tile;
  stride = length + 1;
  first = (char *)appArray((size_t)length);
  second = (char *)appArray((size_t)length);
  table = appInts(stride * stride);
  lastRow = (int *)appOracle(sizeof(int) * (size_t)stride);
  for (long i = 0; i < length; ++i) {
    first[i] = (char)('a' + appRandom() % 4);
    second[i] = appRandom() % 3 ? first[i] : (char)('a' + appRandom() % 4);
  }
  for (long j = 0; j <= length; ++j)
    lastRow[j] = (int)j;
  for (long i = 1; i <= length; ++i) {
    int diagonal = lastRow[0];
    lastRow[0] = (int)i;
    for (long j = 1; j <= length; ++j) {
      int replaced = diagonal + (first[i - 1] != second[j - 1]);
      int other =
          (lastRow[j] < lastRow[j - 1] ? lastRow[j] : lastRow[j - 1]) + 1;
      diagonal = lastRow[j];
      lastRow[j] = replaced < other ? replaced : other;
    }
  }
}

static const char *verify(void) {
  return appSameInts("last row", lastRow, table + length * stride, stride);
}

#endif // SLUICE_BENCH_EDIT_H
