//===- tiles.h - The tiles of the peers' factors ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix and tiles of both OpenMP programs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_PEERS_CHOLESKY_TILES_H
#define SLUICE_BENCH_RDIR_PEERS_CHOLESKY_TILES_H

#include "../../cholesky.h"
#include "../problem.h"

namespace bench {

struct TiledMatrix {
  explicit TiledMatrix(const Sizes &sizes) // N:TILES
      : n(sizes[0]), tiles(sizes[1]), values(n * n) {}
  int64_t first(int64_t tile) const { return tile * n / tiles; }
  Tile tile(int64_t i, int64_t j) const {
    return {values.get() + first(i) * n + first(j), first(i + 1) - first(i),
            first(j + 1) - first(j), n};
  }
  ConstTile read(int64_t i, int64_t j) const {
    const Tile found = tile(i, j);
    return {found.data, found.rows, found.columns, found.stride};
  }
  void start(int64_t i, int64_t j) {
    startTile(tile(i, j), first(i), first(j));
  }
  void factor(int64_t k) { factorTile(tile(k, k)); }
  void solve(int64_t i, int64_t k) { solveTile(read(k, k), tile(i, k)); }
  void update(int64_t i, int64_t j, int64_t k) {
    updateTile(read(i, k), read(j, k), tile(i, j), i == j);
  }
  void reset() {}
  const char *verify() { return verifyFactor(values.get(), n, n); }

  int64_t n, tiles;
  Array<double> values;
};

} // namespace bench

#endif // SLUICE_BENCH_RDIR_PEERS_CHOLESKY_TILES_H
