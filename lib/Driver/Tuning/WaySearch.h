//===- WaySearch.h - The fastest way of one graph ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks for runs of the program one after another, each with a way for the
// graph: first ways that are far apart, then ways near the fastest, and finally
// the fastest ones again, since a single time may be noise.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TUNING_WAYSEARCH_H
#define SLUICE_LIB_DRIVER_TUNING_WAYSEARCH_H

#include "sluice/Runtime/Plan/TileWay.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace sluice::driver {

/// A way, and the times of its runs.
struct WayTrial {
  TileWay way;
  /// Nanoseconds of the fastest launch; the maximum if there was none.
  uint64_t fastest = UINT64_MAX;
  unsigned runs = 0;
  /// The reason why it must not be chosen.
  std::string problem;

  bool isGood() const { return problem.empty() && fastest != UINT64_MAX; }
};

/// Searches for the launches of one graph that touch about the same amount of
/// memory.
class WaySearch {
public:
  /// `seen`: the measurements of a run without any way.
  explicit WaySearch(const TiledTimes &seen);

  /// The way of the next run; none if the search has ended.
  std::optional<TileWay> next();
  /// Adds the time of a run's fastest launch; no time if there was no launch.
  void add(const TileWay &way, std::optional<uint64_t> nanoseconds);
  /// Rejects the way.
  void refuse(const TileWay &way, std::string problem);

  /// The fastest way; none if it is not clearly faster than the runtime's own
  /// choice.
  TunedGraph best() const;
  /// All ways that ran, in the order of their first runs.
  const std::vector<WayTrial> &getTrials() const { return trials; }
  /// Whether the graph and the size are the same.
  bool isOf(const TunedGraph &tuned) const {
    return tuned.graph == seen.graph && tuned.sizeClass == seen.sizeClass;
  }
  const TiledTimes &getSeen() const { return seen; }

private:
  /// The search stops refining after this many ways.
  static constexpr size_t maxWays = 40;
  static constexpr unsigned numFinalists = 3, numFinalRuns = 3;

  WayTrial &trialOf(const TileWay &way);
  const WayTrial *fastestTrial() const;
  void want(TileWay way);
  void wantNear(const TileWay &way);
  std::optional<TileWay> nextFinal() const;

  const TiledTimes seen;
  std::vector<WayTrial> trials;
  std::deque<TileWay> wanted;
  bool isFinal = false;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TUNING_WAYSEARCH_H
