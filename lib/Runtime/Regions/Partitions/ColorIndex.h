//===- ColorIndex.h - Where the colors of a partition are -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colors that are listed may be anywhere. What tells which of them have
// elements of a set takes time with all of them once, and then with those that
// it finds.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_COLORINDEX_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_COLORINDEX_H

#include "BoxTree.h"
#include "Partitions.h"
#include "SegmentIndex.h"

#include <variant>

namespace sluice::regions {

class ColorIndex {
public:
  /// The partition's sets stay as they are.
  explicit ColorIndex(const RegionPartition &partition);
  /// Calls a function with each color that shares elements with a set, once or
  /// several times.
  void visit(const ElementSet &set,
             const std::function<void(uint32_t color)> &function) const;

private:
  using Index = std::variant<BoxTree, SegmentIndex>;
  static Index make(const RegionPartition &partition);

  const RegionPartition &partition;
  const Index index;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_COLORINDEX_H
