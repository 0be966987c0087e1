//===- problem.h - Many small launches ---------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short array that is scaled and shifted again and again: what one step
// costs beyond its work decides.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_LAUNCHES_H
#define SLUICE_BENCH_LAUNCHES_H

#include "../app.h"

static long length, steps;
static float *data, *expected;

/// Exact: numbers stay whole.
static inline float nextValue(float value, float shift) {
  return shift - value;
}

static inline float shiftOf(long step) { return (float)(step % 7); }

static void reset(void) {
  for (long i = 0; i < length; ++i)
    data[i] = (float)(i % 13);
}

static void allocate(void) {
  length = appNumber(1);
  steps = appNumber(2);
  data = appFloats(length);
  expected = (float *)appOracle(sizeof(float) * (size_t)length);
  for (long i = 0; i < length; ++i) {
    expected[i] = (float)(i % 13);
    for (long step = 0; step < steps; ++step)
      expected[i] = nextValue(expected[i], shiftOf(step));
  }
}

static const char *verify(void) {
  return appSameFloats("data", expected, data, length, 0);
}

#endif // SLUICE_BENCH_LAUNCHES_H
