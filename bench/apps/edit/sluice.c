//===- sluice.c - The edit distance of two texts in HPVM-C ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch: an instance a tile, and both dimensions of the tiles are ordered.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void fill(int *cells, size_t cellsBytes, char *a, size_t aBytes, char *b,
          size_t bBytes, long width) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, cells, a, b, 1, cells);
  void *node = __hpvm__getNode();
  fillTile(cells, a, b, __hpvm__getNodeInstanceID_y(node),
           __hpvm__getNodeInstanceID_x(node), width);
}

void tilesOfTable(int *cells, size_t cellsBytes, char *a, size_t aBytes,
                  char *b, size_t bBytes, long width, size_t tiles) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, cells, a, b, 1, cells);
  void *node = __hpvm__createNodeND(2, fill, tiles, tiles);
  sluice_ordered(node, SLUICE_X | SLUICE_Y);
  for (unsigned i = 0; i < 7; ++i)
    __hpvm__bindIn(node, i, i, 0);
}

struct __attribute__((packed)) Arguments {
  int *cells;
  size_t cellsBytes;
  char *a;
  size_t aBytes;
  char *b;
  size_t bBytes;
  long width;
  size_t tiles;
};

static void run(void) {
  size_t bytes = sizeof(int) * (size_t)(stride * stride);
  struct Arguments arguments = {
      table,  bytes,          first,  (size_t)length,
      second, (size_t)length, stride, (size_t)(length / tile)};
  __hpvm__wait(__hpvm__launch(0, tilesOfTable, &arguments));
  llvm_hpvm_request_mem(table, bytes);
}

int main(void) { return appServeGraphs(); }
