//===- problems.h - The rows of the data-parallel table ---------*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, inputs and oracles of every row, shared by all programs that compete
// in it. Inputs are small integers, so that every order of summation gives
// the same bits and results are compared exactly.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PROBLEMS_H
#define SLUICE_BENCH_PROBLEMS_H

#include "../common/harness.h"

#ifndef STENCIL_SWEEPS
#define STENCIL_SWEEPS 100
#endif

enum {
  saxpySize = 1 << 24,
  matmulSize = 512,
  matmulTile = 16,
  stencilSize = 2048,
  stencilSweeps = STENCIL_SWEEPS,
  reductionSize = 1 << 24,
  reductionGroup = 256,
  histogramSize = 1 << 22,
  histogramBins = 256,
  launchInstances = 2,
  launchRepetitions = 2000
};

static const float saxpyFactor = 3.0f;
static const float stencilWeight = 0.2f;

//===----------------------------------------------------------------------===//
// saxpy: y = a x + y
//===----------------------------------------------------------------------===//

static float *saxpyX, *saxpyY;

static inline float saxpyInputX(long i) { return (float)(i % 7 - 3); }
static inline float saxpyInputY(long i) { return (float)(i % 11); }

static inline void saxpyAllocate(void) {
  saxpyX = (float *)benchAllocate(sizeof(float) * saxpySize);
  saxpyY = (float *)benchAllocate(sizeof(float) * saxpySize);
}

static inline void saxpyReset(void) {
  for (long i = 0; i < saxpySize; ++i) {
    saxpyX[i] = saxpyInputX(i);
    saxpyY[i] = saxpyInputY(i);
  }
}

static inline const char *saxpyVerify(void) {
  for (long i = 0; i < saxpySize; ++i) {
    float expected = saxpyFactor * saxpyInputX(i) + saxpyInputY(i);
    if (saxpyY[i] != expected)
      return benchWrong("y", i, expected, saxpyY[i]);
  }
  return 0;
}

static inline void saxpyRelease(void) {
  free(saxpyX);
  free(saxpyY);
}

#define SAXPY_ROW(RUN)                                                         \
  {                                                                            \
    "saxpy", 3.0 * sizeof(float) * saxpySize, 8, saxpyAllocate, saxpyReset,    \
        RUN, saxpyVerify, saxpyRelease                                         \
  }

//===----------------------------------------------------------------------===//
// Matrix product: c = a b, row-major
//===----------------------------------------------------------------------===//

static float *matmulA, *matmulB, *matmulC, *matmulExpected;

static inline void matmulReset(void) {
  for (long i = 0; i < (long)matmulSize * matmulSize; ++i) {
    matmulA[i] = (float)(i * 7 % 9 - 4);
    matmulB[i] = (float)(i * 5 % 11 - 5);
    matmulC[i] = -1.0f;
  }
}

static inline void matmulAllocate(void) {
  const size_t bytes = sizeof(float) * matmulSize * matmulSize;
  matmulA = (float *)benchAllocate(bytes);
  matmulB = (float *)benchAllocate(bytes);
  matmulC = (float *)benchAllocate(bytes);
  matmulExpected = (float *)benchAllocate(bytes);
  matmulReset();
  for (long row = 0; row < matmulSize; ++row)
    for (long k = 0; k < matmulSize; ++k)
      for (long column = 0; column < matmulSize; ++column)
        matmulExpected[row * matmulSize + column] +=
            matmulA[row * matmulSize + k] * matmulB[k * matmulSize + column];
}

static inline const char *matmulVerify(void) {
  for (long i = 0; i < (long)matmulSize * matmulSize; ++i)
    if (matmulC[i] != matmulExpected[i])
      return benchWrong("c", i, matmulExpected[i], matmulC[i]);
  return 0;
}

static inline void matmulRelease(void) {
  free(matmulA);
  free(matmulB);
  free(matmulC);
  free(matmulExpected);
}

#define MATMUL_ROW(NAME, RUN, REPETITIONS)                                     \
  {                                                                            \
    NAME, 2.0 * matmulSize *matmulSize *matmulSize, REPETITIONS,               \
        matmulAllocate, matmulReset, RUN, matmulVerify, matmulRelease          \
  }

//===----------------------------------------------------------------------===//
// 5-point stencil: sweeps from `stencilFrom` to `stencilTo` and back
//===----------------------------------------------------------------------===//

static float *stencilFrom, *stencilTo, *stencilExpected, *stencilScratch;

static inline void stencilFill(float *grid) {
  for (long i = 0; i < (long)stencilSize * stencilSize; ++i)
    grid[i] = (float)(i % 17);
}

static inline void stencilReset(void) {
  stencilFill(stencilFrom);
  stencilFill(stencilTo);
}

/// The same expression in every program: one product, nothing to contract.
static inline float stencilPoint(const float *grid, long i) {
  return stencilWeight * (grid[i] + grid[i - 1] + grid[i + 1] +
                          grid[i - stencilSize] + grid[i + stencilSize]);
}

