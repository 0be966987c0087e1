//===- plain.c - A 7-point stencil in space in plain loops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One region around all sweeps; planes are divided among the threads.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void run(void) {
  const long row = side, plane = side * side;
#pragma omp parallel
  for (long i = 0; i < sweeps; ++i) {
    const float *restrict source = i % 2 ? to : from;
    float *restrict sink = i % 2 ? from : to;
#pragma omp for schedule(static)
    for (long z = 1; z < side - 1; ++z)
      for (long y = 1; y < side - 1; ++y)
        for (long x = 1; x < side - 1; ++x) {
          long at = z * plane + y * row + x;
          sink[at] = stencilPoint(source, at, row, plane);
        }
  }
}

int main(void) { return appServe(); }
