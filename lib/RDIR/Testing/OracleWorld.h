//===- OracleWorld.h - Elements that a region forest allows -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. The forest determines which regions may share elements. The
// world has an element for every set of regions that the forest does not
// exclude. A graph that is correct in this world is correct for any elements of
// its regions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_TESTING_ORACLEWORLD_H
#define SLUICE_LIB_RDIR_TESTING_ORACLEWORLD_H

#include "sluice/RDIR/Graph.h"

namespace sluice::rdir::oracle {

/// A forest and its constraints as they were added.
struct ConstrainedForest {
  RegionForest forest;
  std::vector<std::pair<RegionIndex, RegionIndex>> subregions, disjoint;

  void addSubregionConstraint(RegionIndex inner, RegionIndex outer) {
    forest.addSubregionConstraint(inner, outer);
    subregions.emplace_back(inner, outer);
  }
  void addDisjointConstraint(RegionIndex a, RegionIndex b) {
    forest.addDisjointConstraint(a, b);
    disjoint.emplace_back(a, b);
  }
};

/// Elements of a forest. Each stands for all elements in the same regions.
class World {
public:
  explicit World(const ConstrainedForest &constrained);

  size_t numElements() const { return elements.size(); }
  /// By region: whether it has the element.
  const std::vector<bool> &element(size_t index) const {
    return elements[index];
  }
  bool contains(RegionIndex region, size_t index) const {
    return elements[index][region];
  }
  /// True if there is an element of both.
  bool share(RegionIndex a, RegionIndex b) const;
  /// True if all elements of `inner` are elements of `outer`.
  bool isWithin(RegionIndex inner, RegionIndex outer) const;

private:
  std::vector<std::vector<bool>> elements;
};

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_RDIR_TESTING_ORACLEWORLD_H
