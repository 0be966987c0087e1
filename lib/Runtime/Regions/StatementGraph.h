//===- StatementGraph.h - The recorded statements of one graph ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The statements and loops between the begin and the end of a graph, in order
// and checked, with arguments that point to the program's roots and partitions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_STATEMENTGRAPH_H
#define SLUICE_RUNTIME_REGIONS_STATEMENTGRAPH_H

#include "Partitions/RootPartitions.h"

#include <map>
#include <optional>
#include <set>

namespace sluice::regions {

/// One argument, with the colors of all points.
struct StatementArgument {
  const Root *root;
  /// The partition of the colors; a whole root or partition is one color.
  const RootPartition *partition;
  /// The color of each point, or one color for all points. If empty, each point
  /// uses the color with its own number.
  std::vector<uint32_t> colors;
  SluicePrivilege privilege;
  SluiceReduction reduction;
  /// Indices of fields, ascending.
  std::vector<uint32_t> fields;
  /// For points of one rank's plan: all ranks read this color.
  bool isForAll = false;

  uint32_t colorOf(uint32_t point) const {
    return colors.empty()       ? point
           : colors.size() == 1 ? colors[0]
                                : colors[point];
  }
  /// As a list for `numPoints` points.
  std::vector<uint32_t> listColors(uint32_t numPoints) const;
  bool isReduction() const { return privilege == SLUICE_PRIVILEGE_REDUCE; }
};

struct ReducedLaunch;
/// The elements of roots that concern a rank, by their home ranks, ascending.
using HomeParts =
    std::map<const Root *, std::vector<std::pair<uint32_t, ElementSet>>>;

/// The points of a launch that concern one rank.
struct PointSubset {
  /// Their numbers among all points, ascending.
  std::vector<uint32_t> points;
  /// The rank that runs each point, or `everyRank`.
  std::vector<uint32_t> ranks;
  /// The ranks that fold, for each level of the folds of a scalar, by the
  /// distance of the points with the folded copies. For other ranks only the
  /// results exist.
  std::map<uint64_t, std::set<uint32_t>> foldRanks;
  /// For a launch that reduces to more than scalars, the information that
  /// depends on all points; else null.
  std::shared_ptr<const ReducedLaunch> reduced;
  /// The homes of the elements to which it reduces.
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
  /// All ranks have received the data that it writes, outside of graphs.
  bool isGiven = false;
  int32_t rank = 0;
  int64_t extent[SLUICE_MAX_RANK] = {1, 1, 1};
  std::vector<StatementArgument> arguments;
  /// Null: all points.
  std::shared_ptr<const PointSubset> subset;

  uint32_t numAllPoints() const {
    return static_cast<uint32_t>(extent[0] * extent[1] * extent[2]);
  }
  uint32_t numPoints() const {
    return subset ? static_cast<uint32_t>(subset->points.size())
                  : numAllPoints();
  }
  /// Its number among all points.
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
  /// The whole root, as the argument of the test.
  const RootPartition *whileWhole = nullptr;
  /// An iteration runs if the scalar is 0.
  bool isUnless = false;
  Sequence body;
};

struct StatementGraph {
  const char *name;
  Sequence items;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_STATEMENTGRAPH_H
