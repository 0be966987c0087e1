//===- pagerank.h - The ranks that bench rdir measures ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, inputs and oracle of the rows "pagerank", the same for every
// program. Links are sorted by the pages that they lead to.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_PAGERANK_H
#define SLUICE_BENCH_RDIR_PAGERANK_H

#include "../common/harness.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bench {

constexpr double damping = 0.85;

/// Fills `from` and `to`; pages with small numbers are popular.
inline void makeSortedLinks(int64_t *from, int64_t *to, int64_t numLinks,
                            int64_t numPages) {
  std::vector<int64_t> sources(numLinks), targets(numLinks), next(numPages + 1);
  for (int64_t i = 0; i < numLinks; ++i) {
    uint64_t random = uint64_t(i) * 0x9e3779b97f4a7c15u + 12345;
    random ^= random >> 29;
    random *= 0xbf58476d1ce4e5b9u;
    random ^= random >> 32;
    sources[i] = int64_t(random % uint64_t(numPages));
    const int64_t other = int64_t((random >> 20) % uint64_t(numPages));
    targets[i] = other * other / numPages;
    ++next[targets[i] + 1];
  }
  for (int64_t page = 0; page < numPages; ++page)
    next[page + 1] += next[page];
  for (int64_t i = 0; i < numLinks; ++i) {
    const int64_t place = next[targets[i]]++;
    from[place] = sources[i];
    to[place] = targets[i];
  }
}

/// Where a piece begins: pieces have as many links each, but no page's links
/// are in two.
inline int64_t firstLinkOf(int64_t piece, int64_t numPieces, const int64_t *to,
                           int64_t numLinks) {
  int64_t link = piece * numLinks / numPieces;
  while (link > 0 && link < numLinks && to[link] == to[link - 1])
    ++link;
  return link;
}

inline int64_t firstPageOf(int64_t piece, int64_t numPieces, const int64_t *to,
                           int64_t numLinks, int64_t numPages) {
  const int64_t link = firstLinkOf(piece, numPieces, to, numLinks);
  return piece == 0 ? 0 : link == numLinks ? numPages : to[link];
}

inline void countLinks(const int64_t *from, int64_t numLinks, int64_t *degree,
                       int64_t numPages) {
  std::fill_n(degree, numPages, 0);
  for (int64_t i = 0; i < numLinks; ++i)
    ++degree[from[i]];
}

/// What links begin <= i < end bring to their pages.
inline void gatherRanks(const int64_t *__restrict from,
                        const int64_t *__restrict to, int64_t begin,
                        int64_t end, const double *__restrict rank,
                        const int64_t *__restrict degree,
                        double *__restrict next) {
  for (int64_t i = begin; i < end;) {
    const int64_t page = to[i];
    double sum = 0;
    for (; i < end && to[i] == page; ++i)
      sum += rank[from[i]] / double(degree[from[i]]);
    next[page] += damping * sum;
  }
}

inline void startRanks(double *next, int64_t begin, int64_t end,
                       int64_t numPages) {
  std::fill(next + begin, next + end, (1.0 - damping) / double(numPages));
}

/// Returns the greatest change.
inline double advanceRanks(const double *__restrict next,
                           double *__restrict rank, int64_t begin,
                           int64_t end) {
  double change = 0;
  for (int64_t i = begin; i < end; ++i) {
    const double difference = std::fabs(next[i] - rank[i]);
    change = difference > change ? difference : change;
    rank[i] = next[i];
  }
  return change;
}

/// Null if `rank` is what one repetition gives.
inline const char *verifyRanks(const double *rank, const int64_t *from,
                               const int64_t *to, int64_t numLinks,
                               const int64_t *degree, int64_t numPages,
                               int64_t steps, double bound) {
  std::vector<double> now(numPages, 1.0 / double(numPages)), next(numPages);
  double change = 2 * bound;
  for (int64_t step = 0; step < steps && change > bound; ++step) {
    startRanks(next.data(), 0, numPages, numPages);
    gatherRanks(from, to, 0, numLinks, now.data(), degree, next.data());
    change = advanceRanks(next.data(), now.data(), 0, numPages);
  }
  for (int64_t i = 0; i < numPages; ++i)
    if (!(std::fabs(rank[i] - now[i]) <= 1e-9 * now[i]))
      return benchWrong("rank", i, now[i], rank[i]);
  return nullptr;
}

} // namespace bench

#endif // SLUICE_BENCH_RDIR_PAGERANK_H
