//===- openmp-for.cpp - The star in parallel loops ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One parallel region; threads keep their rows, with a barrier after each loop.
//
//===----------------------------------------------------------------------===//

#include "../../stencil.h"
#include "../problem.h"

using namespace bench;

namespace {
struct OwnGrid : StarGrid {
  explicit OwnGrid(const Sizes &sizes) // N:ROWS:COLUMNS:STEPS
      : first(sizes[0] * sizes[0]), second(sizes[0] * sizes[0]) {
    n = stride = sizes[0];
    steps = sizes[3];
    input = first.get();
    output = second.get();
  }
  Array<double> first, second;
};
} // namespace

static void run(OwnGrid &grid) {
  const int64_t n = grid.n;
#pragma omp parallel
  for (int64_t step = 0; step < grid.steps; ++step) {
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; ++i)
      grid.starOfRow(i, 0, n);
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; ++i)
      incrementRow(grid.input + i * n, 0, n);
  }
}

int main() { return serveProblem<OwnGrid, run>("stencil"); }
