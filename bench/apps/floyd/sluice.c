//===- sluice.c - Shortest paths between all pairs in HPVM-C --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch a step, an instance a pair. The guard leaves row and column k alone.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void pairLeaf(int *distance, size_t distanceBytes, long count, long k) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, distance, 1, distance);
  void *self = __hpvm__getNode();
  long j = __hpvm__getNodeInstanceID_x(self);
  long i = __hpvm__getNodeInstanceID_y(self);
  if (i == k || j == k)
    return;
  int through = distance[i * count + k] + distance[k * count + j];
  if (through < distance[i * count + j])
    distance[i * count + j] = through;
}

void stepRoot(int *distance, size_t distanceBytes, long count, long k) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, distance, 1, distance);
  void *pair = __hpvm__createNodeND(2, pairLeaf, count, count);
  __hpvm__bindIn(pair, 0, 0, 0);
  __hpvm__bindIn(pair, 1, 1, 0);
  __hpvm__bindIn(pair, 2, 2, 0);
  __hpvm__bindIn(pair, 3, 3, 0);
}

typedef struct __attribute__((__packed__)) {
  int *distance;
  size_t distanceBytes;
  long count, k;
} Arguments;

static void run(void) {
  llvm_hpvm_request_mem(distances, matrixBytes());
  memcpy(distances, start, matrixBytes());
  for (long k = 0; k < vertices; ++k) {
    Arguments arguments = {distances, matrixBytes(), vertices, k};
    __hpvm__wait(__hpvm__launch(0, stepRoot, &arguments));
  }
  llvm_hpvm_request_mem(distances, matrixBytes());
}

int main(void) { return appServeGraphs(); }
