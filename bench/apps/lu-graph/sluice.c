//===- sluice.c - The factorization A = L U by tiles in one launch --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance a tile, which does all of its work: it needs the tiles to its
// left and above it alone, so both dimensions are ordered.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void factorLeaf(double *a, size_t aBytes, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  void *node = __hpvm__getNode();
  long column = __hpvm__getNodeInstanceID_x(node);
  long row = __hpvm__getNodeInstanceID_y(node);
  long side = __hpvm__getNumNodeInstances_x(node), elements = size * size;
  double *own = a + (row * side + column) * elements;
  long steps = row < column ? row : column;
  for (long k = 0; k < steps; ++k)
    subtractProduct(own, a + (row * side + k) * elements,
                    a + (k * side + column) * elements, size);
  if (row == column)
    factorTile(own, size);
  else if (row < column)
    solveLower(own, a + (row * side + row) * elements, size);
  else
    solveUpper(own, a + (column * side + column) * elements, size);
}

void factorRoot(double *a, size_t aBytes, long size, size_t side) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  void *node = __hpvm__createNodeND(2, factorLeaf, side, side);
  sluice_ordered(node, SLUICE_X | SLUICE_Y);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
}

typedef struct __attribute__((__packed__)) {
  double *a;
  size_t aBytes;
  long size;
  size_t side;
} Arguments;

static void run(void) {
  llvm_hpvm_request_mem(matrix, matrixBytes());
  copyOriginal();
  Arguments arguments = {matrix, matrixBytes(), tileSize, (size_t)tiles};
  __hpvm__wait(__hpvm__launch(0, factorRoot, &arguments));
  llvm_hpvm_request_mem(matrix, matrixBytes());
}

int main(void) { return appServeGraphs(); }
