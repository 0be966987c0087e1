//===- RankGrid.h - Which rank has which color ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colors that are neighbours are to be on one rank, so the colors of a grid are
// dealt as blocks of a grid of ranks.
//
// Room: programs over regions on several ranks. May include what the room
// Regions may, and Cluster.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DISTRIBUTION_RANKGRID_H
#define SLUICE_RUNTIME_REGIONS_DISTRIBUTION_RANKGRID_H

#include "../Partitions/ElementSet.h"

namespace sluice::regions {

/// The ranks of the colors of one color space.
class RankGrid {
public:
  /// `elements`: the extents of what is divided.
  RankGrid(const Shape &colors, const Shape &elements, uint32_t numRanks);
  uint32_t rankOf(uint32_t color) const;
  /// All colors of a rank, ascending.
  std::vector<uint32_t> colorsOf(uint32_t rank) const;

private:
  Shape colors;
  /// Ranks along each dimension; all zero: equal parts of the linear colors.
  int64_t ranks[SLUICE_MAX_RANK] = {0, 0, 0};
  uint32_t numRanks;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_RANKGRID_H
