//===- halo.cpp - The tasks of halo.mlir ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas are those of bench/rdir and of the program by hand.
//
//===----------------------------------------------------------------------===//

#include "../rdir/halo.h"
#include "halo.rdir.h"
#include "orders.h"

#include <cmath>

static void startBlock(double *now, double *next, const SluiceDomain *block,
                       int64_t n) {
  const int64_t stride = block->stride[0];
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i)
    for (int64_t j = block->lower[1]; j < block->upper[1]; ++j)
      now[i * stride + j] = next[i * stride + j] = bench::startingHeat(i, j, n);
}

void start(const SluiceTask *, double *now, double *next,
           const SluiceDomain *block, int64_t n) {
  startBlock(now, next, block, n);
}

int32_t serve(const SluiceTask *, int32_t, double wrong) {
  return bench::nextOrder(wrong, 0);
}

void reset(const SluiceTask *, double *now, double *next,
           const SluiceDomain *block, int32_t order, int64_t n) {
  if (order == bench::Check)
    startBlock(now, next, block, n);
}

void sweep(const SluiceTask *, const double *from, const SluiceDomain *,
           double *to, const SluiceDomain *block) {
  bench::sweepBox(from, to, block->lower[0], block->upper[0], block->lower[1],
                  block->upper[1], block->extent[0], block->stride[0]);
}

/// The plate after a repetition from the start, by plain loops; made once.
static const std::vector<double> &expectedPlate(int64_t n, int64_t pairs) {
  static const std::vector<double> plate = [&] {
    std::vector<double> from(n * n), to(n * n);
    for (int64_t i = 0; i < n * n; ++i)
      from[i] = to[i] = bench::startingHeat(i / n, i % n, n);
    for (int64_t sweep = 0; sweep < 2 * pairs; ++sweep) {
      bench::sweepBox(from.data(), to.data(), 0, n, 0, n, n);
      std::swap(from, to);
    }
    return from;
  }();
  return plate;
}

double compare(const SluiceTask *, const double *now, const SluiceDomain *block,
               int32_t order, int64_t n, int64_t pairs) {
  if (order != bench::Check)
    return 0;
  const std::vector<double> &expected = expectedPlate(n, pairs);
  double most = 0;
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i)
    for (int64_t j = block->lower[1]; j < block->upper[1]; ++j)
      if (const double *cell = &now[i * block->stride[0] + j];
          std::memcmp(cell, &expected[i * n + j], sizeof(double)))
        most = std::max(most, 1e-300 + std::fabs(*cell - expected[i * n + j]));
  return most;
}
