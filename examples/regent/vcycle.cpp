//===- vcycle.cpp - The tasks of a multigrid cycle ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of vcycle.mlir, and the same computation in plain C++.
//
//===----------------------------------------------------------------------===//

#include "vcycle.rdir.h"
#include <cstdio>
#include <vector>

static double sourceOf(int64_t i) { return double(i % 13) - 6.0; }

// A step of damped Jacobi at cell `i`, and the residual there; x is 0 outside.
static double smoothAt(const double *x, const double *b, int64_t i, int64_t n) {
  const double left = i > 0 ? x[i - 1] : 0.0;
  const double right = i + 1 < n ? x[i + 1] : 0.0;
  return x[i] + (2.0 / 3.0) * 0.5 * (b[i] + left + right - 2.0 * x[i]);
}
static double residualAt(const double *x, const double *b, int64_t i,
                         int64_t n) {
  const double left = i > 0 ? x[i - 1] : 0.0;
  const double right = i + 1 < n ? x[i + 1] : 0.0;
  return b[i] + left + right - 2.0 * x[i];
}
static double restrictAt(const double *r, int64_t i) {
  return 2.0 * (r[2 * i] + r[2 * i + 1]);
}

void start(const SluiceTask *, double *x, double *y, double *b, double *r,
           const SluiceDomain *block) {
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i) {
    x[i] = y[i] = r[i] = 0.0;
    b[i] = sourceOf(i);
  }
}

void smooth(const SluiceTask *, const double *x, const SluiceDomain *,
            const double *b, const SluiceDomain *, double *y,
            const SluiceDomain *block, int64_t n) {
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i)
    y[i] = smoothAt(x, b, i, n);
}

void residual(const SluiceTask *, const double *x, const SluiceDomain *,
              const double *b, const SluiceDomain *, double *r,
              const SluiceDomain *block, int64_t n) {
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i)
    r[i] = residualAt(x, b, i, n);
}

// The parameters are in the order of the fields of the root.
void coarsen(const SluiceTask *, const double *r, const SluiceDomain *,
             double *x, double *b, const SluiceDomain *block) {
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i) {
    b[i] = restrictAt(r, i);
    x[i] = 0.0;
  }
}

void prolong(const SluiceTask *, const double *coarse, const SluiceDomain *,
             double *x, const SluiceDomain *block) {
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i)
    x[i] += coarse[i / 2];
}

namespace {
// One grid of the plain program.
struct Grid {
  explicit Grid(int64_t n) : n(n), x(n), y(n), b(n), r(n) {}
  void smoothTwice() {
    for (int64_t i = 0; i < n; ++i)
      y[i] = smoothAt(x.data(), b.data(), i, n);
    for (int64_t i = 0; i < n; ++i)
      x[i] = smoothAt(y.data(), b.data(), i, n);
  }
  void restrictTo(Grid &coarser) {
    for (int64_t i = 0; i < n; ++i)
      r[i] = residualAt(x.data(), b.data(), i, n);
    for (int64_t i = 0; i < coarser.n; ++i) {
      coarser.b[i] = restrictAt(r.data(), i);
      coarser.x[i] = 0.0;
    }
  }
  void add(const Grid &coarser) {
    for (int64_t i = 0; i < n; ++i)
      x[i] += coarser.x[i / 2];
  }
  int64_t n;
  std::vector<double> x, y, b, r;
};
} // namespace

void compare(const SluiceTask *, const double *x, const SluiceDomain *fine,
             int64_t cycles) {
  const int64_t n = fine->upper[0];
  Grid f(n), m(n / 2), c(n / 4);
  for (int64_t i = 0; i < n; ++i)
    f.b[i] = sourceOf(i);
  for (int64_t cycle = 0; cycle < cycles; ++cycle) {
    f.smoothTwice();
    f.restrictTo(m);
    m.smoothTwice();
    m.restrictTo(c);
    for (int i = 0; i < 20; ++i)
      c.smoothTwice();
    m.add(c);
    m.smoothTwice();
    f.add(m);
    f.smoothTwice();
  }
  int64_t wrong = 0;
  for (int64_t i = 0; i < n; ++i)
    wrong += x[i] != f.x[i];
  std::printf("vcycle: %lld wrong\n", (long long)wrong);
}
