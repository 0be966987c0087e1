//===- rows.h - The rows with one kernel or a few in OpenCL -----*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the device is filled by a row's `reset`, read by its `verify`; a
// repetition is set arguments, enqueue and finish, with no transfer but in the
// rows that measure them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_DEVICE_OPENCL_ROWS_H
#define SLUICE_BENCH_DEVICE_OPENCL_ROWS_H

#include "shared.h"

/// Objects of the row at work.
static cl_kernel kernels[3];
static cl_mem buffers[4];

static void dropAll(void) {
  for (int i = 0; i < 3; ++i)
    if (kernels[i])
      clReleaseKernel(kernels[i]);
  for (int i = 0; i < 4; ++i)
    if (buffers[i])
      clReleaseMemObject(buffers[i]);
  memset(kernels, 0, sizeof(kernels));
  memset(buffers, 0, sizeof(buffers));
}

/// The kernel `name`, its first arguments `count` new buffers of `bytes`.
static void open(const char *name, int count, size_t bytes) {
  kernels[0] = createKernel(name);
  for (int i = 0; i < count; ++i)
    setBuffer(kernels[0], (cl_uint)i, buffers[i] = createBuffer(bytes));
}

//===-- saxpy
//--------------------------------------------------------------===//

static const size_t saxpyBytes = sizeof(float) * saxpySize;

static void allocateSaxpy(void) {
  saxpyAllocate();
  open("saxpy", 2, saxpyBytes);
  setArgument(kernels[0], 2, sizeof(saxpyFactor), &saxpyFactor);
}

static void resetSaxpy(void) {
  saxpyReset();
  writeAll(buffers[0], saxpyX, saxpyBytes);
  writeAll(buffers[1], saxpyY, saxpyBytes);
}

static void runSaxpy(void) {
  start(kernels[0], saxpySize, 1);
  finish();
}

static const char *verifySaxpy(void) {
  readAll(buffers[1], saxpyY, saxpyBytes);
  return saxpyVerify();
}

static void releaseSaxpy(void) {
  dropAll();
  saxpyRelease();
}

//===-- stencil
//------------------------------------------------------------===//

static const size_t stencilBytes =
    sizeof(float) * (size_t)stencilSize * stencilSize;

static void allocateStencil(void) {
  stencilAllocate();
  open("stencil", 2, stencilBytes);
  kernels[1] = createKernel("stencil");
  for (int i = 0; i < 2; ++i) {
    setBuffer(kernels[i], 0, buffers[i]);
    setBuffer(kernels[i], 1, buffers[1 - i]);
    setArgument(kernels[i], 2, sizeof(stencilWeight), &stencilWeight);
  }
}

static void resetStencil(void) {
  stencilReset();
  writeAll(buffers[0], stencilFrom, stencilBytes);
  writeAll(buffers[1], stencilTo, stencilBytes);
}

static void runStencil(void) {
  for (int i = 0; i < stencilSweeps; ++i)
    start(kernels[i % 2], stencilSize - 2, stencilSize - 2);
  finish();
}

static const char *verifyStencil(void) {
  readAll(buffers[0], stencilFrom, stencilBytes);
  return stencilVerify();
}

static void releaseStencil(void) {
  dropAll();
  stencilRelease();
}

//===-- matrix product
//-----------------------------------------------------===//

static const size_t matmulBytes =
    sizeof(float) * (size_t)matmulSize * matmulSize;

static void allocateMatmul(void) {
  matmulAllocate();
  open("matmulTiled", 3, matmulBytes);
}

static void resetMatmul(void) {
  matmulReset();
  writeAll(buffers[0], matmulA, matmulBytes);
  writeAll(buffers[1], matmulB, matmulBytes);
  writeAll(buffers[2], matmulC, matmulBytes);
}

static void runMatmul(void) {
  static const size_t groups[] = {matmulSize / matmulTile,
                                  matmulSize / matmulTile};
  static const size_t items[] = {matmulTile, matmulTile};
  enqueue(queue, kernels[0], groups, items, 0, 0, 0);
  finish();
}

static const char *verifyMatmul(void) {
  readAll(buffers[2], matmulC, matmulBytes);
  return matmulVerify();
}

static void releaseMatmul(void) {
  dropAll();
  matmulRelease();
}

//===-- histogram
//----------------------------------------------------------===//

static const size_t histogramBytes = sizeof(int) * histogramSize;
static const size_t countsBytes = sizeof(int) * histogramBins;

static void allocateHistogram(void) {
  histogramAllocate();
  open("histogram", 2, histogramBytes);
}

static void resetHistogram(void) {
  histogramReset();
  writeAll(buffers[0], histogramInput, histogramBytes);
  writeAll(buffers[1], histogramCounts, countsBytes);
}

static void runHistogram(void) {
  start(kernels[0], histogramSize, 1);
  finish();
}

