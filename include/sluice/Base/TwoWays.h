//===- TwoWays.h - Which of two ways is faster -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No estimate says for all programs, machines and other load which of two ways
// of doing the same is faster. So both are measured on the program's own runs,
// the faster one is used, and the other one is tried again now and then:
// docs/runtime.md, "Two ways", states the rules.
//
// Several threads may use these classes at the same time. Each number is
// consistent by itself, and an update that is lost only moves a try. Nothing
// here ever influences a result.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TWOWAYS_H
#define SLUICE_BASE_TWOWAYS_H

#include "sluice/Base/MachineCosts.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace sluice {

/// How two ways are compared.
struct WayRules {
  /// The number of runs in a row that decide about a way. `numFew` of them
  /// suffice if they take more than twice as long as the other way.
  uint32_t numDeciding, numFew;
  /// Runs within so many nanoseconds after a change to the first or second way
  /// do not count.
  uint64_t settleFirst, settleSecond;
  /// Runs between two tries. Tries that change nothing double the pause up to
  /// `closePause`; tries that lose time extend it up to `maxPause`.
  uint32_t minPause, closePause, maxPause;
};

// The rules of everything that is compared.

/// After so many nanoseconds, workers are awake.
inline constexpr uint64_t wakeTime = 2 * wakingTime;
/// Sharing a launch (the first way) or running it in one thread; bursts of
/// launches and batches of streams likewise. The first run in one thread finds
/// its data in the caches of other workers.
inline constexpr WayRules launchRules = {8, 3, wakeTime, 1, 16, 128, 1024};
/// Running nodes as the sizes of caches suggest, or in the other one of the
/// ways "strip by strip" and "one by one".
inline constexpr WayRules tileRules = {3, 1, 0, 0, 32, 1024, 1024};
/// Running a graph of single instances in one thread, or sharing it. Each run
/// decides, since the work may change with each of them.
inline constexpr WayRules plainRules = {1, 1, 0, 0, 1, 256, 1024};
/// Running a node in one thread, or sharing it.
inline constexpr WayRules nodeRules = {4, 4, 0, 0, 16, 1024, 1024};
/// Many chunks of a node, or few.
inline constexpr WayRules chunkRules = {6, 3, 0, 0, 8, 1024, 1024};
/// A ready-made kernel or a compiled one. They take turns: a kernel finds data
/// of its last run in the caches.
inline constexpr WayRules kernelRules = {4, 4, 0, 0, 4, 4, 4};

//===----------------------------------------------------------------------===//
// Estimates: the time of a way, from the times of its runs
//===----------------------------------------------------------------------===//

/// The median of the last runs in a row. On a shared machine, some runs take
/// many times as long as the others.
class RowMedian {
public:
  static constexpr uint32_t capacity = 8;

  /// The deciding time; 0: unknown.
  uint64_t get() const { return decisive.load(relaxed); }
  /// Adds a time. Returns whether the work seems to have changed, so that times
  /// of the other way no longer count.
  bool add(uint64_t time) {
    const uint32_t count = numAdded.load(relaxed);
    times[count % capacity].store(
        static_cast<uint32_t>(std::min<uint64_t>(time, UINT32_MAX)), relaxed);
    numAdded.store(count + 1, relaxed);
    return false;
  }
  /// The median of the last `count` times, of an even number the lower one.
  uint64_t latest(uint32_t count) const {
    const uint32_t end = numAdded.load(relaxed);
    count = std::min({count, end, capacity});
    if (!count)
      return 0;
    std::array<uint32_t, capacity> last;
    for (uint32_t i = 0; i < count; ++i)
      last[i] = times[(end - 1 - i) % capacity].load(relaxed);
    auto middle = last.begin() + (count - 1) / 2;
    std::nth_element(last.begin(), middle, last.begin() + count);
    return *middle;
  }
  /// The last `count` times decide. The usual way counts as much slower only if
  /// this persists.
  void decide(uint32_t count, bool isTry) {
    const uint64_t now = latest(count), before = median.exchange(now, relaxed);
    const bool isSpike = !isTry && before && 2 * now > 3 * before;
    decisive.store(isSpike ? before : now, relaxed);
  }
  void forget() {
    median.store(0, relaxed);
    decisive.store(0, relaxed);
  }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  std::array<std::atomic<uint32_t>, capacity> times{};
  std::atomic<uint32_t> numAdded{0};
  std::atomic<uint64_t> median{0}, decisive{0};
};

