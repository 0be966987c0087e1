//===- BurstCost.h - Whether to share launches in flight ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread may launch many small graphs before it waits for all of them. Other
// workers can take some of these, but each costs them a message, and requires
// data from another cache. So short bursts of launches are timed as a whole,
// both when every small launch runs in the launching thread and when all are
// handed over, and the faster way is used.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_BURSTCOST_H
#define SLUICE_RUNTIME_PLAN_BURSTCOST_H

#include "sluice/Base/TwoWays.h"

namespace sluice {

/// Times of bursts that begin with the same launch. Several threads may use
/// this at the same time: each number is consistent by itself.
class BurstCost {
public:
  /// In nanoseconds: in longer bursts, launches are handed over, since their
  /// mean says nothing about a single launch.
  static constexpr uint64_t longest = 4'000'000;

  /// Whether to run the small launches of the next burst in the launching
  /// thread.
  bool isNextAlone() {
    const uint64_t time = lastTime.load(std::memory_order_relaxed);
    return time && time <= longest && ways.isNextSecond();
  }
  /// Adds the time from the beginning of a burst of `numLaunches` launches to
  /// the end of the last one.
  void add(bool isAlone, uint64_t nanoseconds, uint64_t numLaunches) {
    lastTime.store(nanoseconds, std::memory_order_relaxed);
    if (nanoseconds <= longest)
      ways.add(isAlone, nanoseconds, numLaunches);
  }

private:
  /// Handed over, or alone.
  TwoWays<RowMedian, launchRules> ways;
  std::atomic<uint64_t> lastTime{0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_BURSTCOST_H
