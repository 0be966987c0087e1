//===- taskflow.cpp - The stencil as a graph of Taskflow ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task per block and sweep, after those of the block and its four neighbours
// in the sweep before. The graph is built once and run many times; the row
// "halo-instantiate" times the building.
//
//===----------------------------------------------------------------------===//

#include "halo.h"

#include <taskflow/taskflow.hpp>

#include <memory>
#include <optional>

using namespace bench;

namespace {
std::unique_ptr<tf::Executor> executor;
std::optional<tf::Taskflow> flow;

tf::Task addBlock(int64_t sweep, int64_t i, int64_t j) {
  const double *from = sweep % 2 ? plate.next : plate.now;
  double *to = sweep % 2 ? plate.now : plate.next;
  return flow->emplace([=] { plate.sweepBlock(from, to, i, j); });
}

/// Sweep s + 1 of a block reads what its neighbours wrote in sweep s, and
/// writes what they read in it: the same five predecessors.
void buildGraph() {
  flow.emplace();
  const int64_t rows = plate.rows, columns = plate.columns;
  std::vector<tf::Task> before, now(size_t(rows * columns));
  for (int64_t sweep = 0; sweep < 2 * plate.pairs; ++sweep) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        tf::Task &task = now[size_t(i * columns + j)];
        task = addBlock(sweep, i, j);
        auto after = [&](int64_t y, int64_t x) {
          if (!before.empty() && y >= 0 && y < rows && x >= 0 && x < columns)
            before[size_t(y * columns + x)].precede(task);
        };
        after(i, j);
        after(i - 1, j);
        after(i + 1, j);
        after(i, j - 1);
        after(i, j + 1);
      }
    before = now;
  }
}
} // namespace

void bench::prepareHalo() { buildGraph(); }
void bench::releaseHalo() { flow.reset(); }
void bench::runHalo() { executor->run(*flow).wait(); }
void bench::instantiateHalo() { buildGraph(); }

int main() {
  executor = std::make_unique<tf::Executor>(size_t(benchThreads()));
  int status = serveHalo();
  executor.reset();
  return status;
}
