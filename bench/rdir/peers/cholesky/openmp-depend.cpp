//===- openmp-depend.cpp - The factors as OpenMP tasks --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task for each tile that is started, factored, solved or updated.
//
//===----------------------------------------------------------------------===//

#include "tiles.h"

using namespace bench;

static void submit(TiledMatrix &a) {
  const int64_t tiles = a.tiles;
  // What dependences are declared on: the first value of a tile.
  auto at = [&](int64_t i, int64_t j) { return a.tile(i, j).data; };
  for (int64_t i = 0; i < tiles; ++i)
    for (int64_t j = 0; j < tiles; ++j) {
      double *own = at(i, j);
#pragma omp task shared(a) firstprivate(i, j) depend(out : *own)
      a.start(i, j);
    }
  for (int64_t k = 0; k < tiles; ++k) {
    double *diagonal = at(k, k);
#pragma omp task shared(a) firstprivate(k) depend(inout : *diagonal)
    a.factor(k);
    for (int64_t i = k + 1; i < tiles; ++i) {
      double *own = at(i, k);
#pragma omp task shared(a) firstprivate(i, k) depend(in                        \
                                                     : *diagonal)              \
    depend(inout                                                               \
           : *own)
      a.solve(i, k);
    }
    for (int64_t j = k + 1; j < tiles; ++j)
      for (int64_t i = j; i < tiles; ++i) {
        double *left = at(i, k), *right = at(j, k), *own = at(i, j);
#pragma omp task shared(a) firstprivate(i, j, k) depend(in                     \
                                                        : *left, *right)       \
    depend(inout                                                               \
           : *own)
        a.update(i, j, k);
      }
  }
}

static void run(TiledMatrix &a) {
#pragma omp parallel
#pragma omp single
  submit(a);
}

int main() { return serveProblem<TiledMatrix, run>("cholesky"); }
