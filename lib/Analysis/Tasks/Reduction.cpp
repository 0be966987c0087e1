//===- Reduction.cpp - Edges that others imply ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes reachability in bit sets, for a block of tasks at a time: which of
// them come before each later task. The last predecessor of a task is never
// implied. So blocks with no other outgoing edges are skipped, and other blocks
// are followed only as far as such edges lead. This makes chains and fans
// linear; the worst case is tasks * edges / 64 operations on words.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <cstdint>

using namespace sluice;

namespace {
constexpr unsigned blockSize = 512;
using Block = std::array<uint64_t, blockSize / 64>;

class EdgeReducer {
public:
  explicit EdgeReducer(std::vector<std::vector<unsigned>> &predecessors)
      : predecessors(predecessors), reached(predecessors.size()) {}

  void run();

private:
  void findEnds();
  void followBlock(unsigned begin);
  Block implied(unsigned task, unsigned begin) const;

  std::vector<std::vector<unsigned>> &predecessors;
  /// By block: the last task with an edge from it that may be implied; 0 if
  /// there is none.
  std::vector<unsigned> ends;
  /// By task: the tasks of the block that come before it.
  std::vector<Block> reached;
  /// Edges to remove, (task, predecessor).
  std::vector<std::pair<unsigned, unsigned>> redundant;
};
} // namespace

void EdgeReducer::findEnds() {
  ends.assign(predecessors.size() / blockSize + 1, 0);
  for (unsigned task = 0; task != predecessors.size(); ++task)
    for (unsigned before : predecessors[task])
      if (before != predecessors[task].back())
        ends[before / blockSize] = task;
}

/// The tasks that come before the predecessors of `task`.
Block EdgeReducer::implied(unsigned task, unsigned begin) const {
  Block result{};
  for (unsigned before : llvm::reverse(predecessors[task])) {
    if (before < begin)
      break;
    for (unsigned word = 0; word != result.size(); ++word)
      result[word] |= reached[before][word];
  }
  return result;
}

void EdgeReducer::followBlock(unsigned begin) {
  for (unsigned task = begin; task <= ends[begin / blockSize]; ++task) {
    const std::vector<unsigned> &list = predecessors[task];
    Block blocks = implied(task, begin);
    reached[task] = blocks;
    for (auto it = llvm::lower_bound(list, begin);
         it != list.end() && *it < begin + blockSize; ++it) {
      unsigned word = (*it - begin) / 64;
      uint64_t bit = uint64_t(1) << (*it - begin) % 64;
      if (blocks[word] & bit)
        redundant.push_back({task, *it});
      reached[task][word] |= bit;
    }
  }
}

void EdgeReducer::run() {
  findEnds();
  for (unsigned block = 0; block != ends.size(); ++block)
    if (ends[block])
      followBlock(block * blockSize);
  llvm::sort(redundant);
  for (auto it = redundant.begin(); it != redundant.end();) {
    std::vector<unsigned> &list = predecessors[it->first];
    std::vector<unsigned> kept;
    unsigned task = it->first;
    for (unsigned before : list)
      if (it != redundant.end() && *it == std::pair(task, before))
        ++it;
      else
        kept.push_back(before);
    list = std::move(kept);
  }
}

void sluice::reduceTransitively(
    std::vector<std::vector<unsigned>> &predecessors) {
  EdgeReducer(predecessors).run();
}
