//===- ListRun.h - Lists of nodes that several workers run ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mechanism by which workers share small nodes: those of plain graphs and
// the tasks of tables. Every worker has a list of nodes and takes the next
// ready node; other workers may take it instead.
//
// Counters of predecessors, as in NodeRun, would move between workers' caches
// for every edge. Here each node has a mark with the number of times it ended,
// which one worker writes and others only read. This keeps the cost of a shared
// node of a plain graph at 3 to 17 ns, and is the reason why these graphs do
// not use the records of the executor's other nodes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_LISTRUN_H
#define SLUICE_RUNTIME_EXECUTION_LISTRUN_H

#include "../Scheduling/Parking.h"
#include "../Scheduling/Pool.h"
#include "../Scheduling/SharedRun.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

namespace sluice {

/// The number of times that each node of a run ended. May wrap around.
class EndMarks {
public:
  explicit EndMarks(size_t numNodes)
      : shift(numNodes <= (1u << 14) ? 4 : 0),
        marks(new std::atomic<uint32_t>[numNodes << shift]()) {}

  bool isAt(uint32_t node, uint32_t count) const {
    return at(node).load(std::memory_order_acquire) == count;
  }
  bool hasReached(uint32_t node, uint32_t count) const {
    return static_cast<int32_t>(at(node).load(std::memory_order_acquire) -
                                count) >= 0;
  }
  uint32_t get(uint32_t node) const {
    return at(node).load(std::memory_order_relaxed);
  }
  /// Called by the worker that ran the node; publishes what the node wrote.
  void set(uint32_t node, uint32_t count) {
    at(node).store(count, std::memory_order_release);
  }

private:
  std::atomic<uint32_t> &at(uint32_t node) const {
    return marks[size_t(node) << shift];
  }
  /// Neighbouring marks are on separate cache lines, unless there are many.
  const uint32_t shift;
  const std::unique_ptr<std::atomic<uint32_t>[]> marks;
};

/// A run with nodes on the lists of a `Share`, which determines the ready nodes
/// and is set before the run opens.
template <typename Share> class ListRun : public SharedRun {
public:
  Share *share = nullptr;

  /// Other workers are wanted while a list has no owner.
  bool wantsMore(const Worker &worker) const final {
    for (uint32_t list = 0; list < share->numLists(); ++list)
      if (list != worker.index && !share->isOwned(list))
        return true;
    return false;
  }

protected:
  /// Takes a ready node for the worker of list `own`: from that list, from one
  /// without an owner, or, if `seat` loses patience after many looks, from any
  /// list. Returns false if no node is left to take. The first node in order
  /// that has not begun is ready and can be taken from its list, so at least
  /// one worker always makes progress. `seat` is the share as this worker sees
  /// it; a seat that sees external tasks checks them before each look at the
  /// lists.
  template <typename Seat>
  static bool nextNode(Seat &seat, uint32_t own, uint32_t &node) {
    constexpr unsigned longPatience = 1024, sleepPatience = 16384;
    const auto numLists = static_cast<uint32_t>(seat.numLists());
    for (unsigned numSpins = 0;; ++numSpins) {
      if constexpr (requires { seat.lookOutside(); })
        seat.lookOutside();
      if (seat.takeReady(own, node))
        return true;
      bool isEmpty = seat.isEmpty(own);
      bool mayTakeAny = isEmpty || seat.mayTakeAny(numSpins);
      for (uint32_t i = 1; i < numLists; ++i) {
        uint32_t list = own + i < numLists ? own + i : own + i - numLists;
        if ((mayTakeAny || !seat.isOwned(list)) && seat.takeReady(list, node))
          return true;
        isEmpty = isEmpty && seat.isEmpty(list);
      }
      if (isEmpty)
        return false;
      if constexpr (requires { seat.waitOutside(); })
        if (seat.waitOutside())
          continue;
      if (numSpins < longPatience)
        pauseProcessor();
      else if (numSpins < sleepPatience)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  /// Owns the worker's list and calls `runNode`, which marks the end, for every
  /// node that the worker gets.
  template <typename Seat, typename RunNode>
  void runNodes(Worker &worker, Seat &seat, RunNode &&runNode) {
    share->own(worker.index);
    uint32_t node;
    while (nextNode(seat, worker.index, node))
      runNode(node);
  }
};

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_LISTRUN_H
