//===- sluice.c - The product of two matrices in HPVM-C -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance an element, as whoever begins writes it: no blocks, no groups.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void elementLeaf(float *left, size_t leftBytes, float *right, size_t rightBytes,
                 float *product, size_t productBytes, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, left, right, 1, product);
  void *self = __hpvm__getNode();
  long column = __hpvm__getNodeInstanceID_x(self);
  long row = __hpvm__getNodeInstanceID_y(self);
  float sum = 0;
  for (long k = 0; k < size; ++k)
    sum += left[row * size + k] * right[k * size + column];
  product[row * size + column] = sum;
}

void productRoot(float *left, size_t leftBytes, float *right, size_t rightBytes,
                 float *product, size_t productBytes, long size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, left, right, 1, product);
  void *element = __hpvm__createNodeND(2, elementLeaf, size, size);
  __hpvm__bindIn(element, 0, 0, 0);
  __hpvm__bindIn(element, 1, 1, 0);
  __hpvm__bindIn(element, 2, 2, 0);
  __hpvm__bindIn(element, 3, 3, 0);
  __hpvm__bindIn(element, 4, 4, 0);
  __hpvm__bindIn(element, 5, 5, 0);
  __hpvm__bindIn(element, 6, 6, 0);
}

typedef struct __attribute__((__packed__)) {
  float *left;
  size_t leftBytes;
  float *right;
  size_t rightBytes;
  float *product;
  size_t productBytes;
  long size;
} Arguments;

static void run(void) {
  size_t bytes = sizeof(float) * side * side;
  Arguments arguments = {a, bytes, b, bytes, c, bytes, side};
  __hpvm__wait(__hpvm__launch(0, productRoot, &arguments));
  llvm_hpvm_request_mem(c, bytes);
}

int main(void) { return appServeGraphs(); }
