//===- Graph.h - The statements of one graph, as they were added ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is recorded between the begin and the end of a graph: statements and
// loops in their order, checked, with arguments that point at the program's
// roots and partitions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_GRAPH_H
#define SLUICE_RUNTIME_REGIONS_GRAPH_H

#include "Partitions/Partitions.h"

#include <map>
#include <optional>
#include <set>

namespace sluice::regions {

/// One argument, with every point's color worked out.
struct Argument {
  const Root *root;
  /// Where the colors come from; a whole root or partition is one color.
  const RegionPartition *partition;
  /// The color of each point; one for all points if there is only one. Without
  /// any, each point uses the color with its own number.
  std::vector<uint32_t> colors;
  SluicePrivilege privilege;
  SluiceReduction reduction;
  /// Indices of fields, ascending.
  std::vector<uint32_t> fields;
  /// Of points of one rank's plan: all ranks read this color.
  bool isForAll = false;

  uint32_t colorOf(uint32_t point) const {
    return colors.empty()       ? point
           : colors.size() == 1 ? colors[0]
                                : colors[point];
  }
  /// As a list, for so many points.
  std::vector<uint32_t> listColors(uint32_t numPoints) const;
  bool isReduction() const { return privilege == SLUICE_PRIVILEGE_REDUCE; }
};

struct ReducedLaunch;
/// The elements of roots by the rank on which they are at home, ascending:
/// those that a rank has to do with.
using HomeParts =
    std::map<const Root *, std::vector<std::pair<uint32_t, ElementSet>>>;

/// The points of a launch with which one rank has to do.
struct PointSubset {
  /// Their numbers among all points, ascending.
  std::vector<uint32_t> points;
  /// Which rank runs each, or `everyRank`.
  std::vector<uint32_t> ranks;
  /// Of each level of the folds of a scalar, by the distance of the points
  /// whose copies are folded: the ranks that fold. Of other ranks only the
  /// results are there.
  std::map<uint64_t, std::set<uint32_t>> foldRanks;
  /// What all points tell of a launch that reduces to more than scalars; else
  /// null.
  std::shared_ptr<const ReducedLaunch> reduced;
  /// Where what it reduces to is at home.
  std::shared_ptr<const HomeParts> homes;
};

struct Statement {
  const char *name;
  SluiceTaskBody body;
  const void *closure;
  /// Kept for built-in statements; `closure` points into it.
  std::shared_ptr<void> ownedClosure;
  bool isHost = false;
  /// A copy or fill, which may be split in any way.
  bool isDivisible = false;
  /// All ranks have been given what it writes, outside of graphs.
  bool isGiven = false;
  int32_t rank = 0;
  int64_t extent[SLUICE_MAX_RANK] = {1, 1, 1};
  std::vector<Argument> arguments;
  /// Null: all points.
  std::shared_ptr<const PointSubset> subset;

  uint32_t numAllPoints() const {
    return static_cast<uint32_t>(extent[0] * extent[1] * extent[2]);
  }
  uint32_t numPoints() const {
    return subset ? static_cast<uint32_t>(subset->points.size())
                  : numAllPoints();
  }
  /// Which one of all points it is.
  uint32_t numberOf(uint32_t point) const {
    return subset ? subset->points[point] : point;
  }
  SluiceTask task(uint32_t point) const;
  /// "'sweep'", or "'sweep' at point (1, 2)".
  std::string pointText(uint32_t point) const;
};

struct Loop;

/// A statement or a loop, exactly one of them.
struct Item {
  std::unique_ptr<Statement> statement;
  std::unique_ptr<Loop> loop;
};
using Sequence = std::vector<Item>;

struct Loop {
  int64_t count = 0;
  /// The scalar that is tested before each iteration, or null.
  const Root *whileRoot = nullptr;
  /// All of it, as the argument of the test.
  const RegionPartition *whileWhole = nullptr;
  Sequence body;
};

struct Graph {
  const char *name;
  Sequence items;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_GRAPH_H
