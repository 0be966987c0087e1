//===- sluice.c - Four blurs one after another in HPVM-C ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One graph of four nodes, an instance a pixel; each node reads the neighbours
// that the one before wrote, hence edges from all to all. Nobody looks at the
// pictures between.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void blurLeaf(float *from, size_t fromBytes, float *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, from, 1, to);
  void *self = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(self);
  long y = __hpvm__getNodeInstanceID_y(self);
  long columns = __hpvm__getNumNodeInstances_x(self);
  long rows = __hpvm__getNumNodeInstances_y(self);
  long above = y > 0 ? y - 1 : y, below = y < rows - 1 ? y + 1 : y;
  to[y * columns + x] = meanOfNine(from + above * columns, from + y * columns,
                                   from + below * columns, x, columns);
  __hpvm__return(1, toBytes);
}

void blursRoot(float *image, size_t imageBytes, float *a, size_t aBytes,
               float *b, size_t bBytes, float *c, size_t cBytes, float *blurred,
               size_t blurredBytes, size_t columns, size_t rows) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, image, a, b, c, 4, a, b, c, blurred);
  sluice_temporary(a);
  sluice_temporary(b);
  sluice_temporary(c);
  void *first = __hpvm__createNodeND(2, blurLeaf, columns, rows);
  void *second = __hpvm__createNodeND(2, blurLeaf, columns, rows);
  void *third = __hpvm__createNodeND(2, blurLeaf, columns, rows);
  void *fourth = __hpvm__createNodeND(2, blurLeaf, columns, rows);
  __hpvm__bindIn(first, 0, 0, 0);
  __hpvm__bindIn(first, 1, 1, 0);
  __hpvm__bindIn(first, 2, 2, 0);
  __hpvm__bindIn(first, 3, 3, 0);
  __hpvm__bindIn(second, 2, 0, 0);
  __hpvm__edge(first, second, 1, 0, 1, 0);
  __hpvm__bindIn(second, 4, 2, 0);
  __hpvm__bindIn(second, 5, 3, 0);
  __hpvm__bindIn(third, 4, 0, 0);
  __hpvm__edge(second, third, 1, 0, 1, 0);
  __hpvm__bindIn(third, 6, 2, 0);
  __hpvm__bindIn(third, 7, 3, 0);
  __hpvm__bindIn(fourth, 6, 0, 0);
  __hpvm__edge(third, fourth, 1, 0, 1, 0);
  __hpvm__bindIn(fourth, 8, 2, 0);
  __hpvm__bindIn(fourth, 9, 3, 0);
}

typedef struct __attribute__((__packed__)) {
  float *image;
  size_t imageBytes;
  float *a;
  size_t aBytes;
  float *b;
  size_t bBytes;
  float *c;
  size_t cBytes;
  float *blurred;
  size_t blurredBytes;
  size_t columns, rows;
} Arguments;

static void run(void) {
  size_t bytes = pictureBytes();
  Arguments arguments = {picture,    bytes, between[0], bytes,
                         between[1], bytes, between[2], bytes,
                         result,     bytes, width,      height};
  __hpvm__wait(__hpvm__launch(0, blursRoot, &arguments));
  llvm_hpvm_request_mem(result, bytes);
}

int main(void) { return appServeGraphs(); }
