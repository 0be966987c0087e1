//===- problems.h - The rows of the table of devices ------------*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, inputs and oracles, shared by Sluice's programs and those written by
// hand. The first rows are those of the data-parallel table, with fewer sweeps
// of the stencil: here they stay in the queue of a device. Numbers are small
// integers times powers of two, so that results are compared exactly.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_DEVICE_PROBLEMS_H
#define SLUICE_BENCH_DEVICE_PROBLEMS_H

#define STENCIL_SWEEPS 10
#include "../nd/problems.h"

enum {
  filtersSize = 2048,
  transferSize = 1 << 24, // floats
  transferStride = 1024,  // of those that the kernel touches
  chainKernels = 100,
  chainSize = 256,
  streamSize = 1024,
  streamItems = 24,
  streamSlots = 4
};

//===----------------------------------------------------------------------===//
// Three filters of 3 x 3, one after another: smooth, sharpen, slope
//===----------------------------------------------------------------------===//

static inline float filterInput(long x, long y, long seed) {
  return (float)((x * 7 + y * 13 + seed) % 64);
}

static inline float filterSmooth(const float *in, long i, long width) {
  return 0.0625f * (in[i - width - 1] + in[i - width + 1] + in[i + width - 1] +
                    in[i + width + 1]) +
         0.125f * (in[i - width] + in[i - 1] + in[i + 1] + in[i + width]) +
         0.25f * in[i];
}

static inline float filterSharpen(const float *in, long i, long width) {
  return 5.0f * in[i] - in[i - width] - in[i - 1] - in[i + 1] - in[i + width];
}

static inline float filterSlope(const float *in, long i, long width) {
  float across = in[i - width + 1] + 2.0f * in[i + 1] + in[i + width + 1] -
                 in[i - width - 1] - 2.0f * in[i - 1] - in[i + width - 1];
  return across < 0.0f ? -across : across;
}

/// A pass over all points that have eight neighbours.
#define FILTER_PASS(FILTER, IN, OUT, SIZE)                                     \
  for (long y = 1; y < (SIZE)-1; ++y)                                          \
    for (long x = 1; x < (SIZE)-1; ++x)                                        \
  (OUT)[y * (SIZE) + x] = FILTER((IN), y * (SIZE) + x, (SIZE))

static inline void filterFill(float *picture, long size, long seed) {
  for (long y = 0; y < size; ++y)
    for (long x = 0; x < size; ++x)
      picture[y * size + x] = filterInput(x, y, seed);
}

/// What the chain makes of a picture; `scratch` has twice its size. Borders of
/// what is between the filters are zero.
static inline void filterOracle(const float *in, float *scratch, float *out,
                                long size) {
  float *smooth = scratch, *sharp = scratch + size * size;
  memset(scratch, 0, 2 * sizeof(float) * size * size);
  FILTER_PASS(filterSmooth, in, smooth, size);
  FILTER_PASS(filterSharpen, smooth, sharp, size);
  FILTER_PASS(filterSlope, sharp, out, size);
}

/// The row's four pictures: input, two between the filters, output.
static float *filtersPicture[4], *filtersExpected;
static const size_t filtersBytes =
    sizeof(float) * (size_t)filtersSize * filtersSize;

static inline void filtersReset(void) {
  filterFill(filtersPicture[0], filtersSize, 0);
  for (int i = 1; i < 4; ++i)
    memset(filtersPicture[i], 0, filtersBytes);
}

static inline void filtersAllocate(void) {
  for (int i = 0; i < 4; ++i)
    filtersPicture[i] = (float *)benchAllocate(filtersBytes);
  filtersExpected = (float *)benchAllocate(filtersBytes);
  float *scratch = (float *)benchAllocate(2 * filtersBytes);
  filtersReset();
  filterOracle(filtersPicture[0], scratch, filtersExpected, filtersSize);
  free(scratch);
}

static inline const char *filtersVerify(void) {
  for (long i = 0; i < (long)filtersSize * filtersSize; ++i)
    if (filtersPicture[3][i] != filtersExpected[i])
      return benchWrong("picture", i, filtersExpected[i], filtersPicture[3][i]);
  return 0;
}

static inline void filtersRelease(void) {
  for (int i = 0; i < 4; ++i)
    free(filtersPicture[i]);
  free(filtersExpected);
}

#define FILTERS_ROW(RUN)                                                       \
  {                                                                            \
    "filters", 3.0 * 2.0 * sizeof(float) * filtersSize *filtersSize, 4,        \
        filtersAllocate, filtersReset, RUN, filtersVerify, filtersRelease      \
  }

//===----------------------------------------------------------------------===//
// Transfers: all of an array to the device, where a kernel reads every 1024th
// number; or all of one from the device, where a kernel has written it.
//===----------------------------------------------------------------------===//

static float *transferMemory, *transferSum;
static const size_t transferBytes = sizeof(float) * (size_t)transferSize;
enum { transferInstances = transferSize / transferStride };
static const size_t transferSumBytes = sizeof(float) * transferInstances;