static inline void stencilAllocate(void) {
  const size_t bytes = sizeof(float) * stencilSize * stencilSize;
  stencilFrom = (float *)benchAllocate(bytes);
  stencilTo = (float *)benchAllocate(bytes);
  stencilExpected = (float *)benchAllocate(bytes);
  stencilScratch = (float *)benchAllocate(bytes);
  stencilFill(stencilExpected);
  stencilFill(stencilScratch);
  float *from = stencilExpected, *to = stencilScratch;
  for (int sweep = 0; sweep < stencilSweeps; ++sweep) {
    for (long y = 1; y < stencilSize - 1; ++y)
      for (long x = 1; x < stencilSize - 1; ++x)
        to[y * stencilSize + x] = stencilPoint(from, y * stencilSize + x);
    float *swap = from;
    from = to;
    to = swap;
  }
}

/// An even number of sweeps ends where it began.
static inline const char *stencilVerify(void) {
  for (long i = 0; i < (long)stencilSize * stencilSize; ++i)
    if (stencilFrom[i] != stencilExpected[i])
      return benchWrong("grid", i, stencilExpected[i], stencilFrom[i]);
  return 0;
}

static inline void stencilRelease(void) {
  free(stencilFrom);
  free(stencilTo);
  free(stencilExpected);
  free(stencilScratch);
}

#define STENCIL_ROW(NAME, RUN)                                                 \
  {                                                                            \
    NAME, 2.0 * sizeof(float) * stencilSize *stencilSize *stencilSweeps, 1,    \
        stencilAllocate, stencilReset, RUN, stencilVerify, stencilRelease      \
  }

//===----------------------------------------------------------------------===//
// Reduction: a tree with barriers in every group, one atomic a group
//===----------------------------------------------------------------------===//

static int *reductionInput;
static int *reductionSum;

static inline void reductionReset(void) {
  for (long i = 0; i < reductionSize; ++i)
    reductionInput[i] = (int)(i % 13 - 5);
  *reductionSum = 0;
}

static inline void reductionAllocate(void) {
  reductionInput = (int *)benchAllocate(sizeof(int) * reductionSize);
  reductionSum = (int *)benchAllocate(sizeof(int));
}

static inline const char *reductionVerify(void) {
  int expected = 0;
  for (long i = 0; i < reductionSize; ++i)
    expected += reductionInput[i];
  if (*reductionSum != expected)
    return benchWrong("sum", 0, expected, *reductionSum);
  return 0;
}

static inline void reductionRelease(void) {
  free(reductionInput);
  free(reductionSum);
}

#define REDUCTION_ROW(NAME, RUN)                                               \
  {                                                                            \
    NAME, 1.0 * sizeof(int) * reductionSize, 8, reductionAllocate,             \
        reductionReset, RUN, reductionVerify, reductionRelease                 \
  }

//===----------------------------------------------------------------------===//
// Histogram: one atomic addition an element
//===----------------------------------------------------------------------===//

static int *histogramInput;
static int *histogramCounts;

static inline void histogramReset(void) {
  unsigned state = 12345;
  for (long i = 0; i < histogramSize; ++i) {
    state = state * 1664525u + 1013904223u;
    histogramInput[i] = (int)(state >> 24);
  }
  memset(histogramCounts, 0, sizeof(int) * histogramBins);
}

static inline void histogramAllocate(void) {
  histogramInput = (int *)benchAllocate(sizeof(int) * histogramSize);
  histogramCounts = (int *)benchAllocate(sizeof(int) * histogramBins);
}

static inline const char *histogramVerify(void) {
  int expected[histogramBins] = {0};
  for (long i = 0; i < histogramSize; ++i)
    ++expected[histogramInput[i]];
  for (long bin = 0; bin < histogramBins; ++bin)
    if (histogramCounts[bin] != expected[bin])
      return benchWrong("bin", bin, expected[bin], histogramCounts[bin]);
  return 0;
}

static inline void histogramRelease(void) {
  free(histogramInput);
  free(histogramCounts);
}

#define HISTOGRAM_ROW(NAME, RUN)                                               \
  {                                                                            \
    NAME, 1.0 * histogramSize, 2, histogramAllocate, histogramReset, RUN,      \
        histogramVerify, histogramRelease                                      \
  }

//===----------------------------------------------------------------------===//
// Launch: two instances that store one number each, launch + wait
//===----------------------------------------------------------------------===//

enum { launchStride = 16 }; // numbers on lines of their own

static int *launchOutput;

static inline void launchAllocate(void) {
  launchOutput =
      (int *)benchAllocate(sizeof(int) * launchStride * launchInstances);
}

static inline void launchReset(void) {
  memset(launchOutput, 0, sizeof(int) * launchStride * launchInstances);
}

static inline const char *launchVerify(void) {
  for (long i = 0; i < launchInstances; ++i)
    if (launchOutput[i * launchStride] != i + 1)
      return benchWrong("output", i, (double)i + 1,
                        launchOutput[i * launchStride]);
  return 0;
}

static inline void launchRelease(void) { free(launchOutput); }

#define LAUNCH_ROW(RUN)                                                        \
  {                                                                            \
    "launch", 1.0, launchRepetitions, launchAllocate, launchReset, RUN,        \
        launchVerify, launchRelease                                            \
  }

#endif // SLUICE_BENCH_PROBLEMS_H
