//===- LaunchCost.h - Whether to share a launch between workers -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each node of a graph may gain by being shared, and the launch still lose:
// workers must be woken, and find their data in the cache of another worker. So
// for launches for which the host waits at once, running them alone and sharing
// their nodes are both timed as a whole, and the faster way is used until the
// next comparison. Launches directly after a change of the way do not count:
// they wait for workers to wake, or find data in the caches of other workers.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_LAUNCHCOST_H
#define SLUICE_RUNTIME_PLAN_LAUNCHCOST_H

#include "MedianTime.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sluice {

/// The times of launches of one plan that took long enough to be shared. They
/// only determine how it runs, never a result. Several launches may use this at
/// the same time: each number is consistent by itself.
class LaunchCost {
public:
  /// Whether to run the next launch alone. At first both ways are tried, later
  /// the slower one occasionally, several times in a row.
  bool isNextAlone() {
    if (uint32_t left = triesLeft.load(relaxed)) {
      triesLeft.store(left - 1, relaxed);
      return triesAreAlone.load(relaxed);
    }
    if (!shared.get())
      return beginTries(false);
    if (!alone.get())
      return beginTries(true);
    const bool isAlone = prefersAlone.load(relaxed);
    const uint32_t count = runs.load(relaxed) + 1;
    runs.store(count, relaxed);
    return count < nextTry.load(relaxed) ? isAlone : beginTries(!isAlone);
  }
  /// Adds the time of a launch with nodes that were expected to take `expected`
  /// nanoseconds on one worker: the work may differ between launches.
  void add(bool isAlone, uint64_t nanoseconds, uint64_t expected) {
    const Way way = isAlone ? Alone : Shared;
    if (lastWay.exchange(way, relaxed) != way) {
      rowTime.store(0, relaxed);
      rowSize.store(0, relaxed);
      numInRow.store(0, relaxed);
    }
    const uint64_t size = sizeOf(expected);
    rowSize.store(rowSize.load(relaxed) + size, relaxed);
    const bool isSettled = rowTime.load(relaxed) >= (isAlone ? 1 : wakeTime);
    rowTime.store(rowTime.load(relaxed) + nanoseconds, relaxed);
    if (!isSettled)
      return;
    Times &times = isAlone ? alone : shared;
    times.last.add(1000 * nanoseconds / size);
    const uint32_t count = numInRow.load(relaxed) + 1;
    numInRow.store(count, relaxed);
    const bool isTry =
        triesLeft.load(relaxed) && triesAreAlone.load(relaxed) == isAlone;
    if (count % numTogether != 0 &&
        !(isTry && count == numFew && isFarSlower(isAlone)))
      return;
    const bool wasKnown = alone.get() && shared.get();
    times.note(std::min(count, numTogether), isTry);
    choose(wasKnown);
    if (isTry)
      endTries(isAlone, size);
  }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  /// Number of launches in the better way.
  static constexpr uint32_t minPause = 16, closePause = 128, maxPause = 1024;
  /// Tries may lose at most one part in this many of the total time. If they
  /// lose less, the next tries come sooner, so that chance does not decide for
  /// long.
  static constexpr uint64_t partForTries = 50;
  /// Launches for the deciding median, since single times scatter. Fewer
  /// suffice for a way that is much slower.
  static constexpr uint32_t numTogether = MedianTime::capacity, numFew = 3;
  /// Tries end with the first median.
  static constexpr uint64_t maxTries = 48;
  /// Nanoseconds that a worker may take to wake.
  static constexpr uint64_t wakeTime = 100'000;
  enum Way : uint8_t { None, Alone, Shared };

  /// Times of launches in one way, per 1,000 expected nanoseconds.
  struct Times {
    MedianTime last;
    std::atomic<uint64_t> median{0}, decisive{0};

    /// The deciding time; 0: unknown.
    uint64_t get() const { return decisive.load(relaxed); }
    /// Takes the median of the last `count` launches. The usual way counts as
    /// much slower only if this persists.
    void note(uint32_t count, bool isTry) {
      const uint64_t now = last.get(count);
      const uint64_t before = median.exchange(now, relaxed);
      const bool isSpike = !isTry && before && 2 * now > 3 * before;
      decisive.store(isSpike ? before : now, relaxed);
    }
  };

  bool isFarSlower(bool isAlone) const {
    const uint64_t other = (isAlone ? shared : alone).get();
    return other && (isAlone ? alone : shared).last.get(numFew) > 2 * other;
  }
  /// The other way must be clearly faster, so that chance does not change the
  /// way.
  void choose(bool wasKnown) {
    const uint64_t one = alone.get(), many = shared.get();
    const bool before = prefersAlone.load(relaxed);
    const bool isClear = before ? 20 * many < 19 * one : 20 * one < 19 * many;
    if (!one || !many || (wasKnown && !isClear))
      return;
    prefersAlone.store(wasKnown ? !before : one <= many, relaxed);
    tryPause.store(minPause, relaxed);
    nextTry.store(runs.load(relaxed) + minPause, relaxed);
  }
  bool beginTries(bool isAlone) {
    triesAreAlone.store(isAlone, relaxed);
    triesLeft.store(maxTries - 1, relaxed);
    return isAlone;
  }
  /// Schedules the next tries for when the loss of these is a small part of the
  /// time.
  void endTries(bool isAlone, uint64_t size) {
    triesLeft.store(0, relaxed);
    if (prefersAlone.load(relaxed) == isAlone)
      return;
    const uint64_t best = (isAlone ? shared : alone).get();
    const uint64_t usual = std::max<uint64_t>(best * size / 1000, 1);
    const uint64_t time = rowTime.load(relaxed);
    const uint64_t other = best * rowSize.load(relaxed) / 1000;
    const uint64_t lost = time - std::min(time, other);
    const uint64_t least = tryPause.load(relaxed);
    const uint64_t pause =
        std::clamp<uint64_t>(partForTries * lost / usual, least, maxPause);
    tryPause.store(std::min<uint32_t>(2 * least, closePause), relaxed);
    nextTry.store(runs.load(relaxed) + static_cast<uint32_t>(pause), relaxed);
  }
  /// The divisor of times. The expected time changes a little with every query,
  /// and must not make one way seem faster than the other. So the size of a
  /// launch changes only if it differs considerably.
  uint64_t sizeOf(uint64_t expected) {
    const uint64_t known = lastSize.load(relaxed);
    if (2 * expected <= 3 * known && 2 * known <= 3 * expected)
      return known;
    lastSize.store(std::max<uint64_t>(expected, 1), relaxed);
    return std::max<uint64_t>(expected, 1);
  }

  Times alone, shared;
  std::atomic<bool> prefersAlone{false};
  /// Number of runs in the way chosen by these times, and the number after
  /// which the other way is tried.
  std::atomic<uint32_t> runs{0}, nextTry{minPause}, tryPause{minPause};
  /// Number of remaining tries, and their way.
  std::atomic<uint32_t> triesLeft{0};
  std::atomic<bool> triesAreAlone{false};
  /// The way of the last launch, the times and sizes since it changed, and the
  /// number of those that count.
  std::atomic<Way> lastWay{None};
  std::atomic<uint64_t> rowTime{0}, rowSize{0};
  std::atomic<uint32_t> numInRow{0};
  /// The size of the last launches; see `sizeOf`.
  std::atomic<uint64_t> lastSize{0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_LAUNCHCOST_H
