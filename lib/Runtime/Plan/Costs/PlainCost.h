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

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sluice {

/// The times of a node of one plain graph, run by one worker and shared. They
/// only determine how the graph runs, never a result. Several launches may use
/// this at the same time: each number is consistent by itself.
class PlainCost {
public:
  /// In picoseconds. Nodes up to the first cost are never shared; for nodes
  /// from the second cost on, the cost of sharing does not matter.
  static constexpr uint64_t smallNode = 40000, largeNode = 1000000;

  struct Way {
    bool isShared;
    bool isTimed;
  };

  /// How to run next. At first both ways are tried, later the slower one
  /// occasionally.
  Way next(uint32_t numNodes) {
    uint32_t run = increment(runs);
    uint64_t one = alone.load(std::memory_order_relaxed);
    uint64_t many = shared.load(std::memory_order_relaxed);
    if (one <=
        smallNode) // A few such nodes take less time than reading the clock.
      return {false, numNodes >= 256 || isTurn(run, one * numNodes)};
    if (!many)
      return {true, true};
    const bool prefersShared = one >= largeNode || many < one;
    if (run < nextLook.load(std::memory_order_relaxed))
      return {prefersShared, true};
    // Trying to run alone costs little, since it is abandoned when it is slow.
    uint32_t pause = std::min(2 * lookPause.load(std::memory_order_relaxed),
                              prefersShared ? 64u : 256u);
    lookPause.store(pause, std::memory_order_relaxed);
    nextLook.store(run + pause, std::memory_order_relaxed);
    return {!prefersShared, true};
  }

  /// Whether a run by one worker was measured to take at most `nanoseconds`.
  bool isWithin(uint64_t nanoseconds, uint64_t numNodes) const {
    uint64_t one = alone.load(std::memory_order_relaxed);
    return one && one * numNodes <= 1000 * nanoseconds;
  }
  /// Whether to time a run of a graph that is never shared.
  bool wantsTiming(uint32_t numNodes) {
    uint32_t run = increment(runs);
    return isTurn(run, alone.load(std::memory_order_relaxed) * numNodes);
  }
  /// Whether a run by one worker, with this time for its first nodes, should
  /// share the rest. A single interruption is not enough.
  bool isSlow(uint64_t nanoseconds, uint32_t numNodes) const {
    uint64_t max =
        std::max(smallNode, shared.load(std::memory_order_relaxed) * 5 / 4);
    return 1000 * nanoseconds > max * numNodes + slack;
  }
  /// Adds the time of the first nodes of a run, or of all.
  void addAlone(uint64_t nanoseconds, uint32_t numNodes) {
    // If the work has changed, the times of shared runs are out of date, too.
    if (add(alone, nanoseconds, numNodes)) {
      shared.store(0, std::memory_order_relaxed);
      lookSoon();
    }
  }
  void addShared(uint64_t nanoseconds, uint32_t numNodes) {
    uint64_t before = shared.load(std::memory_order_relaxed);
    if (add(shared, nanoseconds, numNodes) &&
        std::min(before, shared.load(std::memory_order_relaxed)) <
            alone.load(std::memory_order_relaxed))
      lookSoon();
  }

private:
  static constexpr uint64_t slack = 5000000, shortestRun = 100000;

  /// The first runs are timed and then every 16th, or fewer if reading the
  /// clock would take a considerable part of the time.
  static bool isTurn(uint32_t run, uint64_t expected) {
    return run < 2 || !(run & (expected < shortestRun ? 127 : 15));
  }

  static uint32_t increment(std::atomic<uint32_t> &number) {
    uint32_t before = number.load(std::memory_order_relaxed);
    number.store(before + 1, std::memory_order_relaxed);
    return before;
  }
  /// Adds a time. Returns true if it differs much from the known one. A faster
  /// run counts at once, because it was possible; a slower one may be chance.
  static bool add(std::atomic<uint64_t> &known, uint64_t nanoseconds,
                  uint32_t numNodes) {
    uint64_t old = known.load(std::memory_order_relaxed);
    uint64_t sample = 1 + 1000 * nanoseconds / numNodes;
    const bool isOther = old && (2 * sample > 3 * old || 3 * sample < 2 * old);
    known.store(!old || isOther || sample < old ? sample : (old + sample) / 2,
                std::memory_order_relaxed);
    return isOther;
  }
  void lookSoon() {
    lookPause.store(1, std::memory_order_relaxed);
    nextLook.store(runs.load(std::memory_order_relaxed),
                   std::memory_order_relaxed);
  }

  /// Picoseconds per node of elapsed time; 0: unknown.
  std::atomic<uint64_t> alone{0}, shared{0};
  std::atomic<uint32_t> runs{0}, nextLook{1}, lookPause{1};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_PLAINCOST_H
