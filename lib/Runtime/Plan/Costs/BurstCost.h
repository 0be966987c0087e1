//===- BurstCost.h - Whether launches in flight are shared ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread may launch many small graphs before it waits for them all. Other
// workers can take some of these, but each costs them a message, and brings
// data from another cache. So short bursts of launches are timed as a whole,
// both where every small launch runs in the thread that launches it and where
// all are handed over, and the faster way is used.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_BURSTCOST_H
#define SLUICE_RUNTIME_PLAN_BURSTCOST_H

#include "LaunchCost.h"

namespace sluice {

/// Times of bursts that begin alike. Several threads may use this at the same
/// time: each number is correct by itself.
class BurstCost {
public:
  /// In nanoseconds: in longer bursts, launches are handed over, since their
  /// mean says nothing about one of them.
  static constexpr uint64_t longest = 4'000'000;

  /// Whether to run the small launches of the next burst in their thread.
  bool isNextAlone() {
    const uint64_t time = lastTime.load(std::memory_order_relaxed);
    return time && time <= longest && cost.isNextAlone();
  }
  /// From the beginning of a burst of so many launches to the end of the last.
  void add(bool isAlone, uint64_t nanoseconds, uint64_t numLaunches) {
    lastTime.store(nanoseconds, std::memory_order_relaxed);
    if (nanoseconds <= longest)
      cost.add(isAlone, nanoseconds, 1000 * numLaunches);
  }

private:
  LaunchCost cost;
  std::atomic<uint64_t> lastTime{0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_BURSTCOST_H
