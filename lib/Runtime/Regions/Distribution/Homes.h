//===- Homes.h - Where points run and elements are at home ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A point runs where its written color is; what no color decides, where the
// elements are at home: on the rank of their color in the first partition
// through which they are written.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DISTRIBUTION_HOMES_H
#define SLUICE_RUNTIME_REGIONS_DISTRIBUTION_HOMES_H

#include "../Graph.h"
#include "RankGrid.h"

#include <map>
#include <span>

namespace sluice::regions {

/// Instead of a rank: all of them.
constexpr uint32_t everyRank = UINT32_MAX;

class Homes {
public:
  explicit Homes(uint32_t numRanks) : numRanks(numRanks) {}

  /// Learns from what a graph writes; what is known stays.
  void learn(const Sequence &statements);
  /// From here on it is settled where the elements of a root are at home: those
  /// that are written through no partition so far on all ranks in equal parts.
  void settle(const Root &root);
  /// An element is at home with its color in the first of these that has it;
  /// when that is settled, one of them does.
  std::span<const RegionPartition *const> partitionsOf(const Root &root) const {
    auto found = writtenThrough.find(&root);
    if (found == writtenThrough.end())
      return {};
    return found->second;
  }
  uint32_t rankOfColor(const RegionPartition &partition, uint32_t color) const {
    return isRest(partition) ? color : gridOf(partition).rankOf(color);
  }
  std::vector<uint32_t> colorsOf(const RegionPartition &partition,
                                 uint32_t rank) const {
    return isRest(partition) ? std::vector{rank}
                             : gridOf(partition).colorsOf(rank);
  }

  /// The rank that runs a point, or every one: tasks that have to do with
  /// scalars only are repeated everywhere, which takes no message.
  uint32_t rankOf(const Statement &statement, uint32_t point) const;
  /// The points that a rank runs, ascending.
  std::vector<uint32_t> pointsOf(const Statement &statement,
                                 uint32_t rank) const;
  /// Whether each rank runs a point of it.
  bool isEverywhere(const Statement &statement) const;
  /// The elements of a set by their home: those of each rank.
  std::vector<ElementSet> split(const Root &root, const ElementSet &set);
  /// Where the first element of a set is at home.
  uint32_t rankOfFirst(const Root &root, const ElementSet &set);
  /// The same as pieces of a partition, with the rank of each; ranks with many
  /// elements have several.
  PartitionPointer makePieces(const Root &root, const ElementSet &set,
                              int64_t pieceSize, std::vector<uint32_t> &ranks);
  /// The same of parts that are known, with the rank of each, ascending.
  static PartitionPointer
  makePieces(const Root &root, const ElementSet &set,
             std::span<const std::pair<uint32_t, ElementSet>> parts,
             int64_t pieceSize, std::vector<uint32_t> &ranks);

  const uint32_t numRanks;

private:
  void learn(const Root &root, const RegionPartition &partition);
  const RankGrid &gridOf(const RegionPartition &partition) const;
  const std::vector<Runs> &homesOf(const Root &root);
  /// Through which the elements of a root are written: the first one that has
  /// an element decides.
  std::map<const Root *, std::vector<const RegionPartition *>> writtenThrough;
  std::map<const Root *, std::vector<Runs>> homes;
  bool isRest(const RegionPartition &partition) const {
    auto found = settled.find(partition.root);
    return found != settled.end() && found->second.get() == &partition;
  }
  /// Of roots that are settled: what is written through no partition, a color
  /// for each rank.
  std::map<const Root *, PartitionPointer> settled;
  /// By extents, so that partitions with as many colors lie alike: as suits
  /// the first of them.
  mutable std::map<std::vector<int64_t>, RankGrid> grids;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_HOMES_H
