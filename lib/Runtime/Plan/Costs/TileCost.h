//===- TileCost.h - Whether to run nodes strip by strip -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strips save time if nodes wait for memory or for each other, and cost some
// time otherwise. Sizes of caches give a first answer; then both ways are
// timed, and the faster one is used until the next comparison.
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

/// Two ways of doing the same, of which the first is expected to be better
/// before any run. Several launches may use this at the same time: each number
/// is consistent by itself.
class WayTimes {
public:
  /// Whether the next run uses the second way. After some runs, both ways
  /// alternate, unless the second is much slower; then the faster one is used,
  /// and the other one after increasingly long pauses.
  bool isNextSecond() {
    const uint32_t run = runs.load(relaxed);
    runs.store(run + 1, relaxed);
    const uint64_t one = first.get(numLast), other = second.get(numLast);
    // The first runs have cold caches and unmapped pages.
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
      // Two in a row: a single run decides nothing.
      const uint32_t pause = tryPause.load(relaxed);
      nextTry.store(run + pause, relaxed);
      tryPause.store(std::min(2 * pause, maxPause), relaxed);
    }
    return !prefersSecond;
  }
  /// Adds the time of a run with `work` units of work.
  void add(bool isSecond, uint64_t nanoseconds, uint64_t work) {
    (isSecond ? second : first)
        .add(1 + 1000 * nanoseconds / std::max<uint64_t>(work, 1));
  }

private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  static constexpr uint32_t numFirst = 3, numBoth = 6;
  /// Runs of a way for the deciding median.
  static constexpr uint32_t numLast = 3;
  static constexpr uint32_t minPause = 32, maxPause = 1024;

  /// Per 1,000 units of work.
  MedianTime first, second;
  std::atomic<uint32_t> runs{0}, nextTry{numBoth + minPause},
      tryPause{minPause};
};

/// The launches of one plan with nodes that may run strip by strip.
/// Thread-safe.
class TileCost {
public:
  /// The decision for a launch, with which its time is added.
  struct Choice {
    TileWay way;
    unsigned sizeClass = 0;
    /// For an automatic way: use strips although all data fits the caches.
    bool isForced = false;
    bool isSecond = false;
  };

  explicit TileCost(std::string graph) : graph(std::move(graph)) {}

  /// Sets ways that have already been chosen, for any graphs. Call it before
  /// the first launch.
  void setWays(std::span<const TunedGraph> ways);
  /// Decides for a launch that accesses `bytes` bytes in its groups; `isLarge`
  /// if that is more than caches hold. `shape` contains other properties of the
  /// groups.
  Choice next(uint64_t bytes, bool isLarge, unsigned numWorkers,
              const TiledTimes &shape);
  /// Adds the time of the launch.
  void add(const Choice &choice, uint64_t bytes, uint64_t nanoseconds);
  /// The measurements so far.
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
