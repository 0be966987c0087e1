//===- sluice.c - A histogram in HPVM-C -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance a value, which adds to its bin.
//
//===----------------------------------------------------------------------===//

#include "../tracked.h"

#include "problem.h"

void countLeaf(uint8_t *value, size_t valueBytes, int *count,
               size_t countBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, value, count, 1, count);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  __hpvm__atomic_add(&count[value[i]], 1);
}

void histogramRoot(uint8_t *value, size_t valueBytes, int *count,
                   size_t countBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, value, count, 1, count);
  void *node = __hpvm__createNodeND(1, countLeaf, valueBytes);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

typedef struct __attribute__((__packed__)) {
  uint8_t *value;
  size_t valueBytes;
  int *count;
  size_t countBytes;
} Arguments;

static void run(void) {
  llvm_hpvm_request_mem(bins, sizeof(int) * numBins);
  memset(bins, 0, sizeof(int) * numBins);
  Arguments arguments = {input, length, bins, sizeof(int) * numBins};
  __hpvm__wait(__hpvm__launch(0, histogramRoot, &arguments));
  llvm_hpvm_request_mem(bins, sizeof(int) * numBins);
}

int main(void) { return appServeGraphs(); }
