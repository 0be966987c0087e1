//===- sluice.c - The heat of a chip in HPVM-C ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch a step, an instance a cell.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void cellLeaf(float *from, size_t fromBytes, float *watts, size_t wattsBytes,
              float *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, watts, 1, to);
  void *self = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(self);
  long y = __hpvm__getNodeInstanceID_y(self);
  long columns = __hpvm__getNumNodeInstances_x(self);
  long rows = __hpvm__getNumNodeInstances_y(self);
  to[y * columns + x] = nextTemperature(from, watts, x, y, columns, rows);
}

void stepRoot(float *from, size_t fromBytes, float *watts, size_t wattsBytes,
              float *to, size_t toBytes, size_t columns, size_t rows) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, watts, 1, to);
  void *cell = __hpvm__createNodeND(2, cellLeaf, columns, rows);
  __hpvm__bindIn(cell, 0, 0, 0);
  __hpvm__bindIn(cell, 1, 1, 0);
  __hpvm__bindIn(cell, 2, 2, 0);
  __hpvm__bindIn(cell, 3, 3, 0);
  __hpvm__bindIn(cell, 4, 4, 0);
  __hpvm__bindIn(cell, 5, 5, 0);
}

typedef struct __attribute__((__packed__)) {
  float *from;
  size_t fromBytes;
  float *watts;
  size_t wattsBytes;
  float *to;
  size_t toBytes;
  size_t columns, rows;
} Arguments;

static void step(float *from, float *to) {
  Arguments arguments = {from, gridBytes(), power, gridBytes(),
                         to,   gridBytes(), width, height};
  __hpvm__wait(__hpvm__launch(0, stepRoot, &arguments));
}

static void run(void) {
  for (long i = 0; i < steps; i += 2) {
    step(heat, nextHeat);
    step(nextHeat, heat);
  }
  llvm_hpvm_request_mem(heat, gridBytes());
}

int main(void) { return appServeGraphs(); }
