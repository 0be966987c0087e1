//===- serial.cpp - The circuit in plain loops ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time without any runtime, to which the others are compared.
//
//===----------------------------------------------------------------------===//

#include "circuit.h"

using namespace bench;

void bench::prepareCircuit() {}
void bench::releaseCircuit() {}

void bench::runCircuit() {
  Simulation &s = simulation;
  const Circuit &c = s.circuit;
  for (int64_t step = 0; step < s.steps; ++step) {
    s.flows(0, c.numWires);
    for (int64_t w = 0; w < c.numWires; ++w) {
      s.charge[c.in[w]] -= stepTime * s.current[w][0];
      s.charge[c.out[w]] += stepTime * s.current[w][3];
    }
    for (int64_t n = 0; n < c.numNodes; ++n) {
      s.voltage[n] =
          settle(s.voltage[n], s.charge[n], c.nodeCapacitance[n], c.leakage[n]);
      s.charge[n] = 0;
    }
  }
}

void bench::instantiateCircuit() {}

int main() { return serveCircuit(); }
