//===- NodeCost.h - What a node costs, alone and shared -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of some runs of a node. They decide who runs it: the thread that
// launches it, one worker, or all. They never decide a result.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_NODECOST_H
#define SLUICE_RUNTIME_PLAN_NODECOST_H

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sluice {

/// Several launches may use this at the same time: each number is correct by
/// itself. Times are in picoseconds unless a name says otherwise.
class NodeCost {
public:
  /// Of one unit: first the compiler's estimate, then the times of some runs;
  /// 0: unknown.
  uint64_t unitCost() const { return cost.load(std::memory_order_relaxed); }
  void estimate(uint64_t nanoseconds) {
    cost.store(1000 * nanoseconds, std::memory_order_relaxed);
  }
  /// Of so many units, by what was measured; the maximum: nothing was yet.
  uint64_t expected(uint64_t units) const {
    uint64_t total;
    if (!isMeasured.load(std::memory_order_relaxed) ||
        __builtin_mul_overflow(unitCost(), units, &total))
      return UINT64_MAX;
    return total;
  }
  /// Whether the next run is to be timed: the first few and then every eighth,
  /// or 64th where looking at the clock takes a good part of the run.
  bool wantsTiming(uint64_t expected = UINT64_MAX) {
    uint32_t count = increment(runs);
    return count < 4 || count % (expected < shortRun ? 64 : 8) == 0;
  }
  /// Expensive runs count at once, cheap ones bit by bit.
  void addTiming(uint64_t nanoseconds, uint64_t units) {
    uint64_t sample = 1 + 1000 * nanoseconds / units;
    uint64_t old = unitCost();
    if (runs.load(std::memory_order_relaxed) > 1 && sample < old)
      sample = old - (old - sample) / 4;
    cost.store(sample, std::memory_order_relaxed);
    isMeasured.store(true, std::memory_order_relaxed);
  }

  enum class Sharing { No, Yes, Try };

  /// Whether so many units are run faster by several workers than by one: what
  /// is gained has to exceed what sharing was found to cost. Where it does not,
  /// sharing is tried again after ever longer pauses.
  Sharing shareAmong(uint64_t units, unsigned numWorkers) {
    uint64_t total;
    if (__builtin_mul_overflow(unitCost(), units, &total))
      return Sharing::Yes;
    uint64_t gain = total - total / numWorkers;
    if (!total || gain > shareCost.load(std::memory_order_relaxed))
      return Sharing::Yes;
    if (gain < minShareCost || increment(alone) < nextTry.load(relaxed))
      return Sharing::No;
    uint32_t pause = std::min(2 * tryPause.load(relaxed), maxPause);
    tryPause.store(pause, relaxed);
    nextTry.store(alone.load(relaxed) + pause, relaxed);
    return Sharing::Try;
  }
  /// A run that `numWorkers` shared took so long, and their kernels together
  /// `busy`.
  void addShared(uint64_t nanoseconds, uint64_t busy, unsigned numWorkers) {
    uint64_t spent = nanoseconds - std::min(nanoseconds, busy / numWorkers);
    uint64_t sample = std::clamp(1000 * spent, minShareCost, maxShareCost);
    uint64_t old = shareCost.load(relaxed);
    shareCost.store(sample < old ? (sample + old) / 2 : (sample + 3 * old) / 4,
                    relaxed);
    if (sample < old)
      tryPause.store(minPause, relaxed);
  }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  /// A worker that spins takes a chunk within a microsecond; one that sleeps
  /// has to be woken. What takes longer is other load on the machine.
  static constexpr uint64_t minShareCost = 1'000'000, maxShareCost = 50'000'000;
  static constexpr uint32_t minPause = 16, maxPause = 1024;
  static constexpr uint64_t shortRun = 500'000;

  static uint32_t increment(std::atomic<uint32_t> &number) {
    uint32_t before = number.load(relaxed);
    number.store(before + 1, relaxed);
    return before;
  }

  std::atomic<uint64_t> cost{0};
  std::atomic<uint64_t> shareCost{minShareCost};
  std::atomic<uint32_t> runs{0};
  std::atomic<bool> isMeasured{false};
  /// Runs by one worker for which sharing would have cost too much, and the one
  /// that is shared nevertheless.
  std::atomic<uint32_t> alone{0}, nextTry{minPause}, tryPause{minPause};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_NODECOST_H
