//===- onetbb.cpp - The data-parallel rows with oneTBB --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built by gcc and by clang. Every row takes the partitioner that was fastest
// for it. As in openmp.c, there are the programs of an expert, and the groups
// of the kernels, by their names with "-groups".
//
//===----------------------------------------------------------------------===//

#include "expert.h"
#include "groups.h"
#include "problems.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/combinable.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
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
  const float *a = matmulA, *b = matmulB;
  float *c = matmulC;
  tbb::parallel_for(Range(0, matmulSize / panelWidth), [=](const Range &part) {
    for (long panel = part.begin(); panel != part.end(); ++panel)
      multiplyPanel(a, b, c, panel * panelWidth);
  });
}

void runMatmulGroups() {
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

/// The guard of the kernel inside the loop.
void sweepGuarded(const float *restrict from, float *restrict to, long y) {
  for (long x = 0; x < stencilSize; ++x) {
    if (x < 1 || x >= stencilSize - 1 || y < 1 || y >= stencilSize - 1)
      continue;
    to[y * stencilSize + x] = stencilPoint(from, y * stencilSize + x);
  }
}

template <typename Row>
void sweep(const float *from, float *to, long begin, long end, Row row) {
  tbb::parallel_for(
      Range(begin, end),
      [=](const Range &part) {
        for (long y = part.begin(); y != part.end(); ++y)
          row(from, to, y);
      },
      equalParts);
}

void runStencil() {
  for (int i = 0; i < stencilSweeps; i += 2) {
    sweep(stencilFrom, stencilTo, 1, stencilSize - 1, sweepRow);
    sweep(stencilTo, stencilFrom, 1, stencilSize - 1, sweepRow);
  }
}

void runStencilGuarded() {
  for (int i = 0; i < stencilSweeps; i += 2) {
    sweep(stencilFrom, stencilTo, 0, stencilSize, sweepGuarded);
    sweep(stencilTo, stencilFrom, 0, stencilSize, sweepGuarded);
  }
}

void runReduction() {
  const int *input = reductionInput;
  *reductionSum = tbb::parallel_reduce(
      Range(0, reductionSize), 0,
      [=](const Range &part, int sum) {
        for (long i = part.begin(); i != part.end(); ++i)
          sum += input[i];
        return sum;
      },
      [](int left, int right) { return left + right; }, equalParts);
}

void runReductionGroups() {
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
  tbb::combinable<Histogram> parts([] { return Histogram{}; });
  tbb::parallel_for(
      Range(0, histogramSize),
      [=, &parts](const Range &part) {
        Histogram own;
        countPart(input, part.begin(), part.end(), &own);
        Histogram &all = parts.local();
        for (int table = 0; table < histogramTables; ++table)
          for (int bin = 0; bin < histogramBins; ++bin)
            all.counts[table][bin] += own.counts[table][bin];
      },
      equalParts);
  parts.combine_each([=](const Histogram &own) { addCounts(&own, counts); });
}

void runHistogramGroups() {
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
