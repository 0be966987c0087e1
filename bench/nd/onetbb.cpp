//===- onetbb.cpp - The data-parallel rows with oneTBB --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built by gcc. Every row takes the partitioner that was fastest for it.
//
//===----------------------------------------------------------------------===//

#include "groups.h"
#include "problems.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

using Range = tbb::blocked_range<long>;

namespace {

const tbb::static_partitioner equalParts;

int addRelaxed(int *cell, int value) {
  return __atomic_fetch_add(cell, value, __ATOMIC_RELAXED);
}

void runSaxpy() {
  const float *restrict x = saxpyX;
  float *restrict y = saxpyY;
  tbb::parallel_for(
      Range(0, saxpySize),
      [=](const Range &part) {
        for (long i = part.begin(); i != part.end(); ++i)
          y[i] = saxpyFactor * x[i] + y[i];
      },
      equalParts);
}

void runMatmulTiled() {
  constexpr long groups = matmulSize / matmulTile;
  const float *a = matmulA, *b = matmulB;
  float *c = matmulC;
  using Tiles = tbb::blocked_range2d<long>;
  tbb::parallel_for(Tiles(0, groups, 0, groups), [=](const Tiles &part) {
    for (long y = part.rows().begin(); y != part.rows().end(); ++y)
      for (long x = part.cols().begin(); x != part.cols().end(); ++x)
        matmulTileGroup(a, b, c, x, y);
  });
}

void multiplyRow(const float *restrict a, const float *restrict b,
                 float *restrict c, long row) {
  float sum[matmulSize] = {0};
  for (long k = 0; k < matmulSize; ++k)
    for (long column = 0; column < matmulSize; ++column)
      sum[column] += a[row * matmulSize + k] * b[k * matmulSize + column];
  for (long column = 0; column < matmulSize; ++column)
    c[row * matmulSize + column] = sum[column];
}

void runMatmulNaive() {
  const float *a = matmulA, *b = matmulB;
  float *c = matmulC;
  tbb::parallel_for(Range(0, matmulSize), [=](const Range &part) {
    for (long row = part.begin(); row != part.end(); ++row)
      multiplyRow(a, b, c, row);
  });
}

void sweepRow(const float *restrict from, float *restrict to, long y) {
  for (long x = 1; x < stencilSize - 1; ++x)
    to[y * stencilSize + x] = stencilPoint(from, y * stencilSize + x);
}

void sweep(const float *from, float *to) {
  tbb::parallel_for(
      Range(1, stencilSize - 1),
      [=](const Range &part) {
        for (long y = part.begin(); y != part.end(); ++y)
          sweepRow(from, to, y);
      },
      equalParts);
}

void runStencil() {
  for (int i = 0; i < stencilSweeps; i += 2) {
    sweep(stencilFrom, stencilTo);
    sweep(stencilTo, stencilFrom);
  }
}

void runReduction() {
  const int *input = reductionInput;
  int *sum = reductionSum;
  *sum = 0;
  tbb::parallel_for(
      Range(0, reductionSize / reductionGroup),
      [=](const Range &part) {
        for (long group = part.begin(); group != part.end(); ++group)
          addRelaxed(sum, reductionTreeGroup(input, group));
      },
      equalParts);
}

void runHistogram() {
  const int *input = histogramInput;
  int *counts = histogramCounts;
  tbb::parallel_for(
      Range(0, histogramSize),
      [=](const Range &part) {
        for (long i = part.begin(); i != part.end(); ++i)
          addRelaxed(&counts[input[i]], 1);
      },
      equalParts);
}

void runLaunch() {
  int *output = launchOutput;
  tbb::parallel_for(
      Range(0, launchInstances, 1),
      [=](const Range &part) {
        for (long i = part.begin(); i != part.end(); ++i)
          output[i * launchStride] = static_cast<int>(i) + 1;
      },
      tbb::simple_partitioner());
}

} // namespace

int main() {
  tbb::global_control workers(tbb::global_control::max_allowed_parallelism,
                              static_cast<std::size_t>(benchThreads()));
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