/// A time that decides at once.
class ImmediateTime {
public:
  uint64_t get() const { return time.load(relaxed); }
  uint64_t latest(uint32_t) const { return get(); }
  void decide(uint32_t, bool) {}
  void forget() { time.store(0, relaxed); }

protected:
  static constexpr auto relaxed = std::memory_order_relaxed;
  std::atomic<uint64_t> time{0};
};

/// The mean of the last runs, which follows a change at once. A faster run
/// counts, because it was possible; a slower one may be chance.
class RecentTime : public ImmediateTime {
public:
  bool add(uint64_t sample) {
    const uint64_t old = get();
    const bool isOther = old && (2 * sample > 3 * old || 3 * sample < 2 * old);
    time.store(!old || isOther || sample < old ? sample : (old + sample) / 2,
               relaxed);
    return isOther;
  }
};

/// The shortest time, for work that never changes: noise only lengthens times.
class ShortestTime : public ImmediateTime {
public:
  bool add(uint64_t sample) {
    uint64_t old = get();
    while ((!old || sample < old) &&
           !time.compare_exchange_weak(old, sample, relaxed)) {
    }
    return false;
  }
};

//===----------------------------------------------------------------------===//
// Tries
//===----------------------------------------------------------------------===//

/// When the other way is tried: some runs in a row, after pauses.
template <WayRules rules> class TryTimes {
public:
  /// Whether the next run uses the second way, if the second way is better as
  /// far as known (`prefersSecond`) and tries take up to `numTries` runs, after
  /// a pause of at least `leastPause` runs.
  bool next(bool prefersSecond, uint32_t numTries, uint64_t leastPause = 0) {
    if (const uint32_t left = triesLeft.load(relaxed)) {
      triesLeft.store(left - 1, relaxed);
      return triesSecond.load(relaxed);
    }
    if (!isDue() || runs.load(relaxed) - lastTry.load(relaxed) < leastPause) {
      count();
      return prefersSecond;
    }
    const uint32_t next = std::min(2 * pause.load(relaxed), rules.closePause);
    pause.store(next, relaxed);
    nextTry.store(runs.load(relaxed) + next, relaxed);
    return begin(!prefersSecond, numTries);
  }
  /// Begins tries with this run, which uses the given way.
  bool begin(bool isSecond, uint32_t numTries) {
    triesSecond.store(isSecond, relaxed);
    triesLeft.store(numTries - 1, relaxed);
    lastTry.store(runs.load(relaxed), relaxed);
    return isSecond;
  }
  /// Whether the next run is a try.
  bool isTrying() const { return triesLeft.load(relaxed); }
  bool isTrying(bool isSecond) const {
    return isTrying() && triesSecond.load(relaxed) == isSecond;
  }
  bool isDue() const { return runs.load(relaxed) >= nextTry.load(relaxed); }
  /// Counts a run in the better way.
  void count() { runs.store(runs.load(relaxed) + 1, relaxed); }
  void end() { triesLeft.store(0, relaxed); }
  /// The next pause is short.
  void reset() { pause.store(rules.minPause, relaxed); }
  /// So is this one.
  void restart() {
    reset();
    nextTry.store(runs.load(relaxed) + rules.minPause, relaxed);
  }
  /// The next tries come after at least this many runs.
  void postpone(uint64_t numRuns) {
    const auto least =
        runs.load(relaxed) +
        static_cast<uint32_t>(std::min<uint64_t>(numRuns, rules.maxPause));
    nextTry.store(std::max(nextTry.load(relaxed), least), relaxed);
  }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  /// Number of runs in the better way, and the number after which the other way
  /// is tried.
  std::atomic<uint32_t> runs{0}, nextTry{rules.minPause}, pause{rules.minPause};
  /// The number of runs before the last tries.
  std::atomic<uint32_t> lastTry{0};
  /// Number of remaining tries, and their way.
  std::atomic<uint32_t> triesLeft{0};
  std::atomic<bool> triesSecond{false};
};

