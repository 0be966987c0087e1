//===- openmp-for.cpp - The factors in parallel loops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One parallel region; threads take tiles as they come, with a barrier after
// each loop.
//
//===----------------------------------------------------------------------===//

#include "tiles.h"

using namespace bench;

static void run(TiledMatrix &a) {
  const int64_t tiles = a.tiles;
#pragma omp parallel
  {
#pragma omp for collapse(2) schedule(static)
    for (int64_t i = 0; i < tiles; ++i)
      for (int64_t j = 0; j < tiles; ++j)
        a.start(i, j);
    for (int64_t k = 0; k < tiles; ++k) {
#pragma omp single
      a.factor(k);
#pragma omp for schedule(dynamic, 1)
      for (int64_t i = k + 1; i < tiles; ++i)
        a.solve(i, k);
#pragma omp for collapse(2) schedule(dynamic, 1)
      for (int64_t i = k + 1; i < tiles; ++i)
        for (int64_t j = k + 1; j < tiles; ++j)
          if (j <= i)
            a.update(i, j, k);
    }
  }
}

int main() { return serveProblem<TiledMatrix, run>("cholesky"); }
