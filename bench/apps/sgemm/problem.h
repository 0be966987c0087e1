//===- problem.h - The product of two matrices -------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// c = a b, row-major, of small whole numbers: sums are exact in any order.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_SGEMM_H
#define SLUICE_BENCH_SGEMM_H

#include "../app.h"

static long side;
static float *a, *b, *c, *expected;

static void reset(void) { memset(c, 0, sizeof(float) * (size_t)(side * side)); }

static void allocate(void) {
  side = appNumber(1);
  const long cells = side * side;
  a = appFloats(cells);
  b = appFloats(cells);
  c = appFloats(cells);
  expected = (float *)appOracle(sizeof(float) * (size_t)cells);
  for (long i = 0; i < cells; ++i) {
    a[i] = (float)(appRandom() % 9) - 4;
    b[i] = (float)(appRandom() % 11) - 5;
  }
  for (long row = 0; row < side; ++row)
    for (long k = 0; k < side; ++k)
      for (long column = 0; column < side; ++column)
        expected[row * side + column] +=
            a[row * side + k] * b[k * side + column];
}

static const char *verify(void) {
  return appSameFloats("c", expected, c, side * side, 0);
}

#endif // SLUICE_BENCH_SGEMM_H
