//===- circuit.h - What the peers' circuits share ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A peer defines prepareCircuit, runCircuit and releaseCircuit; the row's name
// carries the sizes, "circuit:NODES:WIRES:PIECES:STEPS". Parallel programs do
// not add to charges: each node gathers from the wires that touch it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_PEERS_CIRCUIT_H
#define SLUICE_BENCH_RDIR_PEERS_CIRCUIT_H

#include "../../circuit.h"

namespace bench {

/// The circuit and its state, in the layout of the program over regions.
struct Simulation {
  Circuit circuit;
  int64_t steps = 0;
  double *voltage = nullptr, *charge = nullptr;
  double (*current)[4] = nullptr, (*inner)[3] = nullptr;
  /// Wires that touch node n: touching[first[n]] and on, twice their number,
  /// and 1 more if they end there.
  std::vector<int64_t> first, touching;
  /// Pieces whose nodes the wires of a piece touch, and the other way round.
  std::vector<std::vector<int64_t>> nodesOf, wiresOf;

  void flows(int64_t begin, int64_t end) {
    for (int64_t w = begin; w < end; ++w)
      flow(circuit.resistance[w], circuit.inductance[w], circuit.capacitance[w],
           voltage[circuit.in[w]], voltage[circuit.out[w]], current[w],
           inner[w]);
  }
  void gather(int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      double sum = 0;
      for (int64_t i = first[n]; i < first[n + 1]; ++i) {
        int64_t wire = touching[i] / 2;
        sum += touching[i] % 2 ? stepTime * current[wire][3]
                               : -stepTime * current[wire][0];
      }
      voltage[n] = settle(voltage[n], sum, circuit.nodeCapacitance[n],
                          circuit.leakage[n]);
    }
  }
  void flowsOfPiece(int64_t piece) {
    flows(circuit.firstWire(piece), circuit.firstWire(piece + 1));
  }
  void gatherOfPiece(int64_t piece) {
    gather(circuit.firstNode(piece), circuit.firstNode(piece + 1));
  }
  void reset() {
    std::copy(circuit.start.begin(), circuit.start.end(), voltage);
    std::fill_n(charge, circuit.numNodes, 0.0);
    memset(current, 0, circuit.numWires * sizeof(*current));
    memset(inner, 0, circuit.numWires * sizeof(*inner));
  }
  void findTouching() {
    first.assign(circuit.numNodes + 1, 0);
    for (int64_t w = 0; w < circuit.numWires; ++w) {
      ++first[circuit.in[w] + 1];
      ++first[circuit.out[w] + 1];
    }
    for (int64_t n = 0; n < circuit.numNodes; ++n)
      first[n + 1] += first[n];
    std::vector<int64_t> next = first;
    touching.resize(2 * circuit.numWires);
    for (int64_t w = 0; w < circuit.numWires; ++w) {
      touching[next[circuit.in[w]]++] = 2 * w;
      touching[next[circuit.out[w]]++] = 2 * w + 1;
    }
  }
  void findNeighbours() {
    nodesOf.assign(circuit.numPieces, {});
    wiresOf.assign(circuit.numPieces, {});
    for (int64_t p = 0; p < circuit.numPieces; ++p) {
      std::vector<char> isTouched(circuit.numPieces);
      isTouched[p] = 1;
      for (int64_t w = circuit.firstWire(p); w < circuit.firstWire(p + 1); ++w)
        isTouched[circuit.pieceOfNode(circuit.out[w])] = 1;
      for (int64_t q = 0; q < circuit.numPieces; ++q)
        if (isTouched[q]) {
          nodesOf[p].push_back(q);
          wiresOf[q].push_back(p);
        }
    }
  }
};

inline Simulation simulation;

void prepareCircuit();
/// Simulates `steps` steps.
void runCircuit();
void releaseCircuit();
/// Builds the graph of the tasks anew, where a program keeps one.
void instantiateCircuit();

template <typename T> T *allocateArray(int64_t count) {
  return static_cast<T *>(benchAllocate(count * sizeof(T)));
}

inline void allocateCircuit() {
  long long nodes = 0, wires = 0, pieces = 0, steps = 0;
  if (sscanf(benchParameters, "%lld:%lld:%lld:%lld", &nodes, &wires, &pieces,
             &steps) != 4) {
    fprintf(stderr, "expected circuit:NODES:WIRES:PIECES:STEPS\n");
    exit(1);
  }
  simulation.circuit = Circuit(nodes, wires, pieces);
  simulation.steps = steps;
  simulation.voltage = allocateArray<double>(nodes);
  simulation.charge = allocateArray<double>(nodes);
  simulation.current = allocateArray<double[4]>(wires);
  simulation.inner = allocateArray<double[3]>(wires);
  simulation.findTouching();
  simulation.findNeighbours();
  prepareCircuit();
}

inline void freeCircuit() {
  releaseCircuit();
  free(simulation.voltage);
  free(simulation.charge);
  free(simulation.current);
  free(simulation.inner);
}

inline int serveCircuit() {
  const BenchRow rows[] = {
      {"circuit", 1, 1, allocateCircuit, [] { simulation.reset(); }, runCircuit,
       [] {
         return verify(simulation.circuit, simulation.voltage,
                       simulation.steps);
       },
       freeCircuit, 0, nullptr},
      {"circuit-instantiate", 1, 20, allocateCircuit, [] {}, instantiateCircuit,
       []() -> const char * {
         simulation.reset();
         runCircuit();
         return verify(simulation.circuit, simulation.voltage,
                       simulation.steps);
       },
       freeCircuit, 0, nullptr}};
  return benchServe(rows, 2);
}

} // namespace bench

#endif // SLUICE_BENCH_RDIR_PEERS_CIRCUIT_H
