//===- openmp.c - The data-parallel rows with OpenMP ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built twice, by gcc with libgomp and by clang with libomp. Where a row has
// work-groups, barriers or atomics, there are two programs: what an expert
// writes in OpenMP, and the groups of the kernel, by their name with "-groups".
//
//===----------------------------------------------------------------------===//

#include "expert.h"
#include "groups.h"
#include "problems.h"

#include <omp.h>

static void runSaxpy(void) {
  const float *restrict x = saxpyX;
  float *restrict y = saxpyY;
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < saxpySize; ++i)
    y[i] = saxpyFactor * x[i] + y[i];
}

static void runMatmulTiled(void) {
  const float *a = matmulA, *b = matmulB;
  float *c = matmulC;
#pragma omp parallel for schedule(static)
  for (long column = 0; column < matmulSize; column += panelWidth)
    multiplyPanel(a, b, c, column);
}

static void runMatmulGroups(void) {
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

/// One region for all sweeps: a sweep ends with a barrier, not with a join.
static void runStencil(void) {
#pragma omp parallel
  for (int i = 0; i < stencilSweeps; ++i) {
    const float *restrict from = i % 2 ? stencilTo : stencilFrom;
    float *restrict to = i % 2 ? stencilFrom : stencilTo;
#pragma omp for schedule(static)
    for (long y = 1; y < stencilSize - 1; ++y)
      for (long x = 1; x < stencilSize - 1; ++x)
        to[y * stencilSize + x] = stencilPoint(from, y * stencilSize + x);
  }
}

/// Loops over all of the grid, with the guard of the kernel inside.
static void runStencilGuarded(void) {
#pragma omp parallel
  for (int i = 0; i < stencilSweeps; ++i) {
    const float *restrict from = i % 2 ? stencilTo : stencilFrom;
    float *restrict to = i % 2 ? stencilFrom : stencilTo;
#pragma omp for schedule(static)
    for (long y = 0; y < stencilSize; ++y)
      for (long x = 0; x < stencilSize; ++x) {
        if (x < 1 || x >= stencilSize - 1 || y < 1 || y >= stencilSize - 1)
          continue;
        to[y * stencilSize + x] = stencilPoint(from, y * stencilSize + x);
      }
  }
}

static void runReduction(void) {
  const int *input = reductionInput;
  int sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (long i = 0; i < reductionSize; ++i)
    sum += input[i];
  *reductionSum = sum;
}

static void runReductionGroups(void) {
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
#pragma omp parallel
  {
    const long thread = omp_get_thread_num(), threads = omp_get_num_threads();
    Histogram own;
    countPart(input, histogramSize * thread / threads,
              histogramSize * (thread + 1) / threads, &own);
#pragma omp critical
    addCounts(&own, counts);
  }
}

static void runHistogramGroups(void) {
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
      MATMUL_ROW("matmul-tiled-groups", runMatmulGroups, 20),
      MATMUL_ROW("matmul-naive", runMatmulTiled, 20),
      MATMUL_ROW("matmul-naive-groups", runMatmulNaive, 20),
      STENCIL_ROW("stencil", runStencil),
      STENCIL_ROW("stencil-graph", runStencil),
      STENCIL_ROW("stencil-guarded", runStencilGuarded),
      REDUCTION_ROW("reduction", runReduction),
      REDUCTION_ROW("reduction-groups", runReductionGroups),
      HISTOGRAM_ROW("histogram", runHistogram),
      HISTOGRAM_ROW("histogram-groups", runHistogramGroups),
      LAUNCH_ROW(runLaunch),
  };
  return benchServe(rows, sizeof(rows) / sizeof(rows[0]));
}
