//===- rows.cuh - The rows with one kernel or a few in CUDA C++ -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the device is filled by a row's `reset`, read by its `verify`; a
// repetition is a launch and a synchronisation, with no transfer but in the
// rows that measure them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_DEVICE_CUDA_ROWS_CUH
#define SLUICE_BENCH_DEVICE_CUDA_ROWS_CUH

#include "kernels.cuh"

#include <cuda_runtime.h>

static cudaStream_t stream;
/// Memory of the row at work.
static void *buffers[4];

static void require(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  fprintf(stderr, "CUDA: %s failed: %s\n", what, cudaGetErrorString(status));
  exit(1);
}

static void open(int count, size_t bytes) {
  for (int i = 0; i < count; ++i)
    require(cudaMalloc(&buffers[i], bytes), "cudaMalloc");
}

static void dropAll() {
  for (void *&buffer : buffers) {
    require(cudaFree(buffer), "cudaFree");
    buffer = nullptr;
  }
}

template <typename Element> static Element *at(int index) {
  return static_cast<Element *>(buffers[index]);
}

static void writeAll(int index, const void *from, size_t bytes) {
  require(cudaMemcpy(buffers[index], from, bytes, cudaMemcpyHostToDevice),
          "cudaMemcpy");
}

static void readAll(int index, void *to, size_t bytes) {
  require(cudaMemcpy(to, buffers[index], bytes, cudaMemcpyDeviceToHost),
          "cudaMemcpy");
}

