//===- Overlaps.h - Colors that share elements ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dependences between points are found through their colors: for two
// partitions, this computes once which of their colors intersect, and in how
// many elements. Everything else works on colors.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_OVERLAPS_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_OVERLAPS_H

#include "RootPartitions.h"

#include <map>

namespace sluice::regions {

/// Whether the bounding boxes of its sets approximate their elements.
bool fillsBoxes(const RootPartition &partition);

/// For each color of one partition, the colors of another one that share
/// elements with it, ascending. The first of several colors with the same
/// elements stands for all of them.
class Overlaps {
public:
  struct Overlap {
    uint32_t color;
    int64_t count; ///< elements in common, at least 1
  };
  Overlaps(const RootPartition &from, const RootPartition &to);

  std::span<const Overlap> of(uint32_t color) const {
    color = from.firstAlike(color);
    return {overlaps.data() + first[color], first[color + 1] - first[color]};
  }

  /// The index of an entry of `of` among all entries.
  size_t indexOf(const Overlap &overlap) const {
    return &overlap - overlaps.data();
  }
  size_t size() const { return overlaps.size(); }

private:
  void intersectBoxes(const RootPartition &to);
  void sweepRuns(const RootPartition &to);
  const RootPartition &from;
  std::vector<size_t> first;
  std::vector<Overlap> overlaps;
};

/// The overlaps between a program's partitions, each computed on first use.
class OverlapTable {
public:
  const Overlaps &get(const RootPartition &from, const RootPartition &to);
  /// Drops the data of a partition that is destroyed.
  void forget(const RootPartition &partition);

private:
  std::map<std::pair<const RootPartition *, const RootPartition *>,
           std::unique_ptr<Overlaps>>
      table;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_OVERLAPS_H
