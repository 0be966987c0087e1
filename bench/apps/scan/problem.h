//===- problem.h - Prefix sums -----------------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element i of the result is the sum of the elements 0 to i.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_SCAN_H
#define SLUICE_BENCH_SCAN_H

#include "../app.h"

static long length;
static int *input, *output, *expected;

static void reset(void) { memset(output, 0, sizeof(int) * (size_t)length); }

static void allocate(void) {
  length = appNumber(1);
  input = appInts(length);
  output = appInts(length);
  expected = (int *)appOracle(sizeof(int) * (size_t)length);
  int sum = 0;
  for (long i = 0; i < length; ++i) {
    input[i] = (int)(appRandom() % 64);
    expected[i] = sum += input[i];
  }
}

static const char *verify(void) {
  return appSameInts("output", expected, output, length);
}

#endif // SLUICE_BENCH_SCAN_H
