//===- PlainCost.h - Whether to share a plain graph -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of sharing a graph of single instances depends on the machine, the
// graph's shape and other load: the time to move a cache line between two cores
// alone varies by a factor of five from one minute to the next. So running
// alone and sharing are both tried and timed, and the faster way is used until
// the next comparison.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_PLAINCOST_H
#define SLUICE_RUNTIME_PLAN_PLAINCOST_H

#include "sluice/Base/TwoWays.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sluice {

/// The times of a node of one plain graph, run by one worker and shared. They
/// only determine how the graph runs, never a result. Several launches may use
/// this at the same time: each number is consistent by itself.
class PlainCost {
public:
  /// In picoseconds: nodes up to this cost are never shared.
  static constexpr uint64_t smallNode = 40000;

  struct Way {
    bool isShared;
    bool isTimed;
  };

  /// How to run next. Trying to run alone costs little, since it is abandoned
  /// when it is slow.
  Way next(uint32_t numNodes) {
    // A few small nodes take less time than reading the clock.
    const uint64_t one = ways.time(false);
    if (one && one <= smallNode) {
      const bool isTurn = wantsTiming(numNodes);
      return {false, numNodes >= 256 || isTurn};
    }
    return {ways.isNextSecond(), true};
  }

  /// Whether a run by one worker was measured to take at most `nanoseconds`.
  bool isWithin(uint64_t nanoseconds, uint64_t numNodes) const {
    const uint64_t one = ways.time(false);
    return one && one * numNodes <= 1000 * nanoseconds;
  }
  /// Whether to time a run of a graph that is not shared: the first runs and
  /// then every 16th, or fewer if reading the clock would take a considerable
  /// part of the time.
  bool wantsTiming(uint32_t numNodes) {
    const uint32_t run = runs.load(std::memory_order_relaxed);
    runs.store(run + 1, std::memory_order_relaxed);
    const bool isShort = ways.time(false) * numNodes < shortestRun;
    return run < 2 || !(run & (isShort ? 127 : 15));
  }
  /// Whether a run by one worker, with this time for its first nodes, should
  /// share the rest. A single interruption is not enough.
  bool isSlow(uint64_t nanoseconds, uint32_t numNodes) const {
    const uint64_t max = std::max(smallNode, ways.time(true) * 5 / 4);
    return 1000 * nanoseconds > max * numNodes + slack;
  }
  /// Adds the time of the first nodes of a run, or of all.
  void addAlone(uint64_t nanoseconds, uint32_t numNodes) {
    ways.add(false, nanoseconds, numNodes);
  }
  void addShared(uint64_t nanoseconds, uint32_t numNodes) {
    ways.add(true, nanoseconds, numNodes);
  }

private:
  static constexpr uint64_t slack = 5000 * handOverTime;
  static constexpr uint64_t shortestRun = 2000 * clockTime;

  /// Alone, or shared; elapsed picoseconds per node.
  TwoWays<RecentTime, plainRules> ways;
  std::atomic<uint32_t> runs{0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_PLAINCOST_H
