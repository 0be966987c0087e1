//===- stencil.h - The star that bench rdir measures ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, inputs and oracle of the rows "stencil", the same for every program.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_STENCIL_H
#define SLUICE_BENCH_RDIR_STENCIL_H

#include "../common/harness.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bench {

constexpr int64_t starRadius = 2;

/// Adds the weighted neighbours of cells begin <= j < end of a row.
inline void starRow(const double *__restrict input, double *__restrict output,
                    int64_t begin, int64_t end, int64_t stride) {
  for (int64_t j = begin; j < end; ++j)
    output[j] += 0.25 * (input[j + 1] - input[j - 1] + input[j + stride] -
                         input[j - stride]) +
                 0.125 * (input[j + 2] - input[j - 2] + input[j + 2 * stride] -
                          input[j - 2 * stride]);
}

inline void incrementRow(double *input, int64_t begin, int64_t end) {
  for (int64_t j = begin; j < end; ++j)
    input[j] += 1.0;
}

/// The grid of n x n cells; rows are `stride` apart.
struct StarGrid {
  int64_t n, stride, steps;
  double *input, *output;

  void reset() const {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        input[i * stride + j] = double((i * 31 + j * 17) % 64) / 64;
        output[i * stride + j] = 0;
      }
  }
  void starOfRow(int64_t i, int64_t begin, int64_t end) const {
    if (i >= starRadius && i < n - starRadius)
      starRow(input + i * stride, output + i * stride,
              std::max(begin, starRadius), std::min(end, n - starRadius),
              stride);
  }
  /// Null if the fields are what one repetition from fresh inputs gives.
  const char *verify() const {
    std::vector<double> in(n * n), out(n * n);
    StarGrid serial{n, n, steps, in.data(), out.data()};
    serial.reset();
    for (int64_t step = 0; step < steps; ++step) {
      for (int64_t i = 0; i < n; ++i)
        serial.starOfRow(i, 0, n);
      incrementRow(in.data(), 0, n * n);
    }
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        if (in[i * n + j] != input[i * stride + j])
          return benchWrong("input", i * n + j, in[i * n + j],
                            input[i * stride + j]);
        if (std::abs(out[i * n + j] - output[i * stride + j]) > 1e-9)
          return benchWrong("output", i * n + j, out[i * n + j],
                            output[i * stride + j]);
      }
    return nullptr;
  }
};

} // namespace bench

#endif // SLUICE_BENCH_RDIR_STENCIL_H
