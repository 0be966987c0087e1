//===- openmp-for.cpp - The V-cycle in parallel loops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One parallel region; threads keep their parts of the grids, with a barrier
// after each loop.
//
//===----------------------------------------------------------------------===//

#include "../../vcycle.h"
#include "../problem.h"

#include <omp.h>

using namespace bench;

namespace {
struct Cycles {
  explicit Cycles(const Sizes &sizes) // FINE:MID:COARSE:BLOCKS:CYCLES
      : cycles(sizes[4]) {
    for (int64_t i = 0; i < 3; ++i) {
      levels[i].n = sizes[i];
      for (double **field :
           {&levels[i].x, &levels[i].y, &levels[i].b, &levels[i].r}) {
        memory.emplace_back(sizes[i]);
        *field = memory.back().get();
      }
    }
  }
  void reset() {
    for (const Level &level : levels)
      level.reset();
  }
  const char *verify() {
    return verifyCycles(levels[0].x, levels[0].n, cycles);
  }

  int64_t cycles;
  Level levels[3];
  std::vector<Array<double>> memory;
};
} // namespace

static void run(Cycles &problem) {
#pragma omp parallel
  {
    const int64_t own = omp_get_thread_num(), all = omp_get_num_threads();
    runCycles(problem.levels, problem.cycles, [=](int64_t count, auto body) {
      body(own * count / all, (own + 1) * count / all);
#pragma omp barrier
    });
  }
}

int main() { return serveProblem<Cycles, run>("vcycle"); }
