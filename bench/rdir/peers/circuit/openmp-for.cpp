//===- openmp-for.cpp - The circuit in parallel loops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One parallel region; threads keep their wires and nodes, with a barrier after
// each loop.
//
//===----------------------------------------------------------------------===//

#include "circuit.h"

using namespace bench;

void bench::prepareCircuit() {}
void bench::releaseCircuit() {}

void bench::runCircuit() {
  int64_t numPieces = simulation.circuit.numPieces;
#pragma omp parallel
  for (int64_t step = 0; step < simulation.steps; ++step) {
#pragma omp for schedule(static)
    for (int64_t piece = 0; piece < numPieces; ++piece)
      simulation.flowsOfPiece(piece);
#pragma omp for schedule(static)
    for (int64_t piece = 0; piece < numPieces; ++piece)
      simulation.gatherOfPiece(piece);
  }
}

void bench::instantiateCircuit() {}

int main() { return serveCircuit(); }
