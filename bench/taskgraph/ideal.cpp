//===- ideal.cpp - The kernels of a grid without dependences --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What efficiency refers to: one thread runs all kernels in a loop, and the
// fastest repetition, divided by the number of threads that a grid can use, is
// the time that nobody can beat. No other thread takes part, so nothing that
// else happens on the machine makes this time longer and others look better.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

using namespace bench;

namespace {

uint32_t width;

double measureFastest() {
  constexpr int repetitions = 5;
  double fastest = 0;
  for (int i = 0; i < repetitions; ++i) {
    double start = benchSeconds();
    runGraph();
    double seconds = benchSeconds() - start;
    if (i == 0 || seconds < fastest)
      fastest = seconds;
  }
  const uint32_t threads = static_cast<uint32_t>(benchThreads());
  return fastest / graph.size() / std::min(threads, width);
}

} // namespace

void bench::prepareGraph() {
  width = readGrid().width;
  checksWhenTimed = false;
}

/// In the order of the table, which is a topological one.
void bench::runGraph() {
  for (uint32_t node = 0; node < graph.size(); ++node)
    runTask(node);
}

void bench::releaseGraph() {}

int main() {
  measureGrid = measureFastest;
  return serveRows(1);
}
