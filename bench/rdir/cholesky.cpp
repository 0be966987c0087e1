//===- cholesky.cpp - The tasks of cholesky.mlir --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tasks compute; the peers use the same kernels.
//
//===----------------------------------------------------------------------===//

#include "cholesky.h"
#include "cholesky.rdir.h"
#include "serve.h"

template <typename T>
static bench::MatrixTile<T> tileOf(T *values, const SluiceDomain *tile) {
  return {values + tile->lower[0] * tile->stride[0] + tile->lower[1],
          tile->upper[0] - tile->lower[0], tile->upper[1] - tile->lower[1],
          tile->stride[0]};
}

void start(const SluiceTask *, double *values, const SluiceDomain *tile) {
  bench::startTile(tileOf(values, tile), tile->lower[0], tile->lower[1]);
}

void factor(const SluiceTask *, double *values, const SluiceDomain *tile) {
  bench::factorTile(tileOf(values, tile));
}

void solve(const SluiceTask *, const double *diagonal,
           const SluiceDomain *diagonalTile, double *values,
           const SluiceDomain *tile) {
  bench::solveTile(tileOf(diagonal, diagonalTile), tileOf(values, tile));
}

void update(const SluiceTask *, const double *left, const SluiceDomain *rows,
            const double *right, const SluiceDomain *columns, double *values,
            const SluiceDomain *tile) {
  bench::updateTile(tileOf(left, rows), tileOf(right, columns),
                    tileOf(values, tile), tile->lower[0] == tile->lower[1]);
}

int32_t serve(const SluiceTask *, double *values, const SluiceDomain *matrix,
              int64_t n) {
  static bench::Server server;
  return server.serve(
      [] {}, [&] { return bench::verifyFactor(values, matrix->stride[0], n); });
}
