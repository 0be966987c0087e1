//===- pagerank.cpp - The tasks of the ranks of pages ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of pagerank.mlir, and the same computation in plain C++.
//
//===----------------------------------------------------------------------===//

#include "pagerank.rdir.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

static constexpr double damping = 0.85;

// The ends of link `i`: pages with small numbers are popular.
static void endsOf(int64_t i, int64_t pages, int64_t &from, int64_t &to) {
  uint64_t random = uint64_t(i) * 0x9e3779b97f4a7c15u + 12345;
  random ^= random >> 29;
  random *= 0xbf58476d1ce4e5b9u;
  random ^= random >> 32;
  from = int64_t(random % uint64_t(pages));
  const int64_t other = int64_t((random >> 20) % uint64_t(pages));
  to = other * other / pages;
}

void makeLinks(const SluiceTask *, int64_t *from, int64_t *to,
               const SluiceDomain *links, int64_t pages) {
  for (int64_t i = links->lower[0]; i < links->upper[0]; ++i)
    endsOf(i, pages, from[i], to[i]);
}

void makePages(const SluiceTask *, const int64_t *from, const int64_t *,
               const SluiceDomain *links, double *rank, double *next,
               int64_t *degree, const SluiceDomain *pages) {
  for (int64_t i = pages->lower[0]; i < pages->upper[0]; ++i) {
    rank[i] = 1.0 / double(pages->upper[0]);
    next[i] = 0.0;
    degree[i] = 0;
  }
  for (int64_t i = links->lower[0]; i < links->upper[0]; ++i)
    ++degree[from[i]];
}

void gather(const SluiceTask *, const int64_t *from, const int64_t *to,
            const SluiceDomain *links, const double *rank,
            const int64_t *degree, const SluiceDomain *, double *next,
            const SluiceDomain *owned, int64_t pages) {
  for (int64_t i = owned->lower[0]; i < owned->upper[0]; ++i)
    next[i] = (1.0 - damping) / double(pages);
  auto add = [&](int64_t i) {
    next[to[i]] += damping * rank[from[i]] / double(degree[from[i]]);
  };
  if (links->numRuns == 0)
    for (int64_t i = links->lower[0]; i < links->upper[0]; ++i)
      add(i);
  for (int64_t run = 0; run < links->numRuns; ++run)
    for (int64_t i = links->runs[run].begin; i < links->runs[run].end; ++i)
      add(i);
}

double advance(const SluiceTask *, const double *next, const SluiceDomain *,
               double *rank, const SluiceDomain *owned) {
  double change = 0.0;
  for (int64_t i = owned->lower[0]; i < owned->upper[0]; ++i) {
    change = std::max(change, std::fabs(next[i] - rank[i]));
    rank[i] = next[i];
  }
  return change;
}

int32_t decide(const SluiceTask *, double change, double bound) {
  return change > bound;
}

void compare(const SluiceTask *, const double *rank, const SluiceDomain *page,
             const int64_t *from, const int64_t *to, const SluiceDomain *,
             int64_t pages, int64_t links, double bound) {
  std::vector<double> old(pages, 1.0 / double(pages)), next(pages);
  std::vector<int64_t> degree(pages);
  for (int64_t i = 0; i < links; ++i)
    ++degree[from[i]];
  int steps = 0;
  for (double change = 2 * bound; steps < 200 && change > bound; ++steps) {
    std::fill(next.begin(), next.end(), (1.0 - damping) / double(pages));
    for (int64_t i = 0; i < links; ++i)
      next[to[i]] += damping * old[from[i]] / double(degree[from[i]]);
    change = 0.0;
    for (int64_t i = 0; i < pages; ++i)
      change = std::max(change, std::fabs(next[i] - old[i]));
    old = next;
  }
  int64_t wrong = 0;
  for (int64_t i = 0; i < pages; ++i)
    wrong += old[i] != rank[i * page->stride[0]];
  std::printf("pagerank: %d steps, %lld wrong\n", steps, (long long)wrong);
}
