//===- taskflow.cpp - The circuit as a graph of Taskflow ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two tasks per piece and step, after those of the pieces that it touches. The
// graph is built once and run many times; the row "circuit-instantiate" times
// the building.
//
//===----------------------------------------------------------------------===//

#include "circuit.h"

#include <taskflow/taskflow.hpp>

#include <memory>
#include <optional>

using namespace bench;

namespace {
std::unique_ptr<tf::Executor> executor;
std::optional<tf::Taskflow> tasks;

/// The flows of a piece read the voltages of the nodes that its wires touch;
/// gathering reads the currents of the wires that touch a piece's nodes. Who
/// writes waits for those who read before.
void buildGraph() {
  tasks.emplace();
  const size_t pieces = size_t(simulation.circuit.numPieces);
  std::vector<tf::Task> flows(pieces), gathers;
  for (int64_t step = 0; step < simulation.steps; ++step) {
    for (size_t piece = 0; piece < pieces; ++piece) {
      flows[piece] =
          tasks->emplace([piece] { simulation.flowsOfPiece(int64_t(piece)); });
      for (int64_t other : simulation.nodesOf[piece])
        if (!gathers.empty())
          gathers[size_t(other)].precede(flows[piece]);
    }
    gathers.resize(pieces);
    for (size_t piece = 0; piece < pieces; ++piece) {
      gathers[piece] =
          tasks->emplace([piece] { simulation.gatherOfPiece(int64_t(piece)); });
      for (int64_t other : simulation.wiresOf[piece])
        flows[size_t(other)].precede(gathers[piece]);
    }
  }
}
} // namespace

void bench::prepareCircuit() { buildGraph(); }
void bench::releaseCircuit() { tasks.reset(); }
void bench::runCircuit() { executor->run(*tasks).wait(); }
void bench::instantiateCircuit() { buildGraph(); }

int main() {
  executor = std::make_unique<tf::Executor>(size_t(benchThreads()));
  int status = serveCircuit();
  executor.reset();
  return status;
}
