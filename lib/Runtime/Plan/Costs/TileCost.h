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

#include "sluice/Base/TwoWays.h"
#include "sluice/Runtime/Plan/TileWay.h"

#include <array>
#include <memory>
#include <mutex>

namespace sluice {

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
    /// As the sizes of caches suggest, or the other way.
    TwoWays<RowMedian, tileRules> ways;
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
