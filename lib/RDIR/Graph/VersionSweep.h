//===- VersionSweep.h - Pairs of versions that meet -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over the versions of a class, in topological order, behind the data
// race check. Of all pairs that may alias, few need a test: once a version
// covers another one, everything that must come after both is compared with the
// covering version only.
//
//   1. A version u within the region of a later version w is consumed by w:
//      everything that aliases u aliases w, too. So each region has at most one
//      latest version, and a version clears all versions below its own region.
//   2. Of the versions above a new one, v, only the latest, w, meets it: the
//      versions before w were tested against w.
//   3. Versions below other children of a node whose children alias (regions
//      with several partitions, aliased partitions) meet v if they came after
//      w. They form runs: versions below one child after each other. All
//      versions before the latest run of children other than v's reach that
//      run, so v meets this run alone.
//
// Each version is consumed once and meets a few others, so the whole walk takes
// time near-linear in the number of versions times the depth of the forest.
// There is one exception: if a run below one child follows a run below another,
// without a version of a common parent between, the number of tests is the
// product of the lengths of the two runs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_GRAPH_VERSIONSWEEP_H
#define SLUICE_LIB_RDIR_GRAPH_VERSIONSWEEP_H

#include "VersionClasses.h"

#include <functional>
#include <unordered_map>

namespace sluice::rdir {

/// True if children of the node may alias each other.
bool mayChildrenAlias(const RegionForest &forest, RegionIndex region);

class VersionSweep {
public:
  /// Called for a pair that must be ordered, the earlier version first. Returns
  /// whether the pair is ordered.
  using Meet = std::function<bool(NodeIndex earlier, NodeIndex later)>;

  /// `position` orders all nodes topologically.
  VersionSweep(const Graph &graph, std::span<const uint32_t> position,
               Meet meet);

  /// Walks one class; its versions are in topological order.
  void run(const VersionClass &versions);

private:
  /// Consecutive versions below one child of a node, with no version below
  /// another child between them.
  struct Run {
    RegionIndex child = noRegion;
    std::vector<NodeIndex> versions;
  };
  struct RunPair {
    Run latest, before;
  };
  struct Place {
    NodeIndex latest = noNode;
    RegionIndex firstActive = noRegion, nextActive = noRegion;
    bool isActive = false;
  };

  void addToForest(NodeIndex version);
  void meetAbove(NodeIndex version, RegionIndex region);
  void meetBeside(NodeIndex version, RegionIndex above, RegionIndex child);
  void consumeBelow(NodeIndex version, RegionIndex region);
  void consume(NodeIndex earlier, NodeIndex later);
  void activate(RegionIndex region);
  void clear(RegionIndex region);

  void runConstrained(const VersionClass &versions);

  const Graph &graph;
  const RegionForest &forest;
  std::span<const uint32_t> position;
  Meet meet;
  std::vector<Place> places;
  std::unordered_map<RegionIndex, RunPair> runs;
  std::vector<uint32_t> consumedIn;
  std::vector<RegionIndex> stack;
  uint32_t classNumber = 0;
  /// Versions at or before this position need not meet the current version.
  int64_t metUpTo = -1;
};

/// For each region of a constrained class's versions (in canonical form): the
/// regions of the class that it may alias, including itself.
std::unordered_map<RegionIndex, std::vector<RegionIndex>>
aliasingRegions(const Graph &graph, const VersionClass &versions);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_GRAPH_VERSIONSWEEP_H
