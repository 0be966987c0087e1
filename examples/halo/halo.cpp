//===- halo.cpp - Heat on a plate, block by block -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task functions of halo.mlir. Every block is swept by a plain loop nest
// over its rows; the result is compared with the same sweeps of the whole
// plate, bit by bit.
//
//===----------------------------------------------------------------------===//

#include "halo.rdir.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

/// Warm in the middle of the left border, cold elsewhere.
static double startingHeat(int64_t row, int64_t column, int64_t n) {
  if (column == 0 && row > n / 4 && row < 3 * n / 4)
    return 100;
  return double((row * 31 + column * 17) % 64) / 64;
}

/// Cells begin <= j < end of a row; `stride` lies between rows in memory, which
/// on several ranks may have a part of the plate only.
static void sweepRow(const double *__restrict from, double *__restrict to,
                     int64_t begin, int64_t end, int64_t stride) {
  for (int64_t j = begin; j < end; ++j)
    to[j] = from[j] + 0.2 * (from[j - stride] + from[j + stride] + from[j - 1] +
                             from[j + 1] - 4 * from[j]);
}

void start(const SluiceTask *, double *now, double *next,
           const SluiceDomain *block) {
  int64_t n = block->extent[0];
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i) {
    int64_t row = i * block->stride[0];
    for (int64_t j = block->lower[1]; j < block->upper[1]; ++j)
      now[row + j] = next[row + j] = startingHeat(i, j, n);
  }
}

void sweep(const SluiceTask *, const double *from, const SluiceDomain *,
           double *to, const SluiceDomain *block) {
  int64_t n = block->extent[0], stride = block->stride[0];
  int64_t rows = std::min(block->upper[0], n - 1);
  int64_t begin = std::max<int64_t>(block->lower[1], 1);
  int64_t end = std::min(block->upper[1], n - 1);
  for (int64_t i = std::max<int64_t>(block->lower[0], 1); i < rows; ++i)
    sweepRow(from + i * stride, to + i * stride, begin, end, stride);
}

double change(const SluiceTask *, const double *now, const double *next,
              const SluiceDomain *block) {
  double most = 0;
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i) {
    int64_t row = i * block->stride[0];
    for (int64_t j = block->lower[1]; j < block->upper[1]; ++j)
      most = std::max(most, std::fabs(now[row + j] - next[row + j]));
  }
  return most;
}

/// Compares with plain loops over the whole plate.
void check(const SluiceTask *, const double *now, const double *next,
           const SluiceDomain *plate, double change, int64_t rounds) {
  int64_t n = plate->extent[0];
  std::vector<double> from(n * n), to(n * n);
  for (int64_t i = 0; i < n * n; ++i)
    from[i] = to[i] = startingHeat(i / n, i % n, n);
  for (int64_t s = 0; s < 20 * rounds; ++s) {
    for (int64_t i = 1; i < n - 1; ++i)
      sweepRow(from.data() + i * n, to.data() + i * n, 1, n - 1, n);
    std::swap(from, to);
  }
  double most = 0;
  for (int64_t i = 0; i < n * n; ++i) {
    if (std::memcmp(&now[i], &from[i], 8) || std::memcmp(&next[i], &to[i], 8)) {
      std::printf("halo: cell (%lld, %lld) is %.17g, expected %.17g\n",
                  (long long)(i / n), (long long)(i % n), now[i], from[i]);
      std::exit(1);
    }
    most = std::max(most, std::fabs(from[i] - to[i]));
  }
  if (rounds > 0 && change != most) {
    std::printf("halo: the largest change is %.17g, expected %.17g\n", change,
                most);
    std::exit(1);
  }
  std::printf("swept %lld x %lld cells %lld times, largest change %.3g\n",
              (long long)n, (long long)n, (long long)(20 * rounds), change);
  std::printf("halo: ok\n");
}
