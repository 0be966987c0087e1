//===- sluice.c - Sparse matrix times vector in HPVM-C --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance a row: neighbours have loops of different lengths.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void rowLeaf(int *starts, size_t startsBytes, int *column, size_t columnBytes,
             float *value, size_t valueBytes, float *factor, size_t factorBytes,
             float *product, size_t productBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, starts, column, value, factor, 1, product);
  long row = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  product[row] = rowProduct(starts, column, value, factor, row);
}

void productRoot(int *starts, size_t startsBytes, int *column,
                 size_t columnBytes, float *value, size_t valueBytes,
                 float *factor, size_t factorBytes, float *product,
                 size_t productBytes, size_t count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, starts, column, value, factor, 1, product);
  void *row = __hpvm__createNodeND(1, rowLeaf, count);
  __hpvm__bindIn(row, 0, 0, 0);
  __hpvm__bindIn(row, 1, 1, 0);
  __hpvm__bindIn(row, 2, 2, 0);
  __hpvm__bindIn(row, 3, 3, 0);
  __hpvm__bindIn(row, 4, 4, 0);
  __hpvm__bindIn(row, 5, 5, 0);
  __hpvm__bindIn(row, 6, 6, 0);
  __hpvm__bindIn(row, 7, 7, 0);
  __hpvm__bindIn(row, 8, 8, 0);
  __hpvm__bindIn(row, 9, 9, 0);
}

typedef struct __attribute__((__packed__)) {
  int *starts;
  size_t startsBytes;
  int *column;
  size_t columnBytes;
  float *value;
  size_t valueBytes;
  float *factor;
  size_t factorBytes;
  float *product;
  size_t productBytes;
  size_t count;
} Arguments;

static void run(void) {
  size_t bytes = sizeof(float) * numRows;
  Arguments arguments = {rowStarts, sizeof(int) * (numRows + 1),
                         columns,   sizeof(int) * numEntries,
                         values,    sizeof(float) * numEntries,
                         x,         bytes,
                         y,         bytes,
                         numRows};
  __hpvm__wait(__hpvm__launch(0, productRoot, &arguments));
  llvm_hpvm_request_mem(y, bytes);
}

int main(void) { return appServeGraphs(); }