static const char *verifyHistogram(void) {
  readAll(buffers[1], histogramCounts, countsBytes);
  return histogramVerify();
}

static void releaseHistogram(void) {
  dropAll();
  histogramRelease();
}

//===-- reduction
//----------------------------------------------------------===//

static const size_t reductionBytes = sizeof(int) * reductionSize;

static void allocateReduction(void) {
  reductionAllocate();
  open("reduction", 2, reductionBytes);
}

static void resetReduction(void) {
  reductionReset();
  writeAll(buffers[0], reductionInput, reductionBytes);
  writeAll(buffers[1], reductionSum, sizeof(int));
}

/// Sums of all repetitions add up; only the first one is looked at.
static void runReduction(void) {
  static const size_t groups[] = {reductionSize / reductionGroup, 1};
  static const size_t items[] = {reductionGroup, 1};
  enqueue(queue, kernels[0], groups, items, 0, 0, 0);
  finish();
}

static const char *verifyReduction(void) {
  readAll(buffers[1], reductionSum, sizeof(int));
  return reductionVerify();
}

static void releaseReduction(void) {
  dropAll();
  reductionRelease();
}

//===-- filters
//------------------------------------------------------------===//

static void allocateFilters(void) {
  static const char *const names[] = {"smooth", "sharpen", "slope"};
  filtersAllocate();
  for (int i = 0; i < 4; ++i)
    buffers[i] = createBuffer(filtersBytes);
  for (int i = 0; i < 3; ++i) {
    kernels[i] = createKernel(names[i]);
    setBuffer(kernels[i], 0, buffers[i]);
    setBuffer(kernels[i], 1, buffers[i + 1]);
    setSize(kernels[i], 2, filtersSize);
  }
}

static void resetFilters(void) {
  filtersReset();
  for (int i = 0; i < 4; ++i)
    writeAll(buffers[i], filtersPicture[i], filtersBytes);
}

static void runFilters(void) {
  for (int i = 0; i < 3; ++i)
    start(kernels[i], filtersSize - 2, filtersSize - 2);
  finish();
}

static const char *verifyFilters(void) {
  readAll(buffers[3], filtersPicture[3], filtersBytes);
  return filtersVerify();
}

static void releaseFilters(void) {
  dropAll();
  filtersRelease();
}

//===-- transfers
//----------------------------------------------------------===//

static void allocateUpload(void) {
  transferAllocate();
  open("upload", 2, transferBytes);
  setSize(kernels[0], 2, transferStride);
  setSize(kernels[0], 3, transferInstances);
}

static void runUpload(void) {
  require(clEnqueueWriteBuffer(queue, buffers[0], CL_FALSE, 0, transferBytes,
                               transferMemory, 0, 0, 0),
          "clEnqueueWriteBuffer");
  start(kernels[0], transferInstances, 1);
  finish();
}

static const char *verifyUpload(void) {
  readAll(buffers[1], transferSum, transferSumBytes);
  return uploadVerify();
}

static void allocateDownload(void) {
  transferAllocate();
  open("download", 1, transferBytes);
}

static void runDownload(void) {
  start(kernels[0], transferSize, 1);
  readAll(buffers[0], transferMemory, transferBytes);
}

static void releaseTransfer(void) {
  dropAll();
  transferRelease();
}

//===-- overheads
//----------------------------------------------------------===//

static void allocateChain(void) {
  chainAllocate();
  open("addOne", 1, chainBytes);
}

static void resetChain(void) {
  chainReset();
  writeAll(buffers[0], chainMemory, chainBytes);
}

static void runChain(void) {
  for (int i = 0; i < chainKernels; ++i) {
    setBuffer(kernels[0], 0, buffers[0]);
    setSize(kernels[0], 1, chainSize);
    start(kernels[0], chainSize, 1);
  }
  finish();
}

static const char *verifyChain(void) {
  readAll(buffers[0], chainMemory, chainBytes);
  return chainVerify();
}

static void releaseChain(void) {
  dropAll();
  chainRelease();
}

static const size_t launchBytes = sizeof(int) * launchStride * launchInstances;

static void allocateLaunch(void) {
  launchAllocate();
  open("launch", 1, launchBytes);
}

static void resetLaunch(void) {
  launchReset();
  writeAll(buffers[0], launchOutput, launchBytes);
}

static void runLaunch(void) {
  setBuffer(kernels[0], 0, buffers[0]);
  setSize(kernels[0], 1, launchStride);
  start(kernels[0], launchInstances, 1);
  finish();
}

static const char *verifyLaunch(void) {
  readAll(buffers[0], launchOutput, launchBytes);
  return launchVerify();
}

static void releaseLaunch(void) {
  dropAll();
  launchRelease();
}

#endif // SLUICE_BENCH_DEVICE_OPENCL_ROWS_H
