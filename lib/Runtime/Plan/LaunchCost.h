//===- LaunchCost.h - Whether a launch is worth several workers -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each node of a graph may gain by being shared, and the launch lose: workers
// have to be woken, and each finds its data in the cache of another. So for
// launches that the host waits for at once, running them alone and sharing
// their nodes are both timed as a whole, and the faster way is used until they
// are compared again. The first launch after the other way counts for neither:
// it wakes workers, or finds its data in their caches.
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
  /// Whether to run the next launch alone, whose nodes are expected to take so
  /// many nanoseconds. At first both ways are tried, later the slower one now
  /// and then, several times in a row.
  bool isNextAlone(uint64_t expected) {
    if (uint32_t left = triesLeft.load(relaxed)) {
      triesLeft.store(left - 1, relaxed);
      return triesAreAlone.load(relaxed);
    }
    if (!shared.get())
      return beginTries(false, expected);
    if (!alone.get())
      return beginTries(true, expected);
    const bool prefersAlone = alone.get() <= shared.get();
    const uint32_t count = runs.load(relaxed) + 1;
    runs.store(count, relaxed);
    if (count < nextTry.load(relaxed))
      return prefersAlone;
    const uint32_t pause = tryPause.load(relaxed);
    nextTry.store(count + pause, relaxed);
    tryPause.store(std::min(2 * pause, maxPause), relaxed);
    return beginTries(!prefersAlone, expected);
  }
  /// Adds the time of a launch whose nodes were expected to take `expected`
  /// nanoseconds by one worker: the work may differ from launch to launch.
  void add(bool isAlone, uint64_t nanoseconds, uint64_t expected) {
    const Way before = lastWay.load(relaxed), way = isAlone ? Alone : Shared;
    lastWay.store(way, relaxed);
    if (before != way)
      return;
    const bool preferredAlone = alone.get() <= shared.get();
    const bool bothWereKnown = alone.get() && shared.get();
    const uint64_t units = sizeOf(expected);
    (isAlone ? alone : shared).add(nanoseconds, units);
    // One that is far slower need not be tried again.
    const uint64_t other = (isAlone ? shared : alone).get();
    if (other && 1000 * nanoseconds / units > 2 * other &&
        triesAreAlone.load(relaxed) == isAlone)
      triesLeft.store(0, relaxed);
    if (bothWereKnown && preferredAlone != (alone.get() <= shared.get()))
      tryPause.store(minPause, relaxed);
  }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  static constexpr uint32_t minPause = 16, maxPause = 1024;
  /// Launches are shared at least so often in a row, and for as long as it may
  /// take to wake a worker several times; but not without end.
  static constexpr uint32_t minTries = 4, maxTries = 16, triesAlone = 3;
  static constexpr uint64_t triesTime = 160'000;
  enum Way : uint8_t { None, Alone, Shared };

  /// What times are divided by. What is expected changes a little with every
  /// look at it, and must not make one way seem faster than the other: so the
  /// size of a launch is a new one only if it differs by a good part.
  uint64_t sizeOf(uint64_t expected) {
    const uint64_t known = size.load(relaxed);
    if (2 * expected <= 3 * known && 2 * known <= 3 * expected)
      return known;
    size.store(std::max<uint64_t>(expected, 1), relaxed);
    return std::max<uint64_t>(expected, 1);
  }

  bool beginTries(bool isAlone, uint64_t expected) {
    const uint64_t wanted = triesTime / std::max<uint64_t>(expected, 1);
    const auto number =
        static_cast<uint32_t>(std::clamp<uint64_t>(wanted, minTries, maxTries));
    triesAreAlone.store(isAlone, relaxed);
    triesLeft.store((isAlone ? triesAlone : number) - 1, relaxed);
    return isAlone;
  }

  /// Per nanosecond that was expected.
  UnitTime alone, shared;
  /// Runs whose way was chosen by these times, and the number of them after
  /// which the other way is tried.
  std::atomic<uint32_t> runs{0}, nextTry{minPause}, tryPause{minPause};
  /// More runs that are to go the other way, and which one that is.
  std::atomic<uint32_t> triesLeft{0};
  std::atomic<bool> triesAreAlone{false};
  std::atomic<Way> lastWay{None};
  /// Of the last launches; see `sizeOf`.
  std::atomic<uint64_t> size{0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_LAUNCHCOST_H
