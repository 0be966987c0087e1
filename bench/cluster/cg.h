//===- cg.h - The conjugate gradients of bench cluster ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix, kernels and oracle of the rows "cg", the same for every program: a
// Poisson problem on a square grid, by rows, of which only `assembleRow` knows
// that it is one.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_CLUSTER_CG_H
#define SLUICE_BENCH_CLUSTER_CG_H

#include <cmath>
#include <cstdint>
#include <vector>

namespace bench {

inline int64_t sideOf(int64_t rows) {
  return std::llround(std::sqrt(double(rows)));
}

inline double rightSide(int64_t row) {
  return std::sin(0.1 * double(row)) + 1.0;
}

/// Calls `add(column, value)` with the entries of a row, by ascending columns.
template <typename Add>
void assembleRow(int64_t row, int64_t rows, int64_t side, Add add) {
  if (row >= side)
    add(row - side, -1.0);
  if (row % side != 0)
    add(row - 1, -1.0);
  add(row, 4.0);
  if (row % side != side - 1)
    add(row + 1, -1.0);
  if (row + side < rows)
    add(row + side, -1.0);
}

/// q = A p of rows begin to end, whose entries end before `endEntry`; returns
/// the sum of p q.
inline double multiplyRows(const int64_t *__restrict first,
                           const int64_t *__restrict column,
                           const double *__restrict value,
                           const double *__restrict p, double *__restrict q,
                           int64_t begin, int64_t end, int64_t endEntry) {
  double sum = 0;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t stop = i + 1 == end ? endEntry : first[i + 1];
    double product = 0;
    for (int64_t entry = first[i]; entry < stop; ++entry)
      product += value[entry] * p[column[entry]];
    q[i] = product;
    sum += p[i] * product;
  }
  return sum;
}

/// x += step p and r -= step q; returns the sum of r r.
inline double improveRows(double *__restrict x, double *__restrict r,
                          const double *__restrict p,
                          const double *__restrict q, double step,
                          int64_t begin, int64_t end) {
  double sum = 0;
  for (int64_t i = begin; i < end; ++i) {
    x[i] += step * p[i];
    r[i] -= step * q[i];
    sum += r[i] * r[i];
  }
  return sum;
}

inline void directRows(double *__restrict p, const double *__restrict r,
                       double factor, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    p[i] = r[i] + factor * p[i];
}

/// x after so many steps from zero, by plain loops without a stored matrix.
inline std::vector<double> solutionAfter(int64_t rows, int64_t steps) {
  const int64_t side = sideOf(rows);
  std::vector<double> x(rows, 0.0), r(rows), q(rows);
  double old = 0;
  for (int64_t i = 0; i < rows; ++i) {
    r[i] = rightSide(i);
    old += r[i] * r[i];
  }
  std::vector<double> p = r;
  for (int64_t step = 0; step < steps; ++step) {
    double pq = 0, now = 0;
    for (int64_t i = 0; i < rows; ++i) {
      double product = 0;
      assembleRow(i, rows, side, [&](int64_t column, double value) {
        product += value * p[column];
      });
      q[i] = product;
      pq += p[i] * product;
    }
    for (int64_t i = 0; i < rows; ++i) {
      x[i] += old / pq * p[i];
      r[i] -= old / pq * q[i];
      now += r[i] * r[i];
    }
    for (int64_t i = 0; i < rows; ++i)
      p[i] = r[i] + now / old * p[i];
    old = now;
  }
  return x;
}

/// Sums of blocks round in another order than one long sum.
inline double errorOf(double found, double expected) {
  const double error = std::fabs(found - expected);
  return error >= 0 ? error / (1 + std::fabs(expected)) : HUGE_VAL;
}
inline constexpr double allowedError = 1e-9;

} // namespace bench

#endif // SLUICE_BENCH_CLUSTER_CG_H
