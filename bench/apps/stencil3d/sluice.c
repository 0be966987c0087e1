//===- sluice.c - A 7-point stencil in space in HPVM-C --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch a sweep, an instance a point inside.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void pointLeaf(float *source, size_t sourceBytes, float *sink, size_t sinkBytes,
               long row, long plane) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, source, 1, sink);
  void *self = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(self) + 1;
  long y = __hpvm__getNodeInstanceID_y(self) + 1;
  long z = __hpvm__getNodeInstanceID_z(self) + 1;
  long i = z * plane + y * row + x;
  sink[i] = stencilPoint(source, i, row, plane);
}

void sweepRoot(float *source, size_t sourceBytes, float *sink, size_t sinkBytes,
               long row, long plane, size_t inner) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, source, 1, sink);
  void *point = __hpvm__createNodeND(3, pointLeaf, inner, inner, inner);
  __hpvm__bindIn(point, 0, 0, 0);
  __hpvm__bindIn(point, 1, 1, 0);
  __hpvm__bindIn(point, 2, 2, 0);
  __hpvm__bindIn(point, 3, 3, 0);
  __hpvm__bindIn(point, 4, 4, 0);
  __hpvm__bindIn(point, 5, 5, 0);
}

typedef struct __attribute__((__packed__)) {
  float *source;
  size_t sourceBytes;
  float *sink;
  size_t sinkBytes;
  long row, plane;
  size_t inner;
} Arguments;

static void sweep(float *source, float *sink) {
  size_t bytes = sizeof(float) * side * side * side;
  Arguments arguments = {source, bytes,       sink,    bytes,
                         side,   side * side, side - 2};
  __hpvm__wait(__hpvm__launch(0, sweepRoot, &arguments));
}

static void run(void) {
  for (long i = 0; i < sweeps; i += 2) {
    sweep(from, to);
    sweep(to, from);
  }
  llvm_hpvm_request_mem(from, sizeof(float) * side * side * side);
}

int main(void) { return appServeGraphs(); }
