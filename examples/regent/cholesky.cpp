//===- cholesky.cpp - The tasks of tiled Cholesky factors -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of cholesky.mlir, and the same factors element by element.
//
//===----------------------------------------------------------------------===//

#include "cholesky.rdir.h"
#include <cmath>
#include <cstdio>
#include <vector>

static double startOf(int64_t i, int64_t j) {
  return (i == j ? 1000.0 : 0.0) + 1.0 / double(1 + (i > j ? i - j : j - i));
}

namespace {
// A tile, addressed by the coordinates of the matrix.
template <typename T> struct Tile {
  T *values;
  const SluiceDomain *domain;
  T &operator()(int64_t i, int64_t j) const {
    return values[i * domain->stride[0] + j * domain->stride[1]];
  }
};
} // namespace

void start(const SluiceTask *, double *values, const SluiceDomain *tile) {
  Tile<double> a{values, tile};
  for (int64_t i = tile->lower[0]; i < tile->upper[0]; ++i)
    for (int64_t j = tile->lower[1]; j < tile->upper[1]; ++j)
      a(i, j) = startOf(i, j);
}

void factor(const SluiceTask *, double *values, const SluiceDomain *tile) {
  Tile<double> a{values, tile};
  const int64_t begin = tile->lower[0], end = tile->upper[0];
  for (int64_t k = begin; k < end; ++k) {
    a(k, k) = std::sqrt(a(k, k));
    for (int64_t i = k + 1; i < end; ++i)
      a(i, k) /= a(k, k);
    for (int64_t i = k + 1; i < end; ++i)
      for (int64_t j = k + 1; j <= i; ++j)
        a(i, j) -= a(i, k) * a(j, k);
  }
}

void solve(const SluiceTask *, const double *diagonal,
           const SluiceDomain *diagonalTile, double *values,
           const SluiceDomain *tile) {
  Tile<const double> d{diagonal, diagonalTile};
  Tile<double> a{values, tile};
  for (int64_t i = tile->lower[0]; i < tile->upper[0]; ++i)
    for (int64_t k = tile->lower[1]; k < tile->upper[1]; ++k) {
      a(i, k) /= d(k, k);
      for (int64_t j = k + 1; j < tile->upper[1]; ++j)
        a(i, j) -= a(i, k) * d(j, k);
    }
}

void update(const SluiceTask *, const double *left, const SluiceDomain *rows,
            const double *right, const SluiceDomain *columns, double *values,
            const SluiceDomain *tile) {
  Tile<const double> l{left, rows}, r{right, columns};
  Tile<double> a{values, tile};
  for (int64_t i = tile->lower[0]; i < tile->upper[0]; ++i)
    for (int64_t j = tile->lower[1]; j < tile->upper[1]; ++j)
      for (int64_t k = rows->lower[1]; k < rows->upper[1]; ++k)
        if (j <= i)
          a(i, j) -= l(i, k) * r(j, k);
}

void compare(const SluiceTask *, const double *values,
             const SluiceDomain *matrix, int64_t n) {
  Tile<const double> result{values, matrix};
  std::vector<double> a(n * n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      a[i * n + j] = startOf(i, j);
  for (int64_t k = 0; k < n; ++k) {
    a[k * n + k] = std::sqrt(a[k * n + k]);
    for (int64_t i = k + 1; i < n; ++i)
      a[i * n + k] /= a[k * n + k];
    for (int64_t i = k + 1; i < n; ++i)
      for (int64_t j = k + 1; j <= i; ++j)
        a[i * n + j] -= a[i * n + k] * a[j * n + k];
  }
  int64_t wrong = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j)
      wrong += a[i * n + j] != result(i, j);
  std::printf("cholesky: %lld wrong\n", (long long)wrong);
}
