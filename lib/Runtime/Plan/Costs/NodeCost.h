//===- NodeCost.h - The cost of a node, alone and shared ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of some runs of a node. They determine whether the launching thread,
// one worker or all workers run it. They never influence a result.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_NODECOST_H
#define SLUICE_RUNTIME_PLAN_NODECOST_H

#include "../Partition.h"

#include "sluice/Base/TwoWays.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sluice {

/// A time per unit that several runs confirm.
class UnitTime {
public:
  /// In picoseconds; 0: unknown.
  uint64_t get() const { return time.load(relaxed); }
  /// Adds the time of a run. A shorter time counts soon, because it was
  /// possible. A much longer one may be chance, such as another program's time
  /// slice, and counts only when it is confirmed.
  void add(uint64_t nanoseconds, uint64_t units) {
    uint64_t sample = 1 + 1000 * nanoseconds / units;
    uint64_t old = get();
    uint32_t count = numSamples.load(relaxed);
    if (count < numFirst)
      numSamples.store(count + 1, relaxed);
    uint32_t doubts = numDoubts.load(relaxed);
    if (old && sample / 2 > old) {
      numDoubts.store(std::min(doubts + 2, maxDoubts), relaxed);
      if (doubts + 2 >= maxDoubts)
        time.store(sample, relaxed);
      return;
    }
    numDoubts.store(doubts - (doubts != 0), relaxed);
    // The first runs have cold caches and unmapped pages.
    const bool isFirst = !old || (count < numFirst && sample < old);
    time.store(isFirst ? sample : (old + sample + 1) / 2, relaxed);
  }
  /// Whether several runs confirm it.
  bool isConfirmed() const { return numSamples.load(relaxed) == numFirst; }
  void forget() {
    time.store(0, relaxed);
    numSamples.store(0, relaxed);
    numDoubts.store(0, relaxed);
  }
  /// Whether the last time was doubtful: another measurement soon would help.
  bool isInDoubt() const { return numDoubts.load(relaxed) != 0; }
  /// Sets an upper limit.
  void limit(uint64_t longest) {
    if (get() > longest)
      time.store(longest, relaxed);
  }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  static constexpr uint32_t numFirst = 4, maxDoubts = 4;
  std::atomic<uint64_t> time{0};
  std::atomic<uint32_t> numSamples{0}, numDoubts{0};
};

/// Several launches may use this at the same time: each number is consistent by
/// itself. Times are in picoseconds unless a name says otherwise.
class NodeCost {
public:
  /// The cost of one unit: initially the compiler's estimate, then the times of
  /// some runs, preferably by one worker; 0: unknown.
  uint64_t unitCost() const {
    if (uint64_t one = alone.get())
      return one;
    uint64_t many = shared.get();
    return many ? many : estimated.load(relaxed);
  }
  void estimate(uint64_t nanoseconds) {
    estimated.store(1000 * nanoseconds, relaxed);
  }
  /// The measured cost of `units` units on one worker; the maximum value if
  /// nothing was measured yet.
  uint64_t expected(uint64_t units) const {
    uint64_t one = alone.get();
    return one ? times(one, units) : UINT64_MAX;
  }
  /// Whether to run `units` units on one worker in order to measure them; they
  /// are estimated to take at most `longest`.
  bool wantsToKnow(uint64_t units, uint64_t longest = maxFirstAlone) const {
    uint64_t guess = unitCost();
    return !alone.get() && guess && times(guess, units) <= longest;
  }
  /// Whether to time the next run: the first few and then every eighth, or
  /// fewer if reading the clock takes a considerable part of the run.
  bool wantsTiming(uint64_t expected = UINT64_MAX) {
    uint32_t count = increment(runs);
    uint32_t mask = expected < shortestRun ? 127 : expected < shortRun ? 63 : 7;
    return count < 4 || !(count & mask) || alone.isInDoubt();
  }
  /// Adds the time of a run by one worker.
  void addTiming(uint64_t nanoseconds, uint64_t units) {
    alone.add(nanoseconds, units);
  }

