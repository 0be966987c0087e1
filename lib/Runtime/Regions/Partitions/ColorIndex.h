//===- ColorIndex.h - The location of a partition's colors ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Listed colors may be anywhere. Building the index takes time linear in all of
// them once; after that, finding the colors with elements of a set takes time
// linear in the number of results.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_COLORINDEX_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_COLORINDEX_H

#include "BoxTree.h"
#include "RootPartitions.h"
#include "SegmentIndex.h"

#include <variant>

namespace sluice::regions {

class ColorIndex {
public:
  /// The partition's sets must not change.
  explicit ColorIndex(const RootPartition &partition);
  /// Calls a function for each color that shares elements with a set, once or
  /// several times.
  void visit(const ElementSet &set,
             const std::function<void(uint32_t color)> &function) const;

private:
  using Index = std::variant<BoxTree, SegmentIndex>;
  static Index make(const RootPartition &partition);

  const RootPartition &partition;
  const Index index;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_COLORINDEX_H