static inline float transferValue(long i) { return (float)(i % 128); }

static inline void transferReset(void) {
  for (long i = 0; i < transferSize; ++i)
    transferMemory[i] = transferValue(i);
  memset(transferSum, 0, transferSumBytes);
}

static inline void downloadReset(void) {
  memset(transferMemory, 0, transferBytes);
}

static inline void transferAllocate(void) {
  transferMemory = (float *)benchAllocate(transferBytes);
  transferSum = (float *)benchAllocate(transferSumBytes);
}

static inline const char *uploadVerify(void) {
  for (long i = 0; i < transferInstances; ++i)
    if (transferSum[i] != transferValue(i * transferStride))
      return benchWrong("copy", i, transferValue(i * transferStride),
                        transferSum[i]);
  return 0;
}

static inline const char *downloadVerify(void) {
  for (long i = 0; i < transferSize; ++i)
    if (transferMemory[i] != transferValue(i))
      return benchWrong("array", i, transferValue(i), transferMemory[i]);
  return 0;
}

static inline void transferRelease(void) {
  free(transferMemory);
  free(transferSum);
}

#define UPLOAD_ROW(RUN)                                                        \
  {                                                                            \
    "upload", 1.0 * sizeof(float) * transferSize, 4, transferAllocate,         \
        transferReset, RUN, uploadVerify, transferRelease                      \
  }

#define DOWNLOAD_ROW(RUN)                                                      \
  {                                                                            \
    "download", 1.0 * sizeof(float) * transferSize, 4, transferAllocate,       \
        downloadReset, RUN, downloadVerify, transferRelease                    \
  }

//===----------------------------------------------------------------------===//
// A chain of small kernels, each of which adds 1 to all of a short array
//===----------------------------------------------------------------------===//

static int *chainMemory;
static const size_t chainBytes = sizeof(int) * chainSize;

static inline void chainReset(void) { memset(chainMemory, 0, chainBytes); }

static inline void chainAllocate(void) {
  chainMemory = (int *)benchAllocate(chainBytes);
}

static inline const char *chainVerify(void) {
  for (long i = 0; i < chainSize; ++i)
    if (chainMemory[i] != chainKernels)
      return benchWrong("array", i, chainKernels, chainMemory[i]);
  return 0;
}

static inline void chainRelease(void) { free(chainMemory); }

#define CHAIN_ROW(RUN)                                                         \
  {                                                                            \
    "chain", chainKernels, 20, chainAllocate, chainReset, RUN, chainVerify,    \
        chainRelease                                                           \
  }

//===----------------------------------------------------------------------===//
// A stream of pictures through the filters: to the device, three kernels, back
//===----------------------------------------------------------------------===//

/// The pictures of the items in flight, and what must become of each.
static float *streamInput[streamSlots], *streamOutput[streamSlots];
static float *streamBetween[streamSlots][2], *streamExpected[streamSlots];
static const size_t streamBytes =
    sizeof(float) * (size_t)streamSize * streamSize;

static inline void streamReset(void) {
  for (int slot = 0; slot < streamSlots; ++slot) {
    filterFill(streamInput[slot], streamSize, slot);
    memset(streamOutput[slot], 0, streamBytes);
    memset(streamBetween[slot][0], 0, streamBytes);
    memset(streamBetween[slot][1], 0, streamBytes);
  }
}

static inline void streamAllocate(void) {
  float *scratch = (float *)benchAllocate(2 * streamBytes);
  for (int slot = 0; slot < streamSlots; ++slot) {
    streamInput[slot] = (float *)benchAllocate(streamBytes);
    streamOutput[slot] = (float *)benchAllocate(streamBytes);
    streamBetween[slot][0] = (float *)benchAllocate(streamBytes);
    streamBetween[slot][1] = (float *)benchAllocate(streamBytes);
    streamExpected[slot] = (float *)benchAllocate(streamBytes);
    filterFill(streamInput[slot], streamSize, slot);
    filterOracle(streamInput[slot], scratch, streamExpected[slot], streamSize);
  }
  free(scratch);
}

static inline const char *streamVerify(void) {
  for (int slot = 0; slot < streamSlots; ++slot)
    for (long i = 0; i < (long)streamSize * streamSize; ++i)
      if (streamOutput[slot][i] != streamExpected[slot][i])
        return benchWrong("picture", i, streamExpected[slot][i],
                          streamOutput[slot][i]);
  return 0;
}

static inline void streamRelease(void) {
  for (int slot = 0; slot < streamSlots; ++slot) {
    free(streamInput[slot]);
    free(streamOutput[slot]);
    free(streamBetween[slot][0]);
    free(streamBetween[slot][1]);
    free(streamExpected[slot]);
  }
}

#define STREAM_ROW(RUN)                                                        \
  {                                                                            \
    "stream", streamItems, 1, streamAllocate, streamReset, RUN, streamVerify,  \
        streamRelease                                                          \
  }

#endif // SLUICE_BENCH_DEVICE_PROBLEMS_H
