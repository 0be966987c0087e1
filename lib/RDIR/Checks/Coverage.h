//===- Coverage.h - Do parts cover the whole? -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region is covered if it, or a region that contains it, is among the parts,
// or if all colors of one of its complete partitions are covered. Coverage is
// computed upwards from the parts.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_CHECKS_COVERAGE_H
#define SLUICE_LIB_RDIR_CHECKS_COVERAGE_H

#include "sluice/RDIR/RegionForest.h"

#include <set>
#include <unordered_map>
#include <unordered_set>

namespace sluice::rdir {

/// Regions that are covered, for one set of fields.
class Coverage {
public:
  explicit Coverage(const RegionForest &forest) : forest(forest) {}

  void add(RegionIndex region);
  /// The same for a color that may not be a region of the forest yet.
  void addColor(RegionIndex partition, int64_t color);
  /// Adds the regions that constraints place within covered regions, until
  /// nothing changes.
  void addConstrained();

  /// True if the region or one above it is covered.
  bool contains(RegionIndex region) const;
  bool containsColor(RegionIndex partition, int64_t color) const;

private:
  void countColor(RegionIndex partition, int64_t color);
  void addPending();

  const RegionForest &forest;
  std::unordered_set<RegionIndex> covered;
  /// Colors that are no regions.
  std::set<std::pair<RegionIndex, int64_t>> coveredColors;
  std::unordered_map<RegionIndex, uint64_t> numCovered;
  std::vector<RegionIndex> pending;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_CHECKS_COVERAGE_H
