//===- stencil.cpp - The tasks of a stencil -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of stencil.mlir, and the same computation in plain C++.
//
//===----------------------------------------------------------------------===//

#include "stencil.rdir.h"
#include <cstdio>
#include <vector>

static constexpr int radius = 2;

static double startOf(int64_t i, int64_t j) {
  return double(i) + 0.5 * double(j);
}

// `at(i, j)` is the input.
template <typename At> static double sumAround(At at, int64_t i, int64_t j) {
  double sum = 0.0;
  for (int r = 1; r <= radius; ++r) {
    const double weight = 1.0 / (2.0 * r * radius);
    sum += weight * at(i, j + r);
    sum -= weight * at(i, j - r);
    sum += weight * at(i + r, j);
    sum -= weight * at(i - r, j);
  }
  return sum;
}

static bool isInside(int64_t i, int64_t j, int64_t n) {
  return i >= radius && j >= radius && i < n - radius && j < n - radius;
}

template <typename Visit>
static void forEach(const SluiceDomain *tile, Visit visit) {
  for (int64_t i = tile->lower[0]; i < tile->upper[0]; ++i)
    for (int64_t j = tile->lower[1]; j < tile->upper[1]; ++j)
      visit(i, j, i * tile->stride[0] + j * tile->stride[1]);
}

void start(const SluiceTask *, double *input, double *output,
           const SluiceDomain *tile) {
  forEach(tile, [&](int64_t i, int64_t j, int64_t at) {
    input[at] = startOf(i, j);
    output[at] = 0.0;
  });
}

void stencil(const SluiceTask *, const double *input, const SluiceDomain *halo,
             double *output, const SluiceDomain *tile, int64_t n) {
  auto at = [&](int64_t i, int64_t j) {
    return input[i * halo->stride[0] + j * halo->stride[1]];
  };
  forEach(tile, [&](int64_t i, int64_t j, int64_t place) {
    if (isInside(i, j, n))
      output[place] += sumAround(at, i, j);
  });
}

void increment(const SluiceTask *, double *input, const SluiceDomain *tile) {
  forEach(tile, [&](int64_t, int64_t, int64_t at) { input[at] += 1.0; });
}

void compare(const SluiceTask *, const double *input, const double *output,
             const SluiceDomain *grid, int64_t n, int64_t steps) {
  std::vector<double> in(n * n), out(n * n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      in[i * n + j] = startOf(i, j);
  for (int64_t step = 0; step < steps; ++step) {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        if (isInside(i, j, n))
          out[i * n + j] += sumAround(
              [&](int64_t x, int64_t y) { return in[x * n + y]; }, i, j);
    for (double &value : in)
      value += 1.0;
  }
  int64_t wrong = 0;
  forEach(grid, [&](int64_t i, int64_t j, int64_t at) {
    wrong += in[i * n + j] != input[at] || out[i * n + j] != output[at];
  });
  std::printf("stencil: %lld wrong\n", (long long)wrong);
}
