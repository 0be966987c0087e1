//===- problem.h - A histogram -----------------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often each of 256 values occurs, as in Parboil; the middle ones occur
// most often.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_HISTOGRAM_H
#define SLUICE_BENCH_HISTOGRAM_H

#include "../app.h"

enum { numBins = 256 };
static long length;
static uint8_t *input;
static int *bins, *expected;

static void reset(void) { memset(bins, 0, sizeof(int) * numBins); }

static void allocate(void) {
  length = appNumber(1);
  input = (uint8_t *)appArray((size_t)length);
  bins = appInts(numBins);
  expected = (int *)appOracle(sizeof(int) * numBins);
  for (long i = 0; i < length; ++i) {
    input[i] = (uint8_t)(appRandom() % 128 + appRandom() % 128);
    ++expected[input[i]];
  }
}

static const char *verify(void) {
  return appSameInts("bin", expected, bins, numBins);
}

#endif // SLUICE_BENCH_HISTOGRAM_H