static void finish() {
  require(cudaGetLastError(), "a launch");
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

/// Blocks of 256 threads for lines, of 32 x 8 for grids.
enum { lineBlock = 256, gridColumns = 32, gridRows = 8 };

static dim3 lines(size_t count) {
  return dim3(unsigned((count + lineBlock - 1) / lineBlock));
}

static dim3 grids(size_t size) {
  return dim3(unsigned((size + gridColumns - 1) / gridColumns),
              unsigned((size + gridRows - 1) / gridRows));
}

static const dim3 gridBlock(gridColumns, gridRows);

//===-- saxpy
//--------------------------------------------------------------===//

static const size_t saxpyBytes = sizeof(float) * saxpySize;

static void allocateSaxpy() {
  saxpyAllocate();
  open(2, saxpyBytes);
}

static void resetSaxpy() {
  saxpyReset();
  writeAll(0, saxpyX, saxpyBytes);
  writeAll(1, saxpyY, saxpyBytes);
}

static void runSaxpy() {
  saxpy<<<lines(saxpySize), lineBlock, 0, stream>>>(at<float>(0), at<float>(1),
                                                    saxpyFactor, saxpySize);
  finish();
}

static const char *verifySaxpy() {
  readAll(1, saxpyY, saxpyBytes);
  return saxpyVerify();
}

static void releaseSaxpy() {
  dropAll();
  saxpyRelease();
}

//===-- stencil
//------------------------------------------------------------===//

static const size_t stencilBytes =
    sizeof(float) * size_t(stencilSize) * stencilSize;

static void allocateStencil() {
  stencilAllocate();
  open(2, stencilBytes);
}

static void resetStencil() {
  stencilReset();
  writeAll(0, stencilFrom, stencilBytes);
  writeAll(1, stencilTo, stencilBytes);
}

static void runStencil() {
  for (int i = 0; i < stencilSweeps; ++i)
    stencil<<<grids(stencilSize - 2), gridBlock, 0, stream>>>(
        at<float>(i % 2), at<float>(1 - i % 2), stencilWeight, stencilSize);
  finish();
}

static const char *verifyStencil() {
  readAll(0, stencilFrom, stencilBytes);
  return stencilVerify();
}

static void releaseStencil() {
  dropAll();
  stencilRelease();
}

//===-- matrix product
//-----------------------------------------------------===//

static const size_t matmulBytes =
    sizeof(float) * size_t(matmulSize) * matmulSize;

static void allocateMatmul() {
  matmulAllocate();
  open(3, matmulBytes);
}

static void resetMatmul() {
  matmulReset();
  writeAll(0, matmulA, matmulBytes);
  writeAll(1, matmulB, matmulBytes);
  writeAll(2, matmulC, matmulBytes);
}

static void runMatmul() {
  dim3 groups(matmulSize / matmulTile, matmulSize / matmulTile);
  matmulTiled<<<groups, dim3(matmulTile, matmulTile), 0, stream>>>(
      at<float>(0), at<float>(1), at<float>(2));
  finish();
}

static const char *verifyMatmul() {
  readAll(2, matmulC, matmulBytes);
  return matmulVerify();
}

static void releaseMatmul() {
  dropAll();
  matmulRelease();
}

//===-- histogram and reduction
//--------------------------------------------===//

static const size_t histogramBytes = sizeof(int) * histogramSize;
static const size_t countsBytes = sizeof(int) * histogramBins;

static void allocateHistogram() {
  histogramAllocate();
  open(2, histogramBytes);
}

static void resetHistogram() {
  histogramReset();
  writeAll(0, histogramInput, histogramBytes);
  writeAll(1, histogramCounts, countsBytes);
}

static void runHistogram() {
  histogram<<<lines(histogramSize), lineBlock, 0, stream>>>(
      at<int>(0), at<int>(1), histogramSize);
  finish();
}

static const char *verifyHistogram() {
  readAll(1, histogramCounts, countsBytes);
  return histogramVerify();
}

static void releaseHistogram() {
  dropAll();
  histogramRelease();
}

static const size_t reductionBytes = sizeof(int) * reductionSize;

static void allocateReduction() {
  reductionAllocate();
  open(2, reductionBytes);
}

static void resetReduction() {
  reductionReset();
  writeAll(0, reductionInput, reductionBytes);
  writeAll(1, reductionSum, sizeof(int));
}

/// Sums of all repetitions add up; only the first one is looked at.
static void runReduction() {
  reduction<<<reductionSize / reductionGroup, reductionGroup, 0, stream>>>(
      at<int>(0), at<int>(1));
  finish();
}

static const char *verifyReduction() {
  readAll(1, reductionSum, sizeof(int));
  return reductionVerify();
}

static void releaseReduction() {
  dropAll();
  reductionRelease();
}

//===-- filters
//------------------------------------------------------------===//

static void startFilters(cudaStream_t on, float *const *pictures, size_t size) {
  smooth<<<grids(size - 2), gridBlock, 0, on>>>(pictures[0], pictures[1], size);
  sharpen<<<grids(size - 2), gridBlock, 0, on>>>(pictures[1], pictures[2],
                                                 size);
  slope<<<grids(size - 2), gridBlock, 0, on>>>(pictures[2], pictures[3], size);
}

static void allocateFilters() {
  filtersAllocate();
  open(4, filtersBytes);
}

static void resetFilters() {
  filtersReset();
  for (int i = 0; i < 4; ++i)
    writeAll(i, filtersPicture[i], filtersBytes);
}

static void runFilters() {
  float *pictures[] = {at<float>(0), at<float>(1), at<float>(2), at<float>(3)};
  startFilters(stream, pictures, filtersSize);
  finish();
}

static const char *verifyFilters() {
  readAll(3, filtersPicture[3], filtersBytes);
  return filtersVerify();
}

static void releaseFilters() {
  dropAll();
  filtersRelease();
}

//===-- transfers and an empty launch
//--------------------------------------===//

static void allocateTransfer() {
  transferAllocate();
  open(2, transferBytes);
}

static void runUpload() {
  require(cudaMemcpyAsync(buffers[0], transferMemory, transferBytes,
                          cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync");
  upload<<<lines(transferInstances), lineBlock, 0, stream>>>(at<float>(0),
                                                             at<float>(1));
  finish();
}

static const char *verifyUpload() {
  readAll(1, transferSum, transferSumBytes);
  return uploadVerify();
}

static void runDownload() {
  download<<<lines(transferSize), lineBlock, 0, stream>>>(at<float>(0));
  require(cudaMemcpyAsync(transferMemory, buffers[0], transferBytes,
                          cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
  finish();
}

static void releaseTransfer() {
  dropAll();
  transferRelease();
}

static const size_t launchBytes = sizeof(int) * launchStride * launchInstances;

static void allocateLaunch() {
  launchAllocate();
  open(1, launchBytes);
}

static void resetLaunch() {
  launchReset();
  writeAll(0, launchOutput, launchBytes);
}

static void runLaunch() {
  launch<<<1, launchInstances, 0, stream>>>(at<int>(0));
  finish();
}

static const char *verifyLaunch() {
  readAll(0, launchOutput, launchBytes);
  return launchVerify();
}

static void releaseLaunch() {
  dropAll();
  launchRelease();
}

#endif // SLUICE_BENCH_DEVICE_CUDA_ROWS_CUH
