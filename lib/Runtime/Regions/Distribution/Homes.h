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

namespace sluice::regions {

/// Instead of a rank: all of them.
constexpr uint32_t everyRank = UINT32_MAX;

class Homes {
public:
  explicit Homes(uint32_t numRanks) : numRanks(numRanks) {}

  /// Learns from what a graph writes; what is known stays.
  void learn(const Sequence &statements);

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

  const uint32_t numRanks;

  /// The rank of a color.
  uint32_t colorRank(const RegionPartition &partition, uint32_t color) const {
    return gridOf(partition).rankOf(color);
  }

private:
  void learn(const Root &root, const RegionPartition &partition);
  const RankGrid &gridOf(const RegionPartition &partition) const;
  const std::vector<Runs> &homesOf(const Root &root);
  /// Through which the elements of a root are written: the first one that has
  /// an element decides.
  std::map<const Root *, std::vector<const RegionPartition *>> writtenThrough;
  std::map<const Root *, std::vector<Runs>> homes;
  /// By extents, so that partitions with as many colors lie alike: as suits
  /// the first of them.
  mutable std::map<std::vector<int64_t>, RankGrid> grids;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_HOMES_H
