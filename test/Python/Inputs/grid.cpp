//===- grid.cpp - The tasks of grid.mlir ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All sums are exact for small whole numbers, so NumPy finds the same.
//
//===----------------------------------------------------------------------===//

#include "grid.rdir.h"

#include <cstdio>
#include <stdexcept>

template <typename Body>
static void forEach(const SluiceDomain *domain, Body &&body) {
  for (int64_t i = domain->lower[0]; i < domain->upper[0]; ++i)
    for (int64_t j = domain->lower[1]; j < domain->upper[1]; ++j)
      body(i, j);
}

void smooth(const SluiceTask *, const double *value, const SluiceDomain *from,
            double *next, const SluiceDomain *to) {
  forEach(to, [&](int64_t i, int64_t j) {
    const double *at = value + i * from->stride[0] + j;
    double near = 0;
    if (i > 0)
      near += at[-from->stride[0]];
    if (i + 1 < from->extent[0])
      near += at[from->stride[0]];
    if (j > 0)
      near += at[-1];
    if (j + 1 < from->extent[1])
      near += at[1];
    next[i * to->stride[0] + j] = *at + 0.25 * near;
  });
}

double total(const SluiceTask *, const double *value,
             const SluiceDomain *domain, double factor) {
  double sum = 0;
  forEach(domain, [&](int64_t i, int64_t j) {
    sum += factor * value[i * domain->stride[0] + j];
  });
  return sum;
}

void mark(const SluiceTask *, int32_t *mark, const SluiceDomain *domain) {
  for (int64_t i = domain->lower[0]; i < domain->upper[0]; ++i)
    mark[i] = 2 * mark[i] + int32_t(i);
}

void go(const SluiceTask *, const int8_t *step, const SluiceDomain *,
        float (*pair)[2], const SluiceDomain *domain) {
  for (int64_t i = domain->lower[0]; i < domain->upper[0]; ++i) {
    pair[i][0] += float(step[i]);
    pair[i][1] -= float(step[i]);
  }
}

int32_t count(const SluiceTask *, int32_t runs, int32_t failing) {
  if (runs == failing)
    throw std::runtime_error("this run fails");
  std::printf("run %d\n", int(runs));
  return runs + 1;
}