/// Tries may lose at most one part in this many of the total time.
inline constexpr uint64_t partForTries = 50;

/// Two ways, of which the first one is expected to be better before any run.
template <typename Estimate, WayRules rules> class TwoWays {
public:
  /// Whether the next run uses the second way. Way by way is measured at first.
  bool isNextSecond() {
    if (!tries.isTrying())
      for (bool isSecond : {false, true})
        if (!time(isSecond))
          return tries.begin(isSecond, maxTries);
    return tries.next(prefersSecond.load(relaxed), maxTries);
  }
  /// Adds the time of a run with `work` units of work: runs may differ.
  void add(bool isSecond, uint64_t nanoseconds, uint64_t work) {
    work = std::max<uint64_t>(work, 1);
    if (lastWay.exchange(isSecond, relaxed) != isSecond) {
      rowTime.store(0, relaxed);
      rowWork.store(0, relaxed);
      numInRow.store(0, relaxed);
    }
    const uint64_t before = rowTime.load(relaxed);
    rowTime.store(before + nanoseconds, relaxed);
    rowWork.store(rowWork.load(relaxed) + work, relaxed);
    if (before < (isSecond ? rules.settleSecond : rules.settleFirst))
      return;
    const bool wasKnown = time(false) && time(true);
    Estimate &own = times[isSecond];
    if (own.add(1 + 1000 * nanoseconds / work)) {
      times[!isSecond].forget();
      tries.restart();
    }
    const uint32_t count = numInRow.load(relaxed) + 1;
    numInRow.store(count, relaxed);
    const bool isTry = tries.isTrying(isSecond);
    const uint64_t other = time(!isSecond);
    const bool isFarSlower =
        other && own.latest(rules.numFew) / 2 > other && count == rules.numFew;
    if (count % rules.numDeciding != 0 && !(isTry && isFarSlower))
      return;
    own.decide(std::min(count, rules.numDeciding), isTry);
    choose(wasKnown);
    if (!isTry)
      return;
    tries.end();
    // If they lost little, the next ones come soon: chance does not decide for
    // long.
    if (prefersSecond.load(relaxed) != isSecond && other)
      tries.postpone(partForTries * lostTime(other) /
                     std::max<uint64_t>(other * work / 1000, 1));
  }
  /// The time of 1,000 units of work, in nanoseconds; 0: unknown.
  uint64_t time(bool isSecond) const { return times[isSecond].get(); }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  /// Tries end after this many runs even if too few of them counted.
  static constexpr uint32_t maxTries = 48;

  /// The other way must be clearly faster, so that chance does not change the
  /// way.
  void choose(bool wasKnown) {
    const uint64_t one = time(false), two = time(true);
    const bool before = prefersSecond.load(relaxed);
    const bool isClear = before ? 20 * one < 19 * two : 20 * two < 19 * one;
    if (!one || !two || (wasKnown && !isClear))
      return;
    prefersSecond.store(two < one, relaxed);
    tries.restart();
  }
  /// What the runs in a row took longer than the better way, in which 1,000
  /// units of work take `best` nanoseconds.
  uint64_t lostTime(uint64_t best) const {
    const uint64_t taken = rowTime.load(relaxed);
    return taken - std::min(taken, best * rowWork.load(relaxed) / 1000);
  }

  std::array<Estimate, 2> times;
  TryTimes<rules> tries;
  std::atomic<bool> prefersSecond{false};
  /// The way of the last run, the times and work of the runs in a row in this
  /// way, and the number of those that count.
  std::atomic<bool> lastWay{false};
  std::atomic<uint64_t> rowTime{0}, rowWork{0};
  std::atomic<uint32_t> numInRow{0};
};

} // namespace sluice

#endif // SLUICE_BASE_TWOWAYS_H
