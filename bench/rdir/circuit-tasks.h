//===- circuit-tasks.h - What the circuit's tasks compute -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colorings and tasks of the circuits of bench rdir and bench cluster, which
// differ in how they talk to the driver. Included once, after circuit.h,
// by the file that defines what else "circuit.rdir.h" declares.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_CIRCUIT_TASKS_H
#define SLUICE_BENCH_RDIR_CIRCUIT_TASKS_H

#include "circuit.rdir.h"

using namespace bench;

static const Circuit &circuit() {
  static const Circuit theCircuit(parameter_nodes, parameter_wires,
                                  parameter_pieces);
  return theCircuit;
}

template <typename Visit>
static void forEach(const SluiceDomain *domain, Visit visit) {
  if (!domain->runs)
    for (int64_t i = domain->lower[0]; i < domain->upper[0]; ++i)
      visit(i);
  for (int64_t r = 0; r < domain->numRuns; ++r)
    for (int64_t i = domain->runs[r].begin; i < domain->runs[r].end; ++i)
      visit(i);
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

static void addNodes(int64_t begin, int64_t end, bool isShared,
                     SluiceColoring *elements) {
  for (int64_t node = begin; node < end; ++node)
    if (bool(circuit().isShared[node]) == isShared)
      elements->add(elements, node, node + 1);
}

void sharingNodes(const int64_t *color, SluiceColoring *elements) {
  addNodes(0, circuit().numNodes, *color == 1, elements);
}
void privateNodes(const int64_t *color, SluiceColoring *elements) {
  addNodes(circuit().firstNode(*color), circuit().firstNode(*color + 1), false,
           elements);
}
void sharedNodes(const int64_t *color, SluiceColoring *elements) {
  addNodes(circuit().firstNode(*color), circuit().firstNode(*color + 1), true,
           elements);
}
void borderNodes(const int64_t *color, SluiceColoring *elements) {
  sharedNodes(color, elements);
  for (int64_t wire = circuit().firstWire(*color);
       wire < circuit().firstWire(*color + 1); ++wire)
    if (circuit().isShared[circuit().out[wire]])
      elements->add(elements, circuit().out[wire], circuit().out[wire] + 1);
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

void flows(const SluiceTask *, const int64_t *in, const int64_t *out,
           const int8_t *inBorder, const int8_t *outBorder,
           const double *resistance, const double *inductance,
           const double *capacitance, const SluiceDomain *wires,
           const double *privateVoltage, const SluiceDomain *,
           const double *borderVoltage, const SluiceDomain *,
           double (*current)[4], double (*inner)[3], const SluiceDomain *) {
  const double *voltage[] = {privateVoltage, borderVoltage};
  forEach(wires, [&](int64_t w) {
    flow(resistance[w], inductance[w], capacitance[w],
         voltage[inBorder[w]][in[w]], voltage[outBorder[w]][out[w]], current[w],
         inner[w]);
  });
}

void charges(const SluiceTask *, const int64_t *in, const int64_t *out,
             const int8_t *inBorder, const int8_t *outBorder, const double *,
             const double *, const double *, const SluiceDomain *wires,
             const double (*current)[4], const double (*)[3],
             const SluiceDomain *, double *privateCharge, const SluiceDomain *,
             double *borderCharge, const SluiceDomain *) {
  double *charge[] = {privateCharge, borderCharge};
  forEach(wires, [&](int64_t w) {
    charge[inBorder[w]][in[w]] -= stepTime * current[w][0];
    charge[outBorder[w]][out[w]] += stepTime * current[w][3];
  });
}

void voltages(const SluiceTask *, const double *capacitance,
              const double *leakage, const SluiceDomain *nodes, double *voltage,
              const SluiceDomain *, double *charge, const SluiceDomain *) {
  forEach(nodes, [&](int64_t n) {
    voltage[n] = settle(voltage[n], charge[n], capacitance[n], leakage[n]);
    charge[n] = 0;
  });
}

#endif // SLUICE_BENCH_RDIR_CIRCUIT_TASKS_H
