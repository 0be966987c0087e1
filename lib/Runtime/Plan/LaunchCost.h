//===- LaunchCost.h - Whether a launch is worth several workers -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each node of a graph may gain by being shared, and the launch lose: workers
// have to be woken, and each finds its data in the cache of another. So for
// launches that the host waits for at once, running them alone and sharing
// their nodes are both timed as a whole, and the faster way is used until they
// are compared again.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_LAUNCHCOST_H
#define SLUICE_RUNTIME_PLAN_LAUNCHCOST_H

#include "NodeCost.h"

namespace sluice {

/// The times of launches of one plan that took long enough to be shared. They
/// decide only how it runs, never a result. Several launches may use this at
/// the same time: each number is correct by itself.
class LaunchCost {
public:
  /// Whether to run the next launch alone. At first both ways are tried, later
  /// the slower one now and then: sharing a few times in a row, since the first
  /// time wakes workers, who then stay awake.
  bool isNextAlone() {
    if (uint32_t left = triesLeft.load(relaxed)) {
      triesLeft.store(left - 1, relaxed);
      return triesAlone.load(relaxed);
    }
    if (!shared.get() || !alone.get())
      return shared.get() != 0;
    const bool prefersAlone = alone.get() <= shared.get();
    const uint32_t count = runs.load(relaxed) + 1;
    runs.store(count, relaxed);
    if (count < nextTry.load(relaxed))
      return prefersAlone;
    const uint32_t pause = tryPause.load(relaxed);
    nextTry.store(count + pause, relaxed);
    tryPause.store(std::min(2 * pause, maxPause), relaxed);
    triesAlone.store(!prefersAlone, relaxed);
    triesLeft.store((prefersAlone ? numTries : 1) - 1, relaxed);
    return !prefersAlone;
  }
  /// Adds the time of a launch whose nodes were expected to take `expected`
  /// nanoseconds by one worker: the work may differ from launch to launch.
  void add(bool isAlone, uint64_t nanoseconds, uint64_t expected) {
    const bool preferredAlone = alone.get() <= shared.get();
    const bool bothWereKnown = alone.get() && shared.get();
    (isAlone ? alone : shared)
        .add(nanoseconds, std::max<uint64_t>(expected, 1));
    if (bothWereKnown && preferredAlone != (alone.get() <= shared.get()))
      tryPause.store(minPause, relaxed);
  }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  static constexpr uint32_t minPause = 16, maxPause = 1024, numTries = 4;

  /// Per nanosecond that was expected.
  UnitTime alone, shared;
  /// Runs whose way was chosen by these times, and the number of them after
  /// which the other way is tried.
  std::atomic<uint32_t> runs{0}, nextTry{minPause}, tryPause{minPause};
  /// More runs that are to go the other way, and which one that is.
  std::atomic<uint32_t> triesLeft{0};
  std::atomic<bool> triesAlone{false};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_LAUNCHCOST_H
