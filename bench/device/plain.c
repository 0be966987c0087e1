//===- plain.c - saxpy, stencil and histogram on a device -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One instance an element; the sweeps of the stencil are nodes of one graph,
// so that the host meets the device once.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

//===-- saxpy
//--------------------------------------------------------------===//

void saxpyLeaf(float *x, size_t bytesX, float *y, size_t bytesY, float factor) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(2, x, y, 1, y);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  y[i] = factor * x[i] + y[i];
}

void saxpyRoot(float *x, size_t bytesX, float *y, size_t bytesY, float factor) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, y, 1, y);
  void *leaf = __hpvm__createNodeND(1, saxpyLeaf, (size_t)saxpySize);
  BIND_MEMORY(leaf, 0, 0, 0);
  BIND_MEMORY(leaf, 1, 1, 0);
  __hpvm__bindIn(leaf, 4, 4, 0);
}

typedef struct __attribute__((__packed__)) {
  float *x;
  size_t bytesX;
  float *y;
  size_t bytesY;
  float factor;
} SaxpyArguments;

static const size_t saxpyBytes = sizeof(float) * saxpySize;

static void runSaxpy(void) {
  SaxpyArguments arguments = {saxpyX, saxpyBytes, saxpyY, saxpyBytes,
                              saxpyFactor};
  __hpvm__wait(__hpvm__launch(0, saxpyRoot, (void *)&arguments));
}

static void allocateSaxpy(void) {
  saxpyAllocate();
  llvm_hpvm_track_mem(saxpyX, saxpyBytes);
  llvm_hpvm_track_mem(saxpyY, saxpyBytes);
}

static void resetSaxpy(void) {
  takeHome(saxpyX, saxpyBytes);
  takeHome(saxpyY, saxpyBytes);
  saxpyReset();
}

static const char *verifySaxpy(void) {
  takeHome(saxpyY, saxpyBytes);
  return saxpyVerify();
}

static void releaseSaxpy(void) {
  llvm_hpvm_untrack_mem(saxpyX);
  llvm_hpvm_untrack_mem(saxpyY);
  saxpyRelease();
}

BenchRow saxpyRow(void) {
  BenchRow row = SAXPY_ROW(runSaxpy);
  row.allocate = allocateSaxpy, row.release = releaseSaxpy;
  row.reset = resetSaxpy, row.verify = verifySaxpy;
  return row;
}

//===-- stencil
//------------------------------------------------------------===//

void sweepLeaf(float *from, size_t bytesFrom, float *to, size_t bytesTo) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(2, from, to, 1, to);
  void *node = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(node) + 1;
  long y = __hpvm__getNodeInstanceID_y(node) + 1;
  long i = y * stencilSize + x;
  to[i] = stencilWeight * (from[i] + from[i - 1] + from[i + 1] +
                           from[i - stencilSize] + from[i + stencilSize]);
  __hpvm__return(1, bytesTo);
}

