//===- PlainShare.h - The lists of a plain graph --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one shared run: which nodes have been taken, and which have
// ended.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_PLAINSHARE_H
#define SLUICE_RUNTIME_EXECUTION_PLAINSHARE_H

#include "../Plan/PlanInfo.h"
#include "ListRun.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>

namespace sluice {

/// Every worker has a list of nodes, which it takes in order as they become
/// ready. Other workers may take the next node of a list instead of its owner,
/// so the run makes progress whoever takes part.
class PlainShare {
public:
  PlainShare(const PlanInfo &info, const PlainLists &lists)
      : info(info), lists(lists), nodes(info.plain.data()),
        marks(info.plain.size()), taken(new Taken[lists.size()]),
        owned(new Owned[lists.size()]) {
    for (size_t i = 0; i < lists.size(); ++i)
      taken[i].nodes = lists[i];
  }

  /// Resets the lists for a new run in which the nodes before `first` have
  /// ended. `start`: the time, or 0.
  void begin(uint32_t first, uint64_t start) {
    firstNode = first;
    startedAt = start;
    ++run;
    for (size_t i = 0; i < lists.size(); ++i) {
      auto next = std::lower_bound(lists[i].begin(), lists[i].end(), first);
      taken[i].next.store(next - lists[i].begin(), std::memory_order_relaxed);
      owned[i].isOwned.store(false, std::memory_order_relaxed);
    }
  }

  void own(unsigned list) {
    owned[list].isOwned.store(true, std::memory_order_relaxed);
  }
  bool isOwned(unsigned list) const {
    return owned[list].isOwned.load(std::memory_order_relaxed);
  }
  bool isEmpty(unsigned list) const {
    return taken[list].next.load(std::memory_order_relaxed) >=
           taken[list].nodes.size();
  }
  /// Takes the next node of a list if it is ready.
  bool takeReady(unsigned list, uint32_t &node) {
    std::atomic<uint64_t> &next = taken[list].next;
    const std::span<const uint32_t> listed = taken[list].nodes;
    uint64_t position = next.load(std::memory_order_relaxed);
    if (position >= listed.size())
      return false;
    node = listed[position];
    return isReady(node) &&
           next.compare_exchange_strong(position, position + 1,
                                        std::memory_order_relaxed);
  }
  void setEnded(uint32_t node) { marks.set(node, run); }
  size_t numLists() const { return lists.size(); }
  /// The start time of the run; 0 if it is not timed.
  uint64_t startTime() const { return startedAt; }
  /// The number of nodes of the run.
  uint32_t numShared() const { return info.plain.size() - firstNode; }
  /// Whether a worker may take nodes of other lists after this many looks.
  bool mayTakeAny(unsigned numLooks) const { return numLooks >= 64; }

private:
  /// Changes with every node that is taken.
  struct alignas(64) Taken {
    std::atomic<uint64_t> next{0};
    std::span<const uint32_t> nodes;
  };
  /// Changes once in a run. Other workers poll it while they wait, so it must
  /// not share a cache line with data of workers that take nodes.
  struct alignas(64) Owned {
    std::atomic<bool> isOwned{false};
  };
  bool isReady(uint32_t node) const {
    const PlainNode &plain = nodes[node];
    for (uint32_t k = 0; k < plain.numPredecessors; ++k) {
      uint32_t before = plain.predecessors[k];
      if (before >= firstNode && !marks.isAt(before, run))
        return false;
    }
    return true;
  }

  const PlanInfo &info;
  const PlainLists &lists;
  const PlainNode *const nodes;
  /// The run in which each node last ended.
  EndMarks marks;
  std::unique_ptr<Taken[]> taken;
  std::unique_ptr<Owned[]> owned;
  uint32_t firstNode = 0;
  uint64_t startedAt = 0;
  uint32_t run = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_PLAINSHARE_H
