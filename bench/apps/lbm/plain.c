//===- plain.c - A fluid on a lattice in plain loops ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One region around all steps; rows are divided among the threads.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void run(void) {
#pragma omp parallel
  for (long step = 0; step < steps; ++step) {
    const float *restrict from = step % 2 ? nextFlow : flow;
    float *restrict to = step % 2 ? flow : nextFlow;
    const int *restrict wall = solid;
#pragma omp for schedule(static)
    for (long y = 1; y < height - 1; ++y)
      for (long x = 0; x < width; ++x)
        stepCell(from, to, wall, x, y, width, height);
  }
}

int main(void) { return appServe(); }