  /// `TryAlone` and `TryShared` serve to measure both ways.
  enum class Sharing { No, Yes, TryAlone, TryShared };

  /// Whether several workers run `units` units faster than one: the gain must
  /// exceed the measured cost of sharing. The slower way is tried again after
  /// increasingly long pauses; sharing is tried several times in a row, since
  /// the first time wakes workers, which then stay awake. Units may take longer
  /// when shared, if they wait for the same memory, so both times are kept.
  Sharing shareAmong(uint64_t units, unsigned numWorkers) {
    if (wantsToKnow(units))
      return Sharing::TryAlone;
    const bool isFaster = gains(units, numWorkers);
    const bool mayTry =
        isFaster ? alone.get() || shared.get() : mayGain(units, numWorkers);
    const bool isFirst = !tries.isTrying();
    if (!mayTry || tries.next(isFaster, isFaster ? 1 : numTries,
                              isFaster ? pauseBeforeAlone(units, numWorkers)
                                       : 0) == isFaster)
      return isFaster ? Sharing::Yes : Sharing::No;
    if (isFirst)
      wakesWorkers.store(true, relaxed);
    return isFaster ? Sharing::TryAlone : Sharing::TryShared;
  }
  /// The same for a node of a launch that is shared if that may gain at all:
  /// the gain of the launch is measured as a whole.
  Sharing shareIfItMayGain(uint64_t units, unsigned numWorkers) const {
    if (wantsToKnow(units))
      return Sharing::TryAlone;
    const bool isLong = times(unitCost(), units) == UINT64_MAX || !unitCost();
    return isLong || mayGain(units, numWorkers) ? Sharing::Yes : Sharing::No;
  }
  /// Whether `shareAmong` would currently return No.
  bool staysAlone(uint64_t units, unsigned numWorkers) const {
    if (!alone.get() || gains(units, numWorkers))
      return false;
    return !mayGain(units, numWorkers) || (!tries.isTrying() && !tries.isDue());
  }
  /// Tells which kernel the next run calls. When another one has been called
  /// several times in a row, the times of the one before are only an estimate.
  void useKernel(const void *kernel) {
    const void *known = timed.load(relaxed);
    if (known == kernel || !known) {
      timed.store(kernel, relaxed);
      numOther.store(0, relaxed);
      return;
    }
    if (other.exchange(kernel, relaxed) != kernel)
      numOther.store(0, relaxed);
    if (increment(numOther) + 1 < numInRow)
      return;
    timed.store(kernel, relaxed);
    numOther.store(0, relaxed);
    estimated.store(unitCost(), relaxed);
    alone.forget();
    shared.forget();
    runs.store(0, relaxed);
    tries.restart();
  }
  /// The minimum cost of a chunk: more if the node was found to run faster with
  /// few chunks.
  uint64_t minChunkCost() const {
    return hasFewChunks.load(relaxed) ? fewChunksCost : leastChunkCost;
  }
  /// Counts a run on one worker for which `shareAmong` was not called.
  void countAlone() { tries.count(); }
  /// A run of `units` units that `numWorkers` shared took `nanoseconds`, and
  /// their kernels `busy` in total.
  void addShared(uint64_t nanoseconds, uint64_t busy, uint64_t units,
                 unsigned numWorkers) {
    addBusy(busy, units);
    addChunks(nanoseconds, units);
    uint64_t spent = nanoseconds - std::min(nanoseconds, busy / numWorkers);
    uint64_t sample = std::clamp(1000 * spent, minShareCost, maxShareCost);
    uint64_t old = shareCost.load(relaxed);
    if (wakesWorkers.exchange(false, relaxed) && sample > old)
      return;
    shareCost.store(sample < old ? (sample + old) / 2 : (sample + 3 * old) / 4,
                    relaxed);
    if (sample < old)
      tries.reset();
  }
  /// The same if only the time in kernels is known.
  void addBusy(uint64_t busy, uint64_t units) {
    shared.add(busy, units);
    // Sharing never makes the total work faster.
    alone.limit(shared.get());
  }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  /// A spinning worker takes a chunk within a microsecond; a sleeping worker
  /// must be woken. Longer times are caused by other load on the machine.
  static constexpr uint64_t minShareCost = 1000 * handOverTime;
  static constexpr uint64_t maxShareCost = 1000 * wakingTime;
  static constexpr uint32_t numTries = nodeRules.numDeciding;
  /// Runs of a new kernel after which times of the old one do not count.
  static constexpr uint32_t numInRow = 4;
  static constexpr uint64_t shortestRun = 2000 * clockTime;
  static constexpr uint64_t shortRun = 5 * shortestRun;
  static constexpr uint64_t fewChunksCost = 4 * leastChunkCost;
  /// If more than this can be gained, the cost of sharing is always smaller.
  static constexpr uint64_t certainGain = 2 * maxShareCost;
  /// Nodes with a higher estimated cost are shared from the start.
  static constexpr uint64_t maxFirstAlone = 4 * maxShareCost;

