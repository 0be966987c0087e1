//===- taskflow.cpp - Task graphs with Taskflow ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph is built once and run many times.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

#include <taskflow/taskflow.hpp>

using namespace bench;

namespace {
std::unique_ptr<tf::Taskflow> flow;
std::unique_ptr<tf::Executor> executor;
} // namespace

void bench::prepareGraph() {
  flow = std::make_unique<tf::Taskflow>();
  std::vector<tf::Task> tasks;
  for (uint32_t node = 0; node < graph.size(); ++node) {
    tasks.push_back(flow->emplace([node] { runTask(node); }));
    for (uint32_t before : graph.predecessors(node))
      tasks[before].precede(tasks[node]);
  }
}

void bench::runGraph() { executor->run(*flow).wait(); }

void bench::releaseGraph() { flow.reset(); }

int main() {
  executor =
      std::make_unique<tf::Executor>(static_cast<size_t>(benchThreads()));
  int status = serveRows(4);
  executor.reset();
  return status;
}
