//===- static.cpp - Grids whose columns belong to threads -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two programs for grids, of threads that own their columns. SCHEME is
//
//   Point     a thread waits for the columns that its task depends on
//   Barrier   an OpenMP loop over the columns, whose end is a barrier
//
//===----------------------------------------------------------------------===//

#include "rows.h"

#include <omp.h>

using namespace bench;

namespace {

struct alignas(64) Progress {
  std::atomic<uint64_t> steps;
};

struct Point {
  /// Steps done since the program started, so that no run resets it.
  static inline Progress progress[maxWidth];
  static inline uint64_t before;

  static void await(uint32_t column, uint64_t steps) {
    while (progress[column].steps.load(std::memory_order_acquire) < steps)
      continue;
  }
  static void run(uint32_t width, uint32_t steps) {
#pragma omp parallel
    {
      const uint32_t thread = static_cast<uint32_t>(omp_get_thread_num());
      const uint32_t count = static_cast<uint32_t>(omp_get_num_threads());
      const uint32_t first = width * thread / count;
      const uint32_t last = width * (thread + 1) / count;
      for (uint32_t step = 0; step < steps; ++step)
        for (uint32_t column = first; column < last; ++column) {
          uint32_t node = step * width + column;
          for (uint32_t needed : graph.predecessors(node))
            if (uint32_t other = needed % width; other < first || other >= last)
              await(other, before + step);
          runTask(node);
          progress[column].steps.store(before + step + 1,
                                       std::memory_order_release);
        }
    }
    before += steps;
  }
};

struct Barrier {
  static void run(uint32_t width, uint32_t steps) {
#pragma omp parallel
    for (uint32_t step = 0; step < steps; ++step) {
#pragma omp for schedule(static)
      for (uint32_t column = 0; column < width; ++column)
        runTask(step * width + column);
    }
  }
};

using Scheme = SCHEME;
uint32_t width, steps;

} // namespace

void bench::prepareGraph() {
  GridParameters grid = readGrid();
  width = grid.width;
  steps = grid.steps;
}

void bench::runGraph() { Scheme::run(width, steps); }

void bench::releaseGraph() {}

int main() { return serveRows(1); }