  /// Whether several workers run `units` units faster, as far as known.
  bool gains(uint64_t units, unsigned numWorkers) const {
    const uint64_t one = times(unitCost(), units);
    if (one == UINT64_MAX || !one)
      return true;
    // A time from a busy machine must not prevent sharing.
    if (one - one / numWorkers > certainGain &&
        !(alone.get() && shared.isConfirmed()))
      return true;
    // Work divides at best evenly.
    const uint64_t busy = std::max(one, times(shared.get(), units));
    const uint64_t many = busy / numWorkers;
    return one > many && one - many > shareCost.load(relaxed);
  }
  /// The number of shared runs after which a run of long units on one worker
  /// loses few of the total time, whatever it shows.
  uint64_t pauseBeforeAlone(uint64_t units, unsigned numWorkers) const {
    const uint64_t one = times(unitCost(), units);
    if (one <= maxFirstAlone)
      return 0;
    const auto busy = double(std::max(one, times(shared.get(), units)));
    const double lost = double(one) * numWorkers / busy - 1;
    return static_cast<uint64_t>(double(partForTries) * std::max(lost, 0.0));
  }
  /// Whether they would if sharing had its minimum cost.
  bool mayGain(uint64_t units, unsigned numWorkers) const {
    const uint64_t one = times(unitCost(), units);
    return one - one / numWorkers >= minShareCost;
  }
  /// If each chunk repeats some of the work, or finds its data in the cache of
  /// another worker, fewer chunks may be better. Both are tried if the chunks
  /// together cost considerably more than the whole.
  void addChunks(uint64_t nanoseconds, uint64_t units) {
    const bool hasFew = hasFewChunks.load(relaxed);
    chunks.add(hasFew, nanoseconds, units);
    const uint64_t one = alone.get();
    const bool costMuch = one && shared.get() >= one + one / 4 &&
                          times(one, units) <= maxFirstAlone;
    if (hasFew || costMuch)
      hasFewChunks.store(chunks.isNextSecond(), relaxed);
  }
  static uint64_t times(uint64_t cost, uint64_t units) {
    uint64_t total;
    return __builtin_mul_overflow(cost, units, &total) ? UINT64_MAX : total;
  }
  static uint32_t increment(std::atomic<uint32_t> &number) {
    uint32_t before = number.load(relaxed);
    number.store(before + 1, relaxed);
    return before;
  }
  std::atomic<uint64_t> estimated{0};
  /// The cost of a unit on one worker, and on one of several at the same time.
  UnitTime alone, shared;
  std::atomic<uint64_t> shareCost{minShareCost};
  std::atomic<uint32_t> runs{0};
  /// Alone, or shared.
  TryTimes<nodeRules> tries;
  /// The kernel that was timed, another one, and how often it was called since.
  std::atomic<const void *> timed{nullptr}, other{nullptr};
  std::atomic<uint32_t> numOther{0};
  /// A try has begun: workers sleep when the next shared run starts.
  std::atomic<bool> wakesWorkers{false};
  /// Many, or few; elapsed time per unit.
  TwoWays<RowMedian, chunkRules> chunks;
  std::atomic<bool> hasFewChunks{false};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_NODECOST_H
