//===- problem.h - A 7-point stencil in space --------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sweeps over a cube, as in Parboil; its border stays as it is. Every number
// is a sum times one weight, so nothing can be contracted and bits agree.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_STENCIL3D_H
#define SLUICE_BENCH_STENCIL3D_H

#include "../app.h"

static long side, sweeps;
static float *from, *to, *expected, *scratch;

static inline float stencilPoint(const float *cube, long i, long row,
                                 long plane) {
  return 0.125f * (cube[i] + cube[i - 1] + cube[i + 1] + cube[i - row] +
                   cube[i + row] + cube[i - plane] + cube[i + plane]);
}

static void fill(float *cube) {
  for (long i = 0; i < side * side * side; ++i)
    cube[i] = (float)(i % 19);
}

static void reset(void) {
  fill(from);
  fill(to);
}

static void sweepSerial(const float *restrict source, float *restrict sink) {
  for (long z = 1; z < side - 1; ++z)
    for (long y = 1; y < side - 1; ++y)
      for (long x = 1; x < side - 1; ++x) {
        long i = (z * side + y) * side + x;
        sink[i] = stencilPoint(source, i, side, side * side);
      }
}

/// An even number of sweeps: the result is in `from`.
static void allocate(void) {
  side = appNumber(1);
  sweeps = appNumber(2);
  const long cells = side * side * side;
  from = appFloats(cells);
  to = appFloats(cells);
  expected = (float *)appOracle(sizeof(float) * (size_t)cells);
  scratch = (float *)appOracle(sizeof(float) * (size_t)cells);
  fill(expected);
  fill(scratch);
  for (long sweep = 0; sweep < sweeps; sweep += 2) {
    sweepSerial(expected, scratch);
    sweepSerial(scratch, expected);
  }
}

static const char *verify(void) {
  return appSameFloats("cube", expected, from, side * side * side, 0);
}

#endif // SLUICE_BENCH_STENCIL3D_H
