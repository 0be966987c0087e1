//===- work.h - What a task does --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a given number of dependent multiplications, which no vector
// unit shortens; none at all for an empty task. Where the tasks check their
// inputs, each one compares the values that its predecessors left with their
// numbers and with the number of this run, and leaves its own: a task that ran
// too early finds the run before.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_WORK_H
#define SLUICE_BENCH_WORK_H

#include "graph.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace bench {

/// The value that a task leaves, on a line of its own.
struct alignas(64) Value {
  uint32_t node = 0;
  uint32_t run = 0;
};

struct Work {
  uint64_t iterations = 0;
  bool checksInputs = false;
  uint32_t run = 0;
};

inline Work work;
inline Graph graph;
inline std::unique_ptr<Value[]> values;
inline std::atomic<uint32_t> wrongInputs;

inline void runKernel(uint64_t iterations) {
  uint64_t number = iterations;
  for (uint64_t i = 0; i < iterations; ++i) {
    number = number * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(number));
  }
}

[[gnu::noinline]] inline void checkInputs(uint32_t node) {
  for (uint32_t before : graph.predecessors(node))
    if (values[before].node != before || values[before].run != work.run)
      wrongInputs.fetch_add(1, std::memory_order_relaxed);
}

inline void runTask(uint32_t node) {
  if (work.checksInputs)
    checkInputs(node);
  runKernel(work.iterations);
  if (work.checksInputs)
    values[node] = {node, work.run};
}

} // namespace bench

#endif // SLUICE_BENCH_WORK_H
