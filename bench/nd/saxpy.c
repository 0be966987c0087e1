//===- saxpy.c - y = a x + y, one instance an element ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bandwidth of memory decides this row; a launch must not lose any of it.
//
//===----------------------------------------------------------------------===//

#include "extents.h"
#include "problems.h"

#include <hpvm.h>

void saxpyLeaf(float *x, size_t bytesX, float *y, size_t bytesY, float factor) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, y, 1, y);
  void *node = __hpvm__getNode();
  long i = __hpvm__getNodeInstanceID_x(node);
  y[i] = factor * x[i] + y[i];
}

void saxpyRoot(float *x, size_t bytesX, float *y, size_t bytesY, float factor,
               size_t size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, y, 1, y);
  void *leaf = __hpvm__createNodeND(1, saxpyLeaf, EXTENT(size, saxpySize));
  __hpvm__bindIn(leaf, 0, 0, 0);
  __hpvm__bindIn(leaf, 1, 1, 0);
  __hpvm__bindIn(leaf, 2, 2, 0);
  __hpvm__bindIn(leaf, 3, 3, 0);
  __hpvm__bindIn(leaf, 4, 4, 0);
}

typedef struct __attribute__((__packed__)) {
  float *x;
  size_t bytesX;
  float *y;
  size_t bytesY;
  float factor;
  size_t size;
} SaxpyArguments;

static void runSaxpy(void) {
  const size_t bytes = sizeof(float) * saxpySize;
  SaxpyArguments arguments = {saxpyX, bytes,       saxpyY,
                              bytes,  saxpyFactor, saxpySize};
  __hpvm__wait(__hpvm__launch(0, saxpyRoot, (void *)&arguments));
}

static void allocate(void) {
  const size_t bytes = sizeof(float) * saxpySize;
  saxpyAllocate();
  llvm_hpvm_track_mem(saxpyX, bytes);
  llvm_hpvm_track_mem(saxpyY, bytes);
}

static void release(void) {
  llvm_hpvm_untrack_mem(saxpyX);
  llvm_hpvm_untrack_mem(saxpyY);
  saxpyRelease();
}

int main(void) {
  BenchRow row = SAXPY_ROW(runSaxpy);
  row.allocate = allocate;
  row.release = release;
  __hpvm__init();
  int status = benchServe(&row, 1);
  __hpvm__cleanup();
  return status;
}
