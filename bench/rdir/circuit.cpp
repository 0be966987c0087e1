//===- circuit.cpp - The tasks of circuit.mlir ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks are in circuit-tasks.h; the peers use the same formulas.
//
//===----------------------------------------------------------------------===//

#include "circuit.h"
#include "circuit-tasks.h"
#include "serve.h"

#include <cstring>

int32_t serve(const SluiceTask *, double *voltage, double *charge,
              double *nodeCapacitance, double *leakage, const SluiceDomain *,
              int64_t *in, int64_t *out, int8_t *inBorder, int8_t *outBorder,
              double *resistance, double *inductance, double *capacitance,
              double (*current)[4], double (*inner)[3], const SluiceDomain *,
              int32_t, int64_t steps) {
  static Server server;
  const Circuit &c = circuit();
  auto reset = [&] {
    std::copy(c.start.begin(), c.start.end(), voltage);
    std::fill_n(charge, c.numNodes, 0.0);
    std::copy(c.nodeCapacitance.begin(), c.nodeCapacitance.end(),
              nodeCapacitance);
    std::copy(c.leakage.begin(), c.leakage.end(), leakage);
    std::copy(c.in.begin(), c.in.end(), in);
    std::copy(c.out.begin(), c.out.end(), out);
    for (int64_t w = 0; w < c.numWires; ++w) {
      inBorder[w] = c.isShared[c.in[w]];
      outBorder[w] = c.isShared[c.out[w]];
    }
    std::copy(c.resistance.begin(), c.resistance.end(), resistance);
    std::copy(c.inductance.begin(), c.inductance.end(), inductance);
    std::copy(c.capacitance.begin(), c.capacitance.end(), capacitance);
    std::memset(current, 0, c.numWires * sizeof(*current));
    std::memset(inner, 0, c.numWires * sizeof(*inner));
  };
  return server.serve(reset, [&] { return verify(c, voltage, steps); });
}