/// A sweep; the size of what the one before it wrote orders the two.
#define SWEEP(NUMBER)                                                          \
  void *sweep##NUMBER = __hpvm__createNodeND(                                  \
      2, sweepLeaf, (size_t)stencilSize - 2, (size_t)stencilSize - 2);         \
  BIND_MEMORY(sweep##NUMBER, NUMBER % 2, 0, 0);                                \
  BIND_MEMORY(sweep##NUMBER, 1 - NUMBER % 2, 1, 0)

#define SWEEP_AFTER(NUMBER, BEFORE)                                            \
  void *sweep##NUMBER = __hpvm__createNodeND(                                  \
      2, sweepLeaf, (size_t)stencilSize - 2, (size_t)stencilSize - 2);         \
  __hpvm__bindIn(sweep##NUMBER, 2 * (NUMBER % 2), 0, 0);                       \
  __hpvm__edge(sweep##BEFORE, sweep##NUMBER, 1, 0, 1, 0);                      \
  BIND_MEMORY(sweep##NUMBER, 1 - NUMBER % 2, 1, 0)

void stencilRoot(float *from, size_t bytesFrom, float *to, size_t bytesTo) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, to, 2, from, to);
  SWEEP(0);
  SWEEP_AFTER(1, 0);
  SWEEP_AFTER(2, 1);
  SWEEP_AFTER(3, 2);
  SWEEP_AFTER(4, 3);
  SWEEP_AFTER(5, 4);
  SWEEP_AFTER(6, 5);
  SWEEP_AFTER(7, 6);
  SWEEP_AFTER(8, 7);
  SWEEP_AFTER(9, 8);
  __hpvm__bindOut(sweep9, 0, 0, 0);
}

typedef struct __attribute__((__packed__)) {
  float *from;
  size_t bytesFrom;
  float *to;
  size_t bytesTo;
  size_t written;
} StencilArguments;

static const size_t stencilBytes =
    sizeof(float) * (size_t)stencilSize * stencilSize;

static void runStencil(void) {
  StencilArguments arguments = {stencilFrom, stencilBytes, stencilTo,
                                stencilBytes, 0};
  __hpvm__wait(__hpvm__launch(0, stencilRoot, (void *)&arguments));
}

static void allocateStencil(void) {
  stencilAllocate();
  llvm_hpvm_track_mem(stencilFrom, stencilBytes);
  llvm_hpvm_track_mem(stencilTo, stencilBytes);
}

static void resetStencil(void) {
  takeHome(stencilFrom, stencilBytes);
  takeHome(stencilTo, stencilBytes);
  stencilReset();
}

static const char *verifyStencil(void) {
  takeHome(stencilFrom, stencilBytes);
  return stencilVerify();
}

static void releaseStencil(void) {
  llvm_hpvm_untrack_mem(stencilFrom);
  llvm_hpvm_untrack_mem(stencilTo);
  stencilRelease();
}

BenchRow stencilRow(void) {
  BenchRow row = STENCIL_ROW("stencil", runStencil);
  row.allocate = allocateStencil, row.release = releaseStencil;
  row.reset = resetStencil, row.verify = verifyStencil;
  return row;
}

//===-- histogram
//----------------------------------------------------------===//

void histogramLeaf(int *input, size_t bytesInput, int *counts,
                   size_t bytesCounts) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(2, input, counts, 1, counts);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  __hpvm__atomic_add(&counts[input[i]], 1);
}

void histogramRoot(int *input, size_t bytesInput, int *counts,
                   size_t bytesCounts) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, input, counts, 1, counts);
  void *leaf = __hpvm__createNodeND(1, histogramLeaf, (size_t)histogramSize);
  BIND_MEMORY(leaf, 0, 0, 0);
  BIND_MEMORY(leaf, 1, 1, 0);
}

typedef struct __attribute__((__packed__)) {
  int *input;
  size_t bytesInput;
  int *counts;
  size_t bytesCounts;
} HistogramArguments;

static const size_t inputBytes = sizeof(int) * histogramSize;
static const size_t countsBytes = sizeof(int) * histogramBins;

static void runHistogram(void) {
  HistogramArguments arguments = {histogramInput, inputBytes, histogramCounts,
                                  countsBytes};
  __hpvm__wait(__hpvm__launch(0, histogramRoot, (void *)&arguments));
}

static void allocateHistogram(void) {
  histogramAllocate();
  llvm_hpvm_track_mem(histogramInput, inputBytes);
  llvm_hpvm_track_mem(histogramCounts, countsBytes);
}

static void resetHistogram(void) {
  takeHome(histogramInput, inputBytes);
  takeHome(histogramCounts, countsBytes);
  histogramReset();
}

static const char *verifyHistogram(void) {
  takeHome(histogramCounts, countsBytes);
  return histogramVerify();
}

static void releaseHistogram(void) {
  llvm_hpvm_untrack_mem(histogramInput);
  llvm_hpvm_untrack_mem(histogramCounts);
  histogramRelease();
}

BenchRow histogramRow(void) {
  BenchRow row = HISTOGRAM_ROW("histogram", runHistogram);
  row.allocate = allocateHistogram, row.release = releaseHistogram;
  row.reset = resetHistogram, row.verify = verifyHistogram;
  return row;
}
