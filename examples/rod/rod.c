//===- rod.c - The tasks of a rod that is hot at one end ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heat spreads. The host task compares the rod with what plain code
// computes.
//
//===----------------------------------------------------------------------===//

#include "rod.rdir.h"

#include <stdio.h>
#include <stdlib.h>

enum { length = 64, steps = 1000 };

static double spreadAt(const double *now, int64_t i) {
  return (now[i - 1] + 2 * now[i] + now[i + 1]) / 4;
}

void heat(const SluiceTask *task, double *now, double *next,
          const SluiceDomain *piece) {
  for (int64_t i = piece->lower[0]; i < piece->upper[0]; ++i)
    now[i] = next[i] = i == 0 ? 100 : 0;
}

void spread(const SluiceTask *task, const double *now,
            const SluiceDomain *wider, double *next,
            const SluiceDomain *piece) {
  for (int64_t i = piece->lower[0]; i < piece->upper[0]; ++i)
    if (i > wider->lower[0] && i + 1 < wider->upper[0])
      next[i] = spreadAt(now, i);
}

void print(const SluiceTask *task, const double *now, const double *next,
           const SluiceDomain *rod) {
  double expected[length] = {100}, before[length];
  for (int step = 0; step < steps; ++step) {
    for (int64_t i = 0; i < length; ++i)
      before[i] = expected[i];
    for (int64_t i = 1; i + 1 < length; ++i)
      expected[i] = spreadAt(before, i);
  }
  for (int64_t i = 0; i < length; ++i)
    if (now[i] != expected[i]) {
      fprintf(stderr, "element %d is %g, not %g\n", (int)i, now[i],
              expected[i]);
      exit(1);
    }
  for (int64_t i = 0; i < length; i += 9)
    printf("%.3f ", now[i]);
  printf("\nrod: ok\n");
}
