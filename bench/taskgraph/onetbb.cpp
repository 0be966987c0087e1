//===- onetbb.cpp - Task graphs with task_group and counters --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fastest way to run a graph with oneTBB: a counter per task, set back
// when it reaches zero; the first successor that is ready is run directly, the
// others are spawned.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

using namespace bench;

namespace {

std::unique_ptr<std::atomic<uint32_t>[]> counters;
std::vector<uint32_t> roots;

constexpr uint32_t none = UINT32_MAX;

void runFrom(tbb::task_group &group, uint32_t node) {
  while (node != none) {
    runTask(node);
    uint32_t next = none;
    for (uint32_t after : graph.successors(node)) {
      if (counters[after].fetch_sub(1, std::memory_order_acq_rel) != 1)
        continue;
      counters[after].store(
          static_cast<uint32_t>(graph.predecessors(after).size()),
          std::memory_order_relaxed);
      if (next == none)
        next = after;
      else
        group.run([&group, after] { runFrom(group, after); });
    }
    node = next;
  }
}

} // namespace

void bench::prepareGraph() {
  counters = std::make_unique<std::atomic<uint32_t>[]>(graph.size());
  roots.clear();
  for (uint32_t node = 0; node < graph.size(); ++node) {
    counters[node] = static_cast<uint32_t>(graph.predecessors(node).size());
    if (graph.predecessors(node).empty())
      roots.push_back(node);
  }
}

void bench::runGraph() {
  tbb::task_group group;
  for (size_t i = 1; i < roots.size(); ++i)
    group.run([&group, root = roots[i]] { runFrom(group, root); });
  group.run_and_wait([&group] { runFrom(group, roots[0]); });
}

void bench::releaseGraph() { counters.reset(); }

int main() {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                            static_cast<size_t>(benchThreads()));
  return serveRows(10);
}
