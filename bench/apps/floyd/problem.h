//===- problem.h - Shortest paths between all pairs --------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm of Floyd and Warshall, in place: step k allows paths through
// vertex k. Its row and its column do not change in step k.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_FLOYD_H
#define SLUICE_BENCH_FLOYD_H

#include "../app.h"

static long vertices;
static int *distances, *start, *expected;

static size_t matrixBytes(void) {
  return sizeof(int) * (size_t)(vertices * vertices);
}

static void reset(void) { memcpy(distances, start, matrixBytes()); }

static void allocate(void) {
  vertices = appNumber(1);
  distances = appInts(vertices * vertices);
  start = (int *)appOracle(matrixBytes());
  expected = (int *)appOracle(matrixBytes());
  for (long i = 0; i < vertices; ++i)
    for (long j = 0; j < vertices; ++j)
      start[i * vertices + j] = i == j ? 0
                                : appRandom() % 8 == 0
                                    ? 1 + (int)(appRandom() % 100)
                                    : 1000000;
  memcpy(expected, start, matrixBytes());
  for (long k = 0; k < vertices; ++k)
    for (long i = 0; i < vertices; ++i)
      for (long j = 0; j < vertices; ++j) {
        int through = expected[i * vertices + k] + expected[k * vertices + j];
        if (through < expected[i * vertices + j])
          expected[i * vertices + j] = through;
      }
}

static const char *verify(void) {
  return appSameInts("distance", expected, distances, vertices * vertices);
}

#endif // SLUICE_BENCH_FLOYD_H
