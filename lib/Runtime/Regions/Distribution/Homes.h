//===- Homes.h - The ranks of points and the homes of elements ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A point runs on the rank of its written color. If no color decides, it runs
// at the home of the elements: the rank of their color in the first partition
// through which they are written.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DISTRIBUTION_HOMES_H
#define SLUICE_RUNTIME_REGIONS_DISTRIBUTION_HOMES_H

#include "../StatementGraph.h"
#include "RankGrid.h"

#include <map>
#include <span>

namespace sluice::regions {

/// Represents all ranks.
constexpr uint32_t everyRank = UINT32_MAX;

class Homes {
public:
  explicit Homes(uint32_t numRanks) : numRanks(numRanks) {}

  /// Learns from the writes of a graph; known homes are kept.
  void learn(const Sequence &statements);
  /// From here on the homes of a root's elements are fixed: elements that are
  /// not written through a partition so far are distributed in equal parts.
  void settle(const Root &root);
  /// The home of an element is that of its color in the first of these
  /// partitions that contains it; once homes are fixed, one of them does.
  std::span<const RootPartition *const> partitionsOf(const Root &root) const {
    auto found = writtenThrough.find(&root);
    if (found == writtenThrough.end())
      return {};
    return found->second;
  }
  uint32_t rankOfColor(const RootPartition &partition, uint32_t color) const {
    return isRest(partition) ? color : gridOf(partition).rankOf(color);
  }
  std::vector<uint32_t> colorsOf(const RootPartition &partition,
                                 uint32_t rank) const {
    return isRest(partition) ? std::vector{rank}
                             : gridOf(partition).colorsOf(rank);
  }

  /// The rank that runs a point, or every rank: tasks that only access scalars
  /// are repeated everywhere, which needs no message.
  uint32_t rankOf(const Statement &statement, uint32_t point) const;
  /// The points that a rank runs, ascending.
  std::vector<uint32_t> pointsOf(const Statement &statement,
                                 uint32_t rank) const;
  /// Whether each rank runs a point of the statement.
  bool isEverywhere(const Statement &statement) const;
  /// The elements of a set that have their home on each rank.
  std::vector<ElementSet> split(const Root &root, const ElementSet &set);
  /// The home of the first element of a set.
  uint32_t rankOfFirst(const Root &root, const ElementSet &set);
  /// The same as pieces of a partition, with the rank of each piece; ranks with
  /// many elements have several pieces.
  PartitionPointer makePieces(const Root &root, const ElementSet &set,
                              int64_t pieceSize, std::vector<uint32_t> &ranks);
  /// The same for known parts, with the rank of each, ascending.
  static PartitionPointer
  makePieces(const Root &root, const ElementSet &set,
             std::span<const std::pair<uint32_t, ElementSet>> parts,
             int64_t pieceSize, std::vector<uint32_t> &ranks);

  const uint32_t numRanks;

private:
  void learn(const Root &root, const RootPartition &partition);
  const RankGrid &gridOf(const RootPartition &partition) const;
  const std::vector<Runs> &homesOf(const Root &root);
  /// The partitions through which the elements of a root are written: the first
  /// one that contains an element decides.
  std::map<const Root *, std::vector<const RootPartition *>> writtenThrough;
  std::map<const Root *, std::vector<Runs>> homes;
  bool isRest(const RootPartition &partition) const {
    auto found = settled.find(partition.root);
    return found != settled.end() && found->second.get() == &partition;
  }
  /// For fixed roots: the elements that are not written through a partition,
  /// with a color for each rank.
  std::map<const Root *, PartitionPointer> settled;
  /// By extents, so that partitions with equal numbers of colors are
  /// distributed in the same way, which suits the first of them.
  mutable std::map<std::vector<int64_t>, RankGrid> grids;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_HOMES_H
