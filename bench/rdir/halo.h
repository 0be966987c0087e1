//===- halo.h - The stencil that bench rdir measures ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel, inputs and oracle of the rows "halo", the same for every program.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_HALO_H
#define SLUICE_BENCH_RDIR_HALO_H

#include "../common/harness.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace bench {

inline double startingHeat(int64_t row, int64_t column, int64_t n) {
  if (column == 0 && row > n / 4 && row < 3 * n / 4)
    return 100;
  return double((row * 31 + column * 17) % 64) / 64;
}

/// Cells begin <= j < end of a row of length n.
inline void sweepRow(const double *__restrict from, double *__restrict to,
                     int64_t begin, int64_t end, int64_t n) {
  for (int64_t j = begin; j < end; ++j)
    to[j] = from[j] + 0.2 * (from[j - n] + from[j + n] + from[j - 1] +
                             from[j + 1] - 4 * from[j]);
}

/// The inner cells of a box of rows and columns; rows are `stride` apart.
inline void sweepBox(const double *from, double *to, int64_t firstRow,
                     int64_t endRow, int64_t firstColumn, int64_t endColumn,
                     int64_t n, int64_t stride) {
  endRow = std::min(endRow, n - 1);
  firstColumn = std::max<int64_t>(firstColumn, 1);
  endColumn = std::min(endColumn, n - 1);
  for (int64_t i = std::max<int64_t>(firstRow, 1); i < endRow; ++i)
    sweepRow(from + i * stride, to + i * stride, firstColumn, endColumn,
             stride);
}
inline void sweepBox(const double *from, double *to, int64_t firstRow,
                     int64_t endRow, int64_t firstColumn, int64_t endColumn,
                     int64_t n) {
  sweepBox(from, to, firstRow, endRow, firstColumn, endColumn, n, n);
}

/// The plate: n x n cells in rows x columns blocks, swept 2 * pairs times in a
/// repetition.
struct Plate {
  int64_t n = 0, rows = 0, columns = 0, pairs = 0;
  double *now = nullptr, *next = nullptr;

  int64_t firstRow(int64_t block) const { return block * n / rows; }
  int64_t firstColumn(int64_t block) const { return block * n / columns; }
  void sweepBlock(const double *from, double *to, int64_t i, int64_t j) const {
    sweepBox(from, to, firstRow(i), firstRow(i + 1), firstColumn(j),
             firstColumn(j + 1), n);
  }
  void reset() {
    for (int64_t i = 0; i < n * n; ++i)
      now[i] = next[i] = startingHeat(i / n, i % n, n);
  }
};

/// Null if `now` is what one repetition from fresh inputs gives.
inline const char *verify(const double *now, int64_t n, int64_t pairs) {
  std::vector<double> from(n * n), to(n * n);
  for (int64_t i = 0; i < n * n; ++i)
    from[i] = to[i] = startingHeat(i / n, i % n, n);
  for (int64_t sweep = 0; sweep < 2 * pairs; ++sweep) {
    sweepBox(from.data(), to.data(), 0, n, 0, n, n);
    std::swap(from, to);
  }
  for (int64_t i = 0; i < n * n; ++i)
    if (std::memcmp(&now[i], &from[i], sizeof(double)) != 0)
      return benchWrong("cell", i, from[i], now[i]);
  return nullptr;
}

} // namespace bench

#endif // SLUICE_BENCH_RDIR_HALO_H
