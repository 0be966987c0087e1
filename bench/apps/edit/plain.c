//===- plain.c - The edit distance of two texts in plain loops ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One region; the tiles of an anti-diagonal are divided among the threads.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void run(void) {
  const long tiles = length / tile;
#pragma omp parallel
  for (long d = 0; d < 2 * tiles - 1; ++d) {
    const long row = firstRow(d, tiles), count = tilesOf(d, tiles);
#pragma omp for schedule(static)
    for (long t = 0; t < count; ++t)
      fillTile(table, first, second, row + t, d - row - t, stride);
  }
}

int main(void) { return appServe(); }
