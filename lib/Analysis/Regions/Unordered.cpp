//===- Unordered.cpp - All pairs of tasks without an order ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes which tasks a task reaches, as bits, for a block of tasks at a time,
// so that memory only grows linearly with the number of tasks.
//
//===----------------------------------------------------------------------===//

#include "Forest.h"

#include <array>

using namespace sluice;
using namespace sluice::regions;

namespace {
constexpr uint32_t wordsInBlock = 16, blockSize = wordsInBlock * 64;

/// Bits for the tasks of a block.
struct Bits : std::array<uint64_t, wordsInBlock> {
  Bits() { fill(0); }
  void set(uint32_t bit) { (*this)[bit / 64] |= uint64_t(1) << bit % 64; }
  bool test(uint32_t bit) const { return (*this)[bit / 64] >> bit % 64 & 1; }
  /// The first bit from `bit` on that is clear both here and in `others`.
  uint32_t nextFree(uint32_t bit, const Bits &others) const {
    for (; bit < blockSize; bit = (bit / 64 + 1) * 64)
      if (uint64_t free = ~((*this)[bit / 64] | others[bit / 64]) >> bit % 64)
        return bit + __builtin_ctzll(free);
    return blockSize;
  }
  void operator|=(const Bits &other) {
    for (uint32_t word = 0; word != wordsInBlock; ++word)
      (*this)[word] |= other[word];
  }
};

class UnorderedReach {
public:
  UnorderedReach(const TaskGraph &graph, const std::vector<bool> &isAsked)
      : isAsked(isAsked), edges(graph.tasks.size()) {
    for (const OrderEdge &edge : graph.order)
      edges[edge.before].push_back(
          {edge.after, regions::isPointwise(graph, edge)});
  }

  /// Computes what reaches the tasks from `begin` on.
  void computeBlock(uint32_t begin);
  /// The first queried task of the block, from `second` on, that does not wait
  /// for all of `first`.
  uint32_t nextFree(uint32_t first, uint32_t second) const {
    return begin + ordered[first].nextFree(second - begin, skipped);
  }
  bool isReached(uint32_t first, uint32_t second) const {
    return reached[first].test(second - begin);
  }

private:
  struct Successor {
    uint32_t task;
    bool isPointwise;
  };
  const std::vector<bool> &isAsked;
  std::vector<std::vector<Successor>> edges;
  uint32_t begin = 0;
  /// The tasks of the block that are not queried.
  Bits skipped;
  /// Reached by any path; reached by a path with an edge that orders all
  /// instances.
  std::vector<Bits> reached, ordered;
};
} // namespace

void UnorderedReach::computeBlock(uint32_t first) {
  begin = first;
  skipped = {};
  for (uint32_t i = 0; i != blockSize && begin + i < isAsked.size(); ++i)
    if (!isAsked[begin + i])
      skipped.set(i);
  reached.assign(edges.size(), {});
  ordered.assign(edges.size(), {});
  for (uint32_t task = std::min<size_t>(edges.size(), begin + blockSize);
       task-- != 0;)
    for (auto [after, isPointwise] : edges[task]) {
      ordered[task] |= isPointwise ? ordered[after] : reached[after];
      reached[task] |= reached[after];
      if (after < begin || after >= begin + blockSize)
        continue;
      reached[task].set(after - begin);
      if (!isPointwise)
        ordered[task].set(after - begin);
    }
}

void regions::forEachUnordered(
    const TaskGraph &graph, const std::vector<bool> &isAsked,
    const std::function<bool(uint32_t, uint32_t, bool)> &visit) {
  UnorderedReach reach(graph, isAsked);
  uint32_t count = graph.tasks.size();
  for (uint32_t begin = 0; begin < count; begin += blockSize) {
    reach.computeBlock(begin);
    uint32_t end = std::min(count, begin + blockSize);
    for (uint32_t first = 0; first != end; ++first) {
      if (!isAsked[first])
        continue;
      for (uint32_t second = reach.nextFree(first, std::max(begin, first + 1));
           second < end; second = reach.nextFree(first, second + 1))
        if (!visit(first, second, reach.isReached(first, second)))
          return;
    }
  }
}
