//===- TileCost.h - Whether nodes run strip by strip ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strips save time where nodes wait for memory or for each other, and cost some
// where they do not. Sizes of caches give a first answer; then both are timed,
// and the faster one is used until they are compared again.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_TILECOST_H
#define SLUICE_RUNTIME_PLAN_TILECOST_H

#include "MedianTime.h"

#include "sluice/Runtime/Plan/TileWay.h"

#include <array>
#include <memory>
#include <mutex>

namespace sluice {

/// Two ways of doing the same, of which the first is better by what is known
/// without a run. Several launches may use this at the same time: each number
/// is correct by itself.
class WayTimes {
public:
  /// Whether the next run goes the second way: after some runs both in turn,
  /// unless the second is far slower, then the faster one, and after ever
  /// longer pauses the other.
  bool isNextSecond() {
    const uint32_t run = runs.load(relaxed);
    runs.store(run + 1, relaxed);
    const uint64_t one = first.get(numLast), other = second.get(numLast);
    // The first runs find cold caches, and pages that are not there yet.
    if (!one || run < numFirst)
      return false;
    if (run < numBoth)
      return run % 2 && (!other || other < one + one / 2);
    if (!other)
      return true;
    const bool prefersSecond = other < one;
    const uint32_t next = nextTry.load(relaxed);
    if (run < next)
      return prefersSecond;
    if (run > next) {
      // Two in a row: a single one decides nothing.
      const uint32_t pause = tryPause.load(relaxed);
      nextTry.store(run + pause, relaxed);
      tryPause.store(std::min(2 * pause, maxPause), relaxed);
    }
    return !prefersSecond;
  }
  /// Adds the time of a run with so much work.
  void add(bool isSecond, uint64_t nanoseconds, uint64_t work) {
    (isSecond ? second : first)
        .add(1 + 1000 * nanoseconds / std::max<uint64_t>(work, 1));
  }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  static constexpr uint32_t numFirst = 3, numBoth = 6;
  /// Runs of a way whose median decides.
  static constexpr uint32_t numLast = 3;
  static constexpr uint32_t minPause = 32, maxPause = 1024;

  /// Per 1,000 units of work.
  MedianTime first, second;
  std::atomic<uint32_t> runs{0}, nextTry{numBoth + minPause},
      tryPause{minPause};
};

/// The launches of one plan whose nodes may run strip by strip. Any thread.
class TileCost {
public:
  /// What is to be done in a launch, and what its time is added with.
  struct Choice {
    TileWay way;
    unsigned sizeClass = 0;
    /// Of an automatic way: strips although all fits the caches.
    bool isForced = false;
    bool isSecond = false;
  };

  explicit TileCost(std::string graph) : graph(std::move(graph)) {}

  /// Ways that are chosen already, of any graphs. Before the first launch.
  void setWays(std::span<const TunedGraph> ways);
  /// Chooses for a launch that touches so many bytes in its groups, which may
  /// be more than caches hold; `shape` says what else is known of the groups.
  Choice next(uint64_t bytes, bool isLarge, unsigned numWorkers,
              const TiledTimes &shape);
  /// The launch took so long.
  void add(const Choice &choice, uint64_t bytes, uint64_t nanoseconds);
  /// What was measured so far.
  std::vector<TiledTimes> times() const;

private:
  struct SizeClass {
    WayTimes ways;
    TileWay tuned;
    TiledTimes times;
  };

  const std::string graph;
  mutable std::mutex mutex;
  std::vector<TunedGraph> tuned;
  std::array<std::unique_ptr<SizeClass>, numTileClasses> classes;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_TILECOST_H
