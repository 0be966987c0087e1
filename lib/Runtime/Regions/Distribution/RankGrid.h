//===- RankGrid.h - The distribution of colors to ranks -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbouring colors should be on the same rank, so the colors of a grid are
// distributed in blocks to a grid of ranks.
//
// Room: programs over regions on several ranks. May include the same as the
// room Regions, and Cluster.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DISTRIBUTION_RANKGRID_H
#define SLUICE_RUNTIME_REGIONS_DISTRIBUTION_RANKGRID_H

#include "../Partitions/ElementSet.h"

namespace sluice::regions {

/// The ranks of the colors of one color space.
class RankGrid {
public:
  /// `elements`: the extents of the divided root.
  RankGrid(const Shape &colors, const Shape &elements, uint32_t numRanks);
  uint32_t rankOf(uint32_t color) const;
  /// All colors of a rank, ascending.
  std::vector<uint32_t> colorsOf(uint32_t rank) const;

private:
  Shape colors;
  /// Ranks along each dimension; if all are zero: equal parts of the linear
  /// colors.
  int64_t ranks[SLUICE_MAX_RANK] = {0, 0, 0};
  uint32_t numRanks;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_RANKGRID_H
