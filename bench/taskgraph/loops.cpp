//===- loops.cpp - Task graphs as parallel loops --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an expert makes of a graph whose shape is known: the tasks that may run
// at the same time are a loop, split among the threads, and a barrier follows.
// A fan-out is one such loop, a wavefront one for each diagonal. LOOP is
//
//   OpenMP   one parallel region with a loop for each level
//   OneTBB   parallel_for for each level, in equal parts
//   Plain    all tasks in their order, in one thread: what a program does that
//            knows that empty tasks are not worth sharing
//
//===----------------------------------------------------------------------===//

#include "rows.h"

#ifdef WITH_TBB
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#endif

using namespace bench;

namespace {

/// A task stays a call, as it is in every other program: a compiler that sees
/// that an empty one does nothing would leave out the loop.
[[gnu::noinline]] void callTask(uint32_t node) {
  runTask(node);
  asm volatile("" ::: "memory");
}

/// Tasks first, first + stride ... that may run at the same time.
struct Level {
  uint32_t first = 0, stride = 1, count = 0;

  void runPart(uint32_t begin, uint32_t end) const {
    for (uint32_t i = begin; i < end; ++i)
      callTask(first + i * stride);
  }
};

std::vector<Level> levels;

struct OpenMP {
  static void run() {
#pragma omp parallel
    for (const Level &level : levels) {
#pragma omp for schedule(static)
      for (uint32_t i = 0; i < level.count; ++i)
        callTask(level.first + i * level.stride);
    }
  }
};

#ifdef WITH_TBB
struct OneTBB {
  static void run() {
    using Range = tbb::blocked_range<uint32_t>;
    for (const Level &level : levels) {
      if (level.count == 1) {
        level.runPart(0, 1);
        continue;
      }
      tbb::parallel_for(
          Range(0, level.count),
          [&level](const Range &part) {
            level.runPart(part.begin(), part.end());
          },
          tbb::static_partitioner());
    }
  }
};
#endif

struct Plain {
  static void run() {
    for (uint32_t node = 0; node < graph.size(); ++node)
      callTask(node);
  }
};

[[noreturn]] void refuse(uint32_t node) {
  std::fprintf(stderr, "task %u does not fit into a loop\n", node);
  std::exit(1);
}

void append(Level &level, uint32_t node) {
  if (level.count == 0)
    level.first = node;
  else if (level.count == 1)
    level.stride = node - level.first;
  else if (node != level.first + level.count * level.stride)
    refuse(node);
  ++level.count;
}

} // namespace

void bench::prepareGraph() {
  levels.clear();
  std::vector<uint32_t> depth(graph.size());
  for (uint32_t node = 0; node < graph.size(); ++node) {
    for (uint32_t before : graph.predecessors(node))
      depth[node] = std::max(depth[node], depth[before] + 1);
    if (depth[node] >= levels.size())
      levels.resize(depth[node] + 1);
    append(levels[depth[node]], node);
  }
}

void bench::runGraph() { LOOP::run(); }

void bench::releaseGraph() {}

int main() {
#ifdef WITH_TBB
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                            static_cast<size_t>(benchThreads()));
#endif
  return serveRows(10);
}
