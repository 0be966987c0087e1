//===- OracleWorld.cpp - Elements that a region forest allows -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries all sets of regions, parent regions first.
//
//===----------------------------------------------------------------------===//

#include "OracleWorld.h"

#include <numeric>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

namespace {

class Enumeration {
public:
  Enumeration(const ConstrainedForest &constrained,
              std::vector<std::vector<bool>> &found)
      : constrained(constrained), forest(constrained.forest), found(found),
        isMember(forest.size()), group(forest.size()) {
    joinRoots();
    extend(0);
  }

private:
  void joinRoots();
  void extend(RegionIndex region);
  bool mayHold(RegionIndex region) const;
  bool isConsistent() const;
  bool isPartitionConsistent(RegionIndex partition) const;

  const ConstrainedForest &constrained;
  const RegionForest &forest;
  std::vector<std::vector<bool>> &found;
  std::vector<bool> isMember;
  /// By region: a root that represents all roots that constraints join to its
  /// own.
  std::vector<RegionIndex> group;
};

} // namespace

void Enumeration::joinRoots() {
  for (RegionIndex region = 0; region < forest.size(); ++region)
    group[region] = forest.root(region);
  for (size_t turn = 0; turn < constrained.subregions.size(); ++turn)
    for (auto [inner, outer] : constrained.subregions) {
      RegionIndex from = group[inner], to = group[outer];
      for (RegionIndex &entry : group)
        if (entry == from)
          entry = to;
    }
}

/// False if a region above or beside this one excludes it.
bool Enumeration::mayHold(RegionIndex region) const {
  if (forest.kind(region) == RegionKind::Root) {
    for (RegionIndex other = 0; other < region; ++other)
      if (isMember[other] && group[other] != group[region])
        return false;
    return true;
  }
  RegionIndex parent = forest.parent(region);
  if (!isMember[parent])
    return false;
  if (forest.kind(region) == RegionKind::Partition ||
      !forest.isDisjoint(parent))
    return true;
  for (RegionIndex other = parent + 1; other < region; ++other)
    if (isMember[other] && forest.parent(other) == parent)
      return false;
  return true;
}

/// An element of a partition belongs to one of its colors. An element of a
/// complete partition's parent belongs to the partition. It may be in colors
/// that no region names.
bool Enumeration::isPartitionConsistent(RegionIndex partition) const {
  if (!isMember[partition])
    return !forest.isComplete(partition) || !isMember[forest.parent(partition)];
  uint64_t numKnown = 0;
  for (RegionIndex color = partition + 1; color < forest.size(); ++color) {
    if (forest.parent(color) != partition)
      continue;
    if (isMember[color])
      return true;
    ++numKnown;
  }
  return forest.numColors(partition) == 0 ||
         numKnown < forest.numColors(partition);
}

bool Enumeration::isConsistent() const {
  bool isAnywhere = false;
  for (RegionIndex region = 0; region < forest.size(); ++region) {
    isAnywhere |= isMember[region];
    if (forest.kind(region) == RegionKind::Partition &&
        !isPartitionConsistent(region))
      return false;
  }
  for (auto [inner, outer] : constrained.subregions)
    if (isMember[inner] && !isMember[outer])
      return false;
  for (auto [a, b] : constrained.disjoint)
    if (isMember[a] && isMember[b])
      return false;
  return isAnywhere;
}

void Enumeration::extend(RegionIndex region) {
  if (region == forest.size()) {
    if (isConsistent())
      found.push_back(isMember);
    return;
  }
  isMember[region] = false;
  extend(region + 1);
  if (!mayHold(region))
    return;
  isMember[region] = true;
  extend(region + 1);
  isMember[region] = false;
}

World::World(const ConstrainedForest &constrained) {
  Enumeration(constrained, elements);
}

bool World::share(RegionIndex a, RegionIndex b) const {
  for (const auto &element : elements)
    if (element[a] && element[b])
      return true;
  return false;
}

bool World::isWithin(RegionIndex inner, RegionIndex outer) const {
  for (const auto &element : elements)
    if (element[inner] && !element[outer])
      return false;
  return true;
}
