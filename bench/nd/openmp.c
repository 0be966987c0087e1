//===- openmp.c - The data-parallel rows with OpenMP ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built twice, by gcc with libgomp and by clang with libomp.
//
//===----------------------------------------------------------------------===//

#include "groups.h"
#include "problems.h"

static void runSaxpy(void) {
  const float *restrict x = saxpyX;
  float *restrict y = saxpyY;
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < saxpySize; ++i)
    y[i] = saxpyFactor * x[i] + y[i];
}

static void runMatmulTiled(void) {
  enum { groups = matmulSize / matmulTile };
  const float *a = matmulA, *b = matmulB;
  float *c = matmulC;
#pragma omp parallel for collapse(2) schedule(static)
  for (long groupY = 0; groupY < groups; ++groupY)
    for (long groupX = 0; groupX < groups; ++groupX)
      matmulTileGroup(a, b, c, groupX, groupY);
}

/// The loop over k outside the one over columns: both compilers vectorise it.
static void runMatmulNaive(void) {
  const float *restrict a = matmulA, *restrict b = matmulB;
  float *restrict c = matmulC;
#pragma omp parallel for schedule(static)
  for (long row = 0; row < matmulSize; ++row) {
    float sum[matmulSize] = {0};
    for (long k = 0; k < matmulSize; ++k)
      for (long column = 0; column < matmulSize; ++column)
        sum[column] += a[row * matmulSize + k] * b[k * matmulSize + column];
    for (long column = 0; column < matmulSize; ++column)
      c[row * matmulSize + column] = sum[column];
  }
}

static void sweep(const float *restrict from, float *restrict to) {
#pragma omp parallel for schedule(static)
  for (long y = 1; y < stencilSize - 1; ++y)
    for (long x = 1; x < stencilSize - 1; ++x)
      to[y * stencilSize + x] = stencilPoint(from, y * stencilSize + x);
}

static void runStencil(void) {
  for (int i = 0; i < stencilSweeps; i += 2) {
    sweep(stencilFrom, stencilTo);
    sweep(stencilTo, stencilFrom);
  }
}

static void runReduction(void) {
  const int *input = reductionInput;
  int *sum = reductionSum;
  *sum = 0;
#pragma omp parallel for schedule(static)
  for (long group = 0; group < reductionSize / reductionGroup; ++group) {
    int part = reductionTreeGroup(input, group);
#pragma omp atomic
    *sum += part;
  }
}

static void runHistogram(void) {
  const int *input = histogramInput;
  int *counts = histogramCounts;
#pragma omp parallel for schedule(static)
  for (long i = 0; i < histogramSize; ++i) {
#pragma omp atomic
    counts[input[i]] += 1;
  }
}

static void runLaunch(void) {
  int *output = launchOutput;
#pragma omp parallel for schedule(static)
  for (long i = 0; i < launchInstances; ++i)
    output[i * launchStride] = (int)i + 1;
}

int main(void) {
  static const BenchRow rows[] = {
      SAXPY_ROW(runSaxpy),
      MATMUL_ROW("matmul-tiled", runMatmulTiled, 20),
      MATMUL_ROW("matmul-naive", runMatmulNaive, 20),
      STENCIL_ROW("stencil", runStencil),
      REDUCTION_ROW(runReduction),
      HISTOGRAM_ROW(runHistogram),
      LAUNCH_ROW(runLaunch),
  };
  return benchServe(rows, sizeof(rows) / sizeof(rows[0]));
}
