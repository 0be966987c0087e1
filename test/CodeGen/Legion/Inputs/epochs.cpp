//===- epochs.cpp - The tasks of epochs.mlir ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers only, so that all runtimes print the same.
//
//===----------------------------------------------------------------------===//

#include "epochs.rdir.h"

#include <algorithm>
#include <cstdio>

template <typename Visitor>
static void forEach(const SluiceDomain *domain, Visitor visit) {
  SluiceRun box = {domain->lower[0], domain->upper[0]};
  const SluiceRun *runs = domain->runs ? domain->runs : &box;
  int64_t count = domain->runs ? domain->numRuns : 1;
  for (int64_t run = 0; run != count; ++run)
    for (int64_t i = runs[run].begin; i < runs[run].end; ++i)
      visit(i);
}

void mix(int64_t *into, const int64_t *value) { *into = *into ^ *value; }

void every_fourth(const int64_t *color, SluiceColoring *elements) {
  for (int64_t i = color[0]; i < parameter_n; i += 4)
    elements->add(elements, i, i + 1);
}

void start(const SluiceTask *, int64_t *a, const SluiceDomain *data, int64_t *c,
           const SluiceDomain *) {
  forEach(data, [&](int64_t i) {
    a[i] = 3 * i + 1;
    c[i] = i * i;
  });
}

int64_t change(const SluiceTask *task, int64_t *a, const SluiceDomain *part) {
  int64_t sum = 1000 * task->point[0] + 10000 * task->extent[0];
  forEach(part, [&](int64_t i) { sum += a[i] += task->rank; });
  return sum;
}

int32_t answerTo(const SluiceTask *task, int64_t *c, const SluiceDomain *part) {
  forEach(part, [&](int64_t i) { c[i] += 100; });
  return int32_t(42 + task->rank + part->count);
}

void negate(const SluiceTask *, int64_t *a, const SluiceDomain *some) {
  forEach(some, [&](int64_t i) { a[i] = -a[i]; });
}

void stir(const SluiceTask *, int64_t *c, const SluiceDomain *data) {
  forEach(data, [&](int64_t i) {
    int64_t value = 5 * i;
    mix(&c[i], &value);
  });
}

int64_t see(const SluiceTask *, const int64_t *a, const SluiceDomain *data) {
  int64_t most = 0;
  forEach(data, [&](int64_t i) { most = std::max(most, a[i]); });
  return most;
}

void print(const SluiceTask *, const int64_t *a, const SluiceDomain *data,
           const int64_t *c, const SluiceDomain *, int64_t total,
           int32_t answer, int64_t seen) {
  int64_t sums[2] = {0, 0};
  forEach(data, [&](int64_t i) {
    sums[0] += (i + 1) * a[i];
    sums[1] += (i + 1) * c[i];
  });
  std::printf("sums %lld %lld total %lld answer %d seen %lld\n",
              (long long)sums[0], (long long)sums[1], (long long)total, answer,
              (long long)seen);
}
