//===- cg.cpp - The tasks of cg.mlir --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas are those of the program by hand.
//
//===----------------------------------------------------------------------===//

#include "cg.h"
#include "cg.rdir.h"
#include "orders.h"

#include <algorithm>

void assemble(const SluiceTask *, int64_t *row, int64_t *column, double *value,
              const SluiceDomain *, int64_t *first, double *b,
              const SluiceDomain *vectors) {
  const int64_t rows = vectors->count, side = bench::sideOf(rows);
  int64_t entry = 0;
  for (int64_t i = 0; i < rows; ++i) {
    first[i] = entry;
    b[i] = bench::rightSide(i);
    bench::assembleRow(i, rows, side, [&](int64_t j, double factor) {
      row[entry] = i;
      column[entry] = j;
      value[entry++] = factor;
    });
  }
}

int32_t serve(const SluiceTask *, int32_t, double wrong) {
  return bench::nextOrder(wrong, bench::allowedError);
}

double restart(const SluiceTask *, const double *b, const SluiceDomain *block,
               int32_t, double *x, const SluiceDomain *, double *r,
               const SluiceDomain *, double *p, const SluiceDomain *) {
  double sum = 0;
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i) {
    x[i] = 0;
    r[i] = p[i] = b[i];
    sum += b[i] * b[i];
  }
  return sum;
}

double multiply(const SluiceTask *, const int64_t *column, const double *value,
                const SluiceDomain *lines, const int64_t *first,
                const SluiceDomain *, const double *p, const SluiceDomain *,
                double *q, const SluiceDomain *block) {
  return bench::multiplyRows(first, column, value, p, q, block->lower[0],
                             block->upper[0], lines->upper[0]);
}

double improve(const SluiceTask *, double *x, const SluiceDomain *block,
               double *r, const SluiceDomain *, const double *p,
               const SluiceDomain *, const double *q, const SluiceDomain *,
               double old, double pq) {
  return bench::improveRows(x, r, p, q, old / pq, block->lower[0],
                            block->upper[0]);
}

void direct(const SluiceTask *, double *p, const SluiceDomain *block,
            const double *r, const SluiceDomain *, double old, double now) {
  bench::directRows(p, r, now / old, block->lower[0], block->upper[0]);
}

double keep(const SluiceTask *, double now) { return now; }

double compare(const SluiceTask *, const double *x, const SluiceDomain *block,
               int32_t order, int64_t rows, int64_t steps) {
  if (order != bench::Check)
    return 0;
  static const std::vector<double> expected = bench::solutionAfter(rows, steps);
  double most = 0;
  for (int64_t i = block->lower[0]; i < block->upper[0]; ++i)
    most = std::max(most, bench::errorOf(x[i], expected[i]));
  return most;
}
