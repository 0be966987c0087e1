//===- plain.c - The heat of a chip in plain loops ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One region around all steps; the first and the last cell of a row are by
// themselves, so that the loop between them has no branches.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static inline void stepRow(const float *restrict from, float *restrict to,
                           long y) {
  const float *restrict watts = power;
  const long north = y > 0 ? -width : 0, south = y < height - 1 ? width : 0;
  to[y * width] = nextTemperature(from, watts, 0, y, width, height);
  for (long i = y * width + 1; i < (y + 1) * width - 1; ++i) {
    float here = from[i];
    to[i] = here + 0.1f * watts[i] +
            0.2f * (from[i + north] + from[i + south] - 2 * here) +
            0.15f * (from[i - 1] + from[i + 1] - 2 * here) +
            0.01f * (80.0f - here);
  }
  to[(y + 1) * width - 1] =
      nextTemperature(from, watts, width - 1, y, width, height);
}

static void run(void) {
#pragma omp parallel
  for (long step = 0; step < steps; ++step) {
    const float *from = step % 2 ? nextHeat : heat;
    float *to = step % 2 ? heat : nextHeat;
#pragma omp for schedule(static)
    for (long y = 0; y < height; ++y)
      stepRow(from, to, y);
  }
}

int main(void) { return appServe(); }
