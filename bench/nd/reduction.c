//===- reduction.c - Sum of 16 M integers ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every group adds its elements by a tree in local memory, with a barrier after
// each level, and its first instance adds the group's sum to the total.
//
//===----------------------------------------------------------------------===//

#include "extents.h"
#include "problems.h"

#include <hpvm.h>

#define GROUP(ARGUMENT) EXTENT(ARGUMENT, reductionGroup)

void allocatePart(size_t groupSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  size_t bytes = GROUP(groupSize) * sizeof(int);
  void *part = __hpvm__malloc(bytes);
  __hpvm__return(2, part, bytes);
}

void addTree(int *input, size_t bytesInput, int *sum, size_t bytesSum,
             size_t groupSize, int *part, size_t bytesPart) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, input, sum, part, 2, sum, part);
  void *node = __hpvm__getNode();
  void *group = __hpvm__getParentNode(node);
  long i = __hpvm__getNodeInstanceID_x(node);
  long size = GROUP(groupSize);
  part[i] = input[__hpvm__getNodeInstanceID_x(group) * size + i];
  __hpvm__barrier();
  for (long half = size / 2; half > 0; half /= 2) {
    if (i < half)
      part[i] += part[i + half];
    __hpvm__barrier();
  }
  if (i == 0)
    __hpvm__atomic_add(sum, part[0]);
}

void reductionGroupNode(int *input, size_t bytesInput, int *sum,
                        size_t bytesSum, size_t groupSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, input, sum, 1, sum);
  void *part = __hpvm__createNodeND(0, allocatePart);
  void *tree = __hpvm__createNodeND(1, addTree, GROUP(groupSize));
  __hpvm__bindIn(part, 4, 0, 0);
  __hpvm__bindIn(tree, 0, 0, 0);
  __hpvm__bindIn(tree, 1, 1, 0);
  __hpvm__bindIn(tree, 2, 2, 0);
  __hpvm__bindIn(tree, 3, 3, 0);
  __hpvm__bindIn(tree, 4, 4, 0);
  __hpvm__edge(part, tree, 1, 0, 5, 0);
  __hpvm__edge(part, tree, 1, 1, 6, 0);
}

void reductionRoot(int *input, size_t bytesInput, int *sum, size_t bytesSum,
                   size_t groupSize, size_t groups) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, input, sum, 1, sum);
  void *group = __hpvm__createNodeND(
      1, reductionGroupNode, EXTENT(groups, reductionSize / reductionGroup));
  __hpvm__bindIn(group, 0, 0, 0);
  __hpvm__bindIn(group, 1, 1, 0);
  __hpvm__bindIn(group, 2, 2, 0);
  __hpvm__bindIn(group, 3, 3, 0);
  __hpvm__bindIn(group, 4, 4, 0);
}

typedef struct __attribute__((__packed__)) {
  int *input;
  size_t bytesInput;
  int *sum;
  size_t bytesSum;
  size_t groupSize;
  size_t groups;
} ReductionArguments;

static const size_t inputBytes = sizeof(int) * reductionSize;

static void runReduction(void) {
  ReductionArguments arguments = {
      reductionInput, inputBytes,     reductionSum,
      sizeof(int),    reductionGroup, reductionSize / reductionGroup};
  *reductionSum = 0;
  __hpvm__wait(__hpvm__launch(0, reductionRoot, (void *)&arguments));
}

static void allocate(void) {
  reductionAllocate();
  llvm_hpvm_track_mem(reductionInput, inputBytes);
  llvm_hpvm_track_mem(reductionSum, sizeof(int));
}

static void release(void) {
  llvm_hpvm_untrack_mem(reductionInput);
  llvm_hpvm_untrack_mem(reductionSum);
  reductionRelease();
}

int main(void) {
  BenchRow row = REDUCTION_ROW("reduction", runReduction);
  row.allocate = allocate;
  row.release = release;
  __hpvm__init();
  int status = benchServe(&row, 1);
  __hpvm__cleanup();
  return status;
}
