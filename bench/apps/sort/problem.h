//===- problem.h - Sorting numbers -------------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four passes of a radix sort, 8 bits each, over 32-bit numbers. The oracle is
// the library's qsort.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_SORT_H
#define SLUICE_BENCH_SORT_H

#include "../app.h"

enum { digits = 256, digitBits = 8, numPasses = 4 };
static long length;
static unsigned *input, *output, *spare, *expected;

static inline unsigned digitOf(unsigned key, int shift) {
  return key >> shift & (digits - 1);
}

static void reset(void) {
  memset(output, 0, sizeof(unsigned) * (size_t)length);
}

static int compareKeys(const void *left, const void *right) {
  unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
  return (a > b) - (a < b);
}

/// Pass p reads the input, or what the pass before wrote.
static inline unsigned *sourceOf(int pass) {
  return pass == 0 ? input : pass % 2 ? spare : output;
}
static inline unsigned *sinkOf(int pass) { return pass % 2 ? output : spare; }

static void allocate(void) {
  length = appNumber(1);
  const size_t bytes = sizeof(unsigned) * (size_t)length;
  input = (unsigned *)appArray(bytes);
  output = (unsigned *)appArray(bytes);
  spare = (unsigned *)appArray(bytes);
  expected = (unsigned *)appOracle(bytes);
  for (long i = 0; i < length; ++i)
    expected[i] = input[i] = appRandom() << 8 ^ appRandom();
  qsort(expected, (size_t)length, sizeof(unsigned), compareKeys);
}

static const char *verify(void) {
  return appSameInts("key", (const int *)expected, (const int *)output, length);
}

#endif // SLUICE_BENCH_SORT_H
