//===- WaySearch.h - The fastest way of one graph ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks for one run of the program after another, each with a way for the graph:
// first ways that are far apart, then those that are near to the fastest, at
// last the fastest ones again, since a time may be chance.
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

/// A way, and what its runs took.
struct WayTrial {
  TileWay way;
  /// Nanoseconds of the fastest launch; the maximum: of none.
  uint64_t fastest = UINT64_MAX;
  unsigned runs = 0;
  /// Why it must not be chosen.
  std::string problem;

  bool isGood() const { return problem.empty() && fastest != UINT64_MAX; }
};

/// For the launches of one graph that touch about as much memory.
class WaySearch {
public:
  /// `seen` is what a run without any way measured.
  explicit WaySearch(const TiledTimes &seen);

  /// The way of the next run; none: the search has ended.
  std::optional<TileWay> next();
  /// What a run took in its fastest launch; no time if it had none.
  void add(const TileWay &way, std::optional<uint64_t> nanoseconds);
  /// The way must not be chosen.
  void refuse(const TileWay &way, std::string problem);

  /// The fastest way; one that is not clearly faster than the runtime's own
  /// choice is none.
  TunedGraph best() const;
  /// All that ran, in the order of their first runs.
  const std::vector<WayTrial> &getTrials() const { return trials; }
  /// The same graph and size.
  bool isOf(const TunedGraph &tuned) const {
    return tuned.graph == seen.graph && tuned.sizeClass == seen.sizeClass;
  }
  const TiledTimes &getSeen() const { return seen; }

private:
  /// Beyond these the search goes no nearer.
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
