//===- circuit.cpp - The tasks of circuit.mlir ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas are those of bench/rdir and of the program by hand.
//
//===----------------------------------------------------------------------===//

#include "../rdir/circuit.h"
#include "../rdir/circuit-tasks.h"
#include "orders.h"

#include <cstring>

int32_t serve(const SluiceTask *, int32_t, double wrong) {
  return nextOrder(wrong, 1e-9);
}

static void resetNodesOf(const SluiceDomain *nodes, double *voltage,
                         double *charge) {
  forEach(nodes, [&](int64_t n) {
    voltage[n] = circuit().start[n];
    charge[n] = 0;
  });
}

static void resetWiresOf(const SluiceDomain *wires, double (*current)[4],
                         double (*inner)[3]) {
  forEach(wires, [&](int64_t w) {
    std::memset(current[w], 0, sizeof current[w]);
    std::memset(inner[w], 0, sizeof inner[w]);
  });
}

void startNodes(const SluiceTask *, double *voltage, double *charge,
                const SluiceDomain *nodes, double *capacitance, double *leakage,
                const SluiceDomain *) {
  resetNodesOf(nodes, voltage, charge);
  forEach(nodes, [&](int64_t n) {
    capacitance[n] = circuit().nodeCapacitance[n];
    leakage[n] = circuit().leakage[n];
  });
}

void startWires(const SluiceTask *, int64_t *in, int64_t *out, int8_t *inBorder,
                int8_t *outBorder, double *resistance, double *inductance,
                double *capacitance, const SluiceDomain *wires,
                double (*current)[4], double (*inner)[3],
                const SluiceDomain *) {
  const Circuit &c = circuit();
  resetWiresOf(wires, current, inner);
  forEach(wires, [&](int64_t w) {
    in[w] = c.in[w];
    out[w] = c.out[w];
    inBorder[w] = c.isShared[c.in[w]];
    outBorder[w] = c.isShared[c.out[w]];
    resistance[w] = c.resistance[w];
    inductance[w] = c.inductance[w];
    capacitance[w] = c.capacitance[w];
  });
}

void resetNodes(const SluiceTask *, double *voltage, double *charge,
                const SluiceDomain *nodes, int32_t order) {
  if (order == Check)
    resetNodesOf(nodes, voltage, charge);
}

void resetWires(const SluiceTask *, double (*current)[4], double (*inner)[3],
                const SluiceDomain *wires, int32_t order) {
  if (order == Check)
    resetWiresOf(wires, current, inner);
}

double compare(const SluiceTask *, const double *voltage,
               const SluiceDomain *nodes, int32_t order, int64_t steps) {
  if (order != Check)
    return 0;
  static const std::vector<double> expected = voltagesAfter(circuit(), steps);
  double most = 0;
  forEach(nodes, [&](int64_t n) {
    const double error = std::fabs(voltage[n] - expected[n]);
    most = error >= 0 ? std::max(most, error) : HUGE_VAL; // no number
  });
  return most;
}
