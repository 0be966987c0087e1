//===- sluice.cpp - A fluid on a lattice in Hetero-C++ --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch a step, an instance a cell.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#include <hetero.h>

void step(float *from, size_t fromBytes, float *to, size_t toBytes, int *wall,
          size_t wallBytes, long columns, long rows) {
  void *section = __hetero_section_begin();
  for (long y = 1; y < rows - 1; ++y)
    for (long x = 0; x < columns; ++x) {
      __hetero_parallel_loop(2, 5, from, fromBytes, to, toBytes, wall,
                             wallBytes, columns, rows, 1, to, toBytes);
      stepCell(from, to, wall, x, y, columns, rows);
    }
  __hetero_section_end(section);
}

static void launchStep(float *from, float *to) {
  size_t wallBytes = sizeof(int) * width * height;
  __hetero_wait(__hetero_launch((void *)step, 5, from, flowBytes(), to,
                                flowBytes(), solid, wallBytes, width, height, 1,
                                to, flowBytes()));
}

static void run() {
  for (long i = 0; i < steps; i += 2) {
    launchStep(flow, nextFlow);
    launchStep(nextFlow, flow);
  }
}

int main() { return appServe(); }
