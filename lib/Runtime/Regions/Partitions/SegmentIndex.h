//===- SegmentIndex.h - The colors of elements ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inverse of a partition: linear positions, cut where the set of colors
// changes, and the colors of each piece. One sweep builds it; every query about
// elements is then a merge.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_SEGMENTINDEX_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_SEGMENTINDEX_H

#include "ColorSets.h"

#include <span>

namespace sluice::regions {

class SegmentIndex {
public:
  struct Segment {
    int64_t begin, end;
    uint32_t firstColor, numColors;
  };
  SegmentIndex(const Shape &shape, const ColorSets &sets);

  /// Sorted and disjoint; positions without a color are in no segment.
  std::span<const Segment> segments() const { return allSegments; }
  std::span<const uint32_t> colorsOf(const Segment &segment) const {
    return {colors.data() + segment.firstColor, segment.numColors};
  }
  /// The first segment, from `from` on, that ends after a position.
  size_t find(int64_t position, size_t from = 0) const {
    return std::partition_point(
               allSegments.begin() + from, allSegments.end(),
               [&](const Segment &s) { return s.end <= position; }) -
           allSegments.begin();
  }

private:
  std::vector<Segment> allSegments;
  std::vector<uint32_t> colors;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_SEGMENTINDEX_H
