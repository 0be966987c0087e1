//===- circuit.h - The circuit that bench rdir measures ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, inputs and oracle of the rows "circuit", the same for every program:
// wires of four segments between nodes, numbered by piece; one wire in 16 ends
// in another piece.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_CIRCUIT_H
#define SLUICE_BENCH_RDIR_CIRCUIT_H

#include "../common/harness.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bench {

constexpr double stepTime = 1.0e-6;
constexpr int numParts = 16; // of a step

/// Currents of the segments and voltages between them, after a step.
inline void flow(double resistance, double inductance, double capacitance,
                 double in, double out, double (&current)[4],
                 double (&inner)[3]) {
  const double push = stepTime / numParts / inductance;
  const double fill = stepTime / numParts / capacitance;
  for (int part = 0; part < numParts; ++part) {
    const double before[5] = {in, inner[0], inner[1], inner[2], out};
    for (int i = 0; i < 4; ++i)
      current[i] +=
          push * (before[i] - before[i + 1] - resistance * current[i]);
    for (int i = 0; i < 3; ++i)
      inner[i] += fill * (current[i] - current[i + 1]);
  }
}

/// The voltage of a node that was given a charge.
inline double settle(double voltage, double charge, double capacitance,
                     double leakage) {
  return (voltage + charge / capacitance) * (1.0 - leakage);
}

/// What does not change.
struct Circuit {
  int64_t numNodes = 0, numWires = 0, numPieces = 0;
  std::vector<double> start, nodeCapacitance, leakage;
  std::vector<int64_t> in, out;
  std::vector<double> resistance, inductance, capacitance;
  /// A wire of another piece begins or ends there.
  std::vector<char> isShared;

  Circuit() = default;
  Circuit(int64_t nodes, int64_t wires, int64_t pieces)
      : numNodes(nodes), numWires(wires), numPieces(pieces), isShared(nodes) {
    for (int64_t node = 0; node < nodes; ++node) {
      start.push_back(2.0 * random() - 1.0);
      nodeCapacitance.push_back(1.0e-3 + 1.0e-3 * random());
      leakage.push_back(0.01 * random());
    }
    for (int64_t wire = 0; wire < wires; ++wire)
      addWire(pieceOfWire(wire));
  }
  int64_t firstNode(int64_t piece) const {
    return piece * numNodes / numPieces;
  }
  int64_t firstWire(int64_t piece) const {
    return piece * numWires / numPieces;
  }
  int64_t pieceOfNode(int64_t node) const {
    int64_t piece = node * numPieces / numNodes;
    while (node >= firstNode(piece + 1))
      ++piece;
    return piece;
  }
  int64_t pieceOfWire(int64_t wire) const {
    int64_t piece = wire * numPieces / numWires;
    while (wire >= firstWire(piece + 1))
      ++piece;
    return piece;
  }

private:
  uint64_t state = 2026;
  double random() { // from 0 up to 1
    state = state * 6364136223846793005u + 1442695040888963407u;
    return double(state >> 11) * 0x1p-53;
  }
  int64_t nodeOf(int64_t piece) {
    int64_t first = firstNode(piece);
    return first + int64_t(random() * double(firstNode(piece + 1) - first));
  }
  void addWire(int64_t piece) {
    in.push_back(nodeOf(piece));
    bool leaves = random() < 1.0 / 16;
    int64_t there = leaves ? int64_t(random() * double(numPieces)) : piece;
    out.push_back(nodeOf(there));
    if (there != piece)
      isShared[out.back()] = 1;
    resistance.push_back(1.0 + 10.0 * random());
    inductance.push_back(1.0e-6 + 1.0e-6 * random());
    capacitance.push_back(1.0e-7 + 1.0e-7 * random());
  }
};

/// What `steps` steps from the start give.
inline std::vector<double> voltagesAfter(const Circuit &circuit,
                                         int64_t steps) {
  struct Flow {
    double current[4] = {}, inner[3] = {};
  };
  std::vector<Flow> flows(circuit.numWires);
  std::vector<double> expected = circuit.start, charge(circuit.numNodes);
  for (int64_t step = 0; step < steps; ++step) {
    for (int64_t w = 0; w < circuit.numWires; ++w)
      flow(circuit.resistance[w], circuit.inductance[w], circuit.capacitance[w],
           expected[circuit.in[w]], expected[circuit.out[w]], flows[w].current,
           flows[w].inner);
    for (int64_t w = 0; w < circuit.numWires; ++w) {
      charge[circuit.in[w]] -= stepTime * flows[w].current[0];
      charge[circuit.out[w]] += stepTime * flows[w].current[3];
    }
    for (int64_t n = 0; n < circuit.numNodes; ++n) {
      expected[n] = settle(expected[n], charge[n], circuit.nodeCapacitance[n],
                           circuit.leakage[n]);
      charge[n] = 0;
    }
  }
  return expected;
}

/// Null if `voltage` is what `steps` steps from the start give. Charges of
/// several pieces may be summed in another order.
inline const char *verify(const Circuit &circuit, const double *voltage,
                          int64_t steps) {
  const std::vector<double> expected = voltagesAfter(circuit, steps);
  for (int64_t n = 0; n < circuit.numNodes; ++n)
    if (!(std::fabs(voltage[n] - expected[n]) <= 1e-9))
      return benchWrong("voltage", n, expected[n], voltage[n]);
  return nullptr;
}

} // namespace bench

#endif // SLUICE_BENCH_RDIR_CIRCUIT_H
