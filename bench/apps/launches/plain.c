//===- plain.c - Many small steps in plain loops --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parallel loop a step.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void run(void) {
  float *values = data;
  for (long step = 0; step < steps; ++step) {
    const float shift = shiftOf(step);
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < length; ++i)
      values[i] = nextValue(values[i], shift);
  }
}

int main(void) { return appServe(); }
