//===- openmp-depend.cpp - The circuit as OpenMP tasks --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two tasks per piece and step, after those of the pieces that it touches.
//
//===----------------------------------------------------------------------===//

#include "circuit.h"

using namespace bench;

namespace {
/// What dependences are declared on: one per piece.
std::vector<char> voltages, currents;

void submitFlows(int64_t piece) {
  const int64_t *list = simulation.nodesOf[piece].data();
  int64_t count = int64_t(simulation.nodesOf[piece].size());
  char *read = voltages.data(), *written = currents.data() + piece;
#pragma omp task firstprivate(piece) depend(iterator(int64_t k = 0             \
                                                     : count),                 \
                                            in                                 \
                                            : read[list[k]])                   \
    depend(inout                                                               \
           : *written)
  simulation.flowsOfPiece(piece);
}

void submitGather(int64_t piece) {
  const int64_t *list = simulation.wiresOf[piece].data();
  int64_t count = int64_t(simulation.wiresOf[piece].size());
  char *read = currents.data(), *written = voltages.data() + piece;
#pragma omp task firstprivate(piece) depend(iterator(int64_t k = 0             \
                                                     : count),                 \
                                            in                                 \
                                            : read[list[k]])                   \
    depend(inout                                                               \
           : *written)
  simulation.gatherOfPiece(piece);
}
} // namespace

void bench::prepareCircuit() {
  voltages.assign(simulation.circuit.numPieces, 0);
  currents.assign(simulation.circuit.numPieces, 0);
}
void bench::releaseCircuit() {}

void bench::runCircuit() {
  int64_t numPieces = simulation.circuit.numPieces;
#pragma omp parallel
#pragma omp single
  for (int64_t step = 0; step < simulation.steps; ++step) {
    for (int64_t piece = 0; piece < numPieces; ++piece)
      submitFlows(piece);
    for (int64_t piece = 0; piece < numPieces; ++piece)
      submitGather(piece);
  }
}

void bench::instantiateCircuit() {}

int main() { return serveCircuit(); }
