//===- histogram.c - 256 bins, one atomic addition an element -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of an atomic addition on a contended line decides this row.
//
//===----------------------------------------------------------------------===//

#include "extents.h"
#include "problems.h"

#include <hpvm.h>

void histogramLeaf(int *input, size_t bytesInput, int *counts,
                   size_t bytesCounts) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, input, counts, 1, counts);
  void *node = __hpvm__getNode();
  long i = __hpvm__getNodeInstanceID_x(node);
  __hpvm__atomic_add(&counts[input[i]], 1);
}

void histogramRoot(int *input, size_t bytesInput, int *counts,
                   size_t bytesCounts, size_t size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, input, counts, 1, counts);
  void *leaf =
      __hpvm__createNodeND(1, histogramLeaf, EXTENT(size, histogramSize));
  __hpvm__bindIn(leaf, 0, 0, 0);
  __hpvm__bindIn(leaf, 1, 1, 0);
  __hpvm__bindIn(leaf, 2, 2, 0);
  __hpvm__bindIn(leaf, 3, 3, 0);
}

typedef struct __attribute__((__packed__)) {
  int *input;
  size_t bytesInput;
  int *counts;
  size_t bytesCounts;
  size_t size;
} HistogramArguments;

static const size_t inputBytes = sizeof(int) * histogramSize;
static const size_t countsBytes = sizeof(int) * histogramBins;

static void runHistogram(void) {
  HistogramArguments arguments = {histogramInput, inputBytes, histogramCounts,
                                  countsBytes, histogramSize};
  __hpvm__wait(__hpvm__launch(0, histogramRoot, (void *)&arguments));
}

static void allocate(void) {
  histogramAllocate();
  llvm_hpvm_track_mem(histogramInput, inputBytes);
  llvm_hpvm_track_mem(histogramCounts, countsBytes);
}

static void release(void) {
  llvm_hpvm_untrack_mem(histogramInput);
  llvm_hpvm_untrack_mem(histogramCounts);
  histogramRelease();
}

int main(void) {
  BenchRow row = HISTOGRAM_ROW("histogram", runHistogram);
  row.allocate = allocate;
  row.release = release;
  __hpvm__init();
  int status = benchServe(&row, 1);
  __hpvm__cleanup();
  return status;
}
