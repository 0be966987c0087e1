//===- problem.h - Cholesky's factorization by tiles -------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A symmetric matrix A = L L^T in tiles; L takes the place of A's lower half.
// What L L^T v is for a vector v may differ from A v by 1e-10.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_CHOLESKY_H
#define SLUICE_BENCH_CHOLESKY_H

#include "../app.h"
#include "../tiles.h"

static long tiles, tileSize, side;
static double *matrix, *original;

/// A library wants rows of the whole matrix one after another.
static inline long placeOf(long i, long j) {
#ifdef WHOLE_MATRIX
  return i * side + j;
#else
  return ((i / tileSize * tiles + j / tileSize) * tileSize + i % tileSize) *
             tileSize +
         j % tileSize;
#endif
}

static inline size_t tileBytes(void) {
  return sizeof(double) * (size_t)(tileSize * tileSize);
}
static inline size_t matrixBytes(void) {
  return tileBytes() * (size_t)(tiles * tiles);
}
static inline double *tileAt(long row, long column) {
  return matrix + (row * tiles + column) * tileSize * tileSize;
}

/// Every repetition begins with this copy.
static inline void copyOriginal(void) {
  memcpy(matrix, original, matrixBytes());
}

static void reset(void) { memset(matrix, 0, matrixBytes()); }

static double elementOf(long i, long j) {
  long distance = i > j ? i - j : j - i;
  return distance == 0 ? 8.0 : 1.0 / (1.0 + (double)distance);
}

/// A row is the number of tiles on a side, the size of one, and whether each
/// is tracked by itself.
static void allocate(void) {
  tiles = appNumber(1);
  tileSize = appNumber(2);
  side = tiles * tileSize;
  matrix = (double *)(appNumber(3) ? appOracle(matrixBytes())
                                   : appArray(matrixBytes()));
  original = (double *)appOracle(matrixBytes());
  for (long i = 0; i < side; ++i)
    for (long j = 0; j < side; ++j)
      original[placeOf(i, j)] = elementOf(i, j);
}

static const char *verify(void) {
  double *middle = (double *)calloc((size_t)side, sizeof(double));
  const char *wrong = 0;
  for (long i = 0; i < side; ++i) // v[i] = i % 7 - 3
    for (long j = 0; j <= i; ++j)
      middle[j] += matrix[placeOf(i, j)] * (double)(i % 7 - 3);
  for (long i = 0; i < side && !wrong; ++i) {
    double expected = 0, found = 0;
    for (long j = 0; j < side; ++j)
      expected += elementOf(i, j) * (double)(j % 7 - 3);
    for (long j = 0; j <= i; ++j)
      found += matrix[placeOf(i, j)] * middle[j];
    if (!(fabs(found - expected) <= 1e-10 * (1 + fabs(expected))))
      wrong = benchWrong("row of the product", i, expected, found);
  }
  free(middle);
  return wrong;
}

#endif // SLUICE_BENCH_CHOLESKY_H
