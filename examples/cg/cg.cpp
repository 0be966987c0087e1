//===- cg.cpp - The tasks of the conjugate gradient method ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix is that of a Poisson problem on a square grid, by rows; nothing
// but `assemble` knows so. The result is compared with that of a serial solver.
//
//===----------------------------------------------------------------------===//

#include "cg.rdir.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

//===----------------------------------------------------------------------===//
// The matrix
//===----------------------------------------------------------------------===//

/// Rows and columns of the grid.
static int64_t sideOf(int64_t rows) {
  int64_t side = std::llround(std::sqrt(double(rows)));
  if (side * side != rows) {
    std::fprintf(stderr, "cg: --rows=%lld is not a square\n", (long long)rows);
    std::exit(1);
  }
  int64_t entries = 5 * rows - 4 * side;
  if (entries != parameter_entries) {
    std::fprintf(stderr, "cg: %lld rows have %lld entries: --entries=%lld\n",
                 (long long)rows, (long long)entries, (long long)entries);
    std::exit(1);
  }
  return side;
}

void assemble(const SluiceTask *, int64_t *row, int64_t *column, double *value,
              const SluiceDomain *, int64_t *first, double *b,
              const SluiceDomain *vectors) {
  int64_t rows = vectors->count, side = sideOf(rows), entry = 0;
  for (int64_t i = 0; i != rows; ++i) {
    first[i] = entry;
    b[i] = std::sin(0.1 * double(i)) + 1.0;
    auto add = [&](bool isInside, int64_t j, double factor) {
      if (!isInside)
        return;
      row[entry] = i;
      column[entry] = j;
      value[entry++] = factor;
    };
    add(i >= side, i - side, -1.0);
    add(i % side != 0, i - 1, -1.0);
    add(true, i, 4.0);
    add(i % side != side - 1, i + 1, -1.0);
    add(i + side < rows, i + side, -1.0);
  }
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

double square(const SluiceTask *, const double *r, const SluiceDomain *block) {
  double sum = 0.0;
  for (int64_t i = block->lower[0]; i != block->upper[0]; ++i)
    sum += r[i] * r[i];
  return sum;
}

double multiply(const SluiceTask *, const int64_t *column, const double *value,
                const SluiceDomain *lines, const int64_t *first,
                const SluiceDomain *, const double *p, const SluiceDomain *,
                double *q, const SluiceDomain *block) {
  double sum = 0.0;
  for (int64_t i = block->lower[0]; i != block->upper[0]; ++i) {
    bool isLast = i + 1 == block->upper[0];
    int64_t end = isLast ? lines->upper[0] : first[i + 1];
    double product = 0.0;
    for (int64_t entry = first[i]; entry != end; ++entry)
      product += value[entry] * p[column[entry]];
    q[i] = product;
    sum += p[i] * product;
  }
  return sum;
}

double improve(const SluiceTask *, double *x, const SluiceDomain *block,
               double *r, const SluiceDomain *, const double *p,
               const SluiceDomain *, const double *q, const SluiceDomain *,
               double old, double pq) {
  double step = old / pq, sum = 0.0;
  for (int64_t i = block->lower[0]; i != block->upper[0]; ++i) {
    x[i] += step * p[i];
    r[i] -= step * q[i];
    sum += r[i] * r[i];
  }
  return sum;
}

void direct(const SluiceTask *, double *p, const SluiceDomain *block,
            const double *r, const SluiceDomain *, double old, double now) {
  double factor = now / old;
  for (int64_t i = block->lower[0]; i != block->upper[0]; ++i)
    p[i] = r[i] + factor * p[i];
}

double keep(const SluiceTask *, double now) { return now; }

int32_t count(const SluiceTask *, int32_t step) { return step + 1; }

int32_t isLarge(const SluiceTask *, double rest, double bound) {
  return rest > bound;
}

//===----------------------------------------------------------------------===//
// The same, serially
//===----------------------------------------------------------------------===//

namespace {
/// Multiplies without a stored matrix.
struct Grid {
  int64_t side;
  double at(const std::vector<double> &v, int64_t i) const {
    double sum = 4.0 * v[i];
    if (i >= side)
      sum -= v[i - side];
    if (i % side != 0)
      sum -= v[i - 1];
    if (i % side != side - 1)
      sum -= v[i + 1];
    if (i + side < side * side)
      sum -= v[i + side];
    return sum;
  }
};
} // namespace

static std::vector<double> solveSerially(const Grid &grid) {
  size_t n = size_t(grid.side * grid.side);
  std::vector<double> x(n, 0.0), r(n), p, q(n);
  for (size_t i = 0; i != n; ++i)
    r[i] = std::sin(0.1 * double(i)) + 1.0;
  p = r;
  double old = 0.0;
  for (double value : r)
    old += value * value;
  for (int64_t step = 0; step != parameter_steps && old > 1e-20; ++step) {
    double pq = 0.0, now = 0.0;
    for (size_t i = 0; i != n; ++i)
      pq += p[i] * (q[i] = grid.at(p, int64_t(i)));
    for (size_t i = 0; i != n; ++i) {
      x[i] += old / pq * p[i];
      r[i] -= old / pq * q[i];
      now += r[i] * r[i];
    }
    for (size_t i = 0; i != n; ++i)
      p[i] = r[i] + now / old * p[i];
    old = now;
  }
  return x;
}

void compare(const SluiceTask *, const double *x, const SluiceDomain *vectors,
             int32_t steps, double rest) {
  Grid grid{sideOf(vectors->count)};
  std::vector<double> expected = solveSerially(grid);
  std::vector<double> found(x, x + vectors->count);
  double worst = 0.0, largest = 0.0;
  for (size_t i = 0; i != found.size(); ++i) {
    worst = std::max(worst, std::fabs(found[i] - expected[i]));
    largest = std::max(largest, std::fabs(expected[i]));
  }
  std::printf("%lld rows, %lld entries, %d steps, residual %.1e\n",
              (long long)vectors->count, (long long)parameter_entries, steps,
              std::sqrt(rest));
  // Sums of blocks round in another order than one long sum.
  if (!(worst <= 1e-9 * largest)) {
    std::printf("cg: differs by %g from the serial solver's result\n", worst);
    std::exit(1);
  }
  std::printf("cg: ok\n");
}
