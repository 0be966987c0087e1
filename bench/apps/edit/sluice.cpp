//===- sluice.cpp - The edit distance of two texts in Hetero-C++ ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch an anti-diagonal, an instance a tile.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#include <hetero.h>

void diagonal(int *cells, size_t cellsBytes, char *a, size_t aBytes, char *b,
              size_t bBytes, long width, long d, long row, long count) {
  void *section = __hetero_section_begin();
  for (long t = 0; t < count; ++t) {
    __hetero_parallel_loop(1, 7, cells, cellsBytes, a, aBytes, b, bBytes, width,
                           d, row, count, 1, cells, cellsBytes);
    fillTile(cells, a, b, row + t, d - row - t, width);
  }
  __hetero_section_end(section);
}

static void run() {
  const long tiles = length / tile;
  const size_t bytes = sizeof(int) * stride * stride;
  for (long d = 0; d < 2 * tiles - 1; ++d)
    __hetero_wait(__hetero_launch(
        (void *)diagonal, 7, table, bytes, first, length, second, length,
        stride, d, firstRow(d, tiles), tilesOf(d, tiles), 1, table, bytes));
}

int main() { return appServe(); }
