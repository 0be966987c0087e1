//===- tiles.h - Work on tiles of matrices -----------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the factorizations by tiles do with one, two or three tiles: plain
// loops, the innermost along rows. A tile has `size` rows and columns, at most
// mostTile, one row after another.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_TILES_H
#define SLUICE_BENCH_TILES_H

#include <math.h>

enum { mostTile = 64 };

/// c -= a b.
static inline void subtractProduct(double *c, const double *a, const double *b,
                                   long size) {
  for (long i = 0; i < size; ++i)
    for (long k = 0; k < size; ++k) {
      double factor = a[i * size + k];
      for (long j = 0; j < size; ++j)
        c[i * size + j] -= factor * b[k * size + j];
    }
}

static inline void transpose(double *to, const double *from, long size) {
  for (long i = 0; i < size; ++i)
    for (long j = 0; j < size; ++j)
      to[j * size + i] = from[i * size + j];
}

/// c -= a b^T.
static inline void subtractTransposed(double *c, const double *a,
                                      const double *b, long size) {
  double turned[mostTile * mostTile];
  transpose(turned, b, size);
  subtractProduct(c, a, turned, size);
}

/// Cholesky's factor of a tile of the diagonal, into its lower half.
static inline void factorSymmetric(double *a, long size) {
  for (long k = 0; k < size; ++k) {
    double pivot = sqrt(a[k * size + k]);
    a[k * size + k] = pivot;
    for (long i = k + 1; i < size; ++i)
      a[i * size + k] /= pivot;
    for (long i = k + 1; i < size; ++i)
      for (long j = k + 1; j <= i; ++j)
        a[i * size + j] -= a[i * size + k] * a[j * size + k];
  }
}

/// x = x l^-T with the lower half l.
static inline void solveTransposed(double *x, const double *l, long size) {
  double turned[mostTile * mostTile];
  transpose(turned, l, size);
  for (long i = 0; i < size; ++i)
    for (long k = 0; k < size; ++k) {
      double value = x[i * size + k] /= turned[k * size + k];
      for (long j = k + 1; j < size; ++j)
        x[i * size + j] -= value * turned[k * size + j];
    }
}

/// The factors l (with ones on its diagonal) and u of a tile, in its place.
static inline void factorTile(double *a, long size) {
  for (long k = 0; k < size; ++k)
    for (long i = k + 1; i < size; ++i) {
      double factor = a[i * size + k] /= a[k * size + k];
      for (long j = k + 1; j < size; ++j)
        a[i * size + j] -= factor * a[k * size + j];
    }
}

/// x = l^-1 x.
static inline void solveLower(double *x, const double *l, long size) {
  for (long k = 0; k < size; ++k)
    for (long i = k + 1; i < size; ++i) {
      double factor = l[i * size + k];
      for (long j = 0; j < size; ++j)
        x[i * size + j] -= factor * x[k * size + j];
    }
}

/// x = x u^-1.
static inline void solveUpper(double *x, const double *u, long size) {
  for (long i = 0; i < size; ++i)
    for (long k = 0; k < size; ++k) {
      double value = x[i * size + k] /= u[k * size + k];
      for (long j = k + 1; j < size; ++j)
        x[i * size + j] -= value * u[k * size + j];
    }
}

#endif // SLUICE_BENCH_TILES_H
