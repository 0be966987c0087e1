//===- RegionForest.h - Which regions may share elements --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The region graph of RDIR ("Region Graph" in the specification): a forest in
// which roots have partitions and partitions have subregions, one per color,
// recursively. Explicit constraints add relations that the forest does not
// express. Regions may alias unless they are provably disjoint.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_REGIONFOREST_H
#define SLUICE_RDIR_REGIONFOREST_H

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sluice::rdir {

/// A node of the forest: a root, a partition or a subregion.
using RegionIndex = uint32_t;
inline constexpr RegionIndex noRegion = UINT32_MAX;

/// Fields of a root, one bit each; a root has at most 64.
using FieldMask = uint64_t;
inline constexpr FieldMask allFields = ~FieldMask(0);

enum class RegionKind : uint8_t { Root, Partition, Subregion };

/// Regions, partitions and constraints. Children follow their parents, so
/// indices are a topological order. Not thread-safe during growth; afterwards,
/// all const functions may run concurrently.
class RegionForest {
public:
  /// Distinct roots are distinct memory unless a constraint joins them.
  RegionIndex addRoot(std::string name);
  /// `numColors` is 0 if it is not known. A partition is itself a set of
  /// elements: the union of its subregions.
  RegionIndex addPartition(std::string name, RegionIndex parent,
                           bool isDisjoint, bool isComplete,
                           uint64_t numColors = 0);
  /// The subregion of `partition` with the linear color `color`; added on first
  /// use.
  RegionIndex getSubregion(RegionIndex partition, int64_t color);
  /// Linear colors are the row-major numbers of points of a grid with these
  /// extents (the first extent does not matter): names show the points.
  void setColorExtents(RegionIndex partition, std::vector<int64_t> extents) {
    if (extents.size() > 1)
      colorExtents[partition] = std::move(extents);
  }
  /// All elements of `inner` are elements of `outer`. Both may be of any tree.
  void addSubregionConstraint(RegionIndex inner, RegionIndex outer);
  /// No element of `a` or its subregions is an element of `b` or its
  /// subregions.
  void addDisjointConstraint(RegionIndex a, RegionIndex b);

  size_t size() const { return nodes.size(); }
  RegionKind kind(RegionIndex region) const { return nodes[region].kind; }
  /// noRegion for roots.
  RegionIndex parent(RegionIndex region) const { return nodes[region].parent; }
  RegionIndex root(RegionIndex region) const { return nodes[region].root; }
  uint32_t depth(RegionIndex region) const { return nodes[region].depth; }
  bool isDisjoint(RegionIndex partition) const {
    return nodes[partition].isDisjoint;
  }
  bool isComplete(RegionIndex partition) const {
    return nodes[partition].isComplete;
  }
  uint64_t numColors(RegionIndex partition) const {
    return nodes[partition].numColors;
  }
  /// The representative of all regions that provably have the same elements
  /// because partitions are complete.
  RegionIndex canonical(RegionIndex region) const {
    return nodes[region].canonical;
  }
  /// The number of partitions of a root or subregion.
  uint32_t numPartitions(RegionIndex region) const {
    return nodes[region].numPartitions;
  }
  /// Like getSubregion, but noRegion if the subregion was never requested.
  RegionIndex findSubregion(RegionIndex partition, int64_t color) const;
  /// The representative of all roots that constraints join with the region's
  /// root.
  RegionIndex group(RegionIndex region) const {
    return joinedRoots.empty() ? root(region) : groupOf(root(region));
  }
  /// True if a constraint names a region of this one's tree.
  bool isConstrained(RegionIndex region) const {
    return nodes[root(region)].isConstrained;
  }
  /// Roots of regions that constraints name.
  const std::vector<RegionIndex> &constrainedRoots() const {
    return rootsWithConstraints;
  }
  /// Pairs of canonical regions (inner, outer) of the subregion constraints.
  std::vector<std::pair<RegionIndex, RegionIndex>> subregionPairs() const;
  /// Pairs of the disjointness constraints, without duplicates.
  std::vector<std::pair<RegionIndex, RegionIndex>> disjointPairs() const;
  int64_t color(RegionIndex subregion) const { return nodes[subregion].color; }
  /// The color as a point of the grid of colors.
  std::vector<int64_t> colorPoint(RegionIndex subregion) const;
  /// "grid", "blocks", "blocks[3]" or "blocks[0, 3]".
  std::string name(RegionIndex region) const;
  /// True if constraints were added, so that the forest alone does not decide.
  bool hasConstraints() const {
    return !outerRegions.empty() || !disjointRegions.empty();
  }

  /// True unless the regions are provably disjoint. Reflexive and symmetric.
  bool mayAlias(RegionIndex a, RegionIndex b) const;
  /// True if all elements of `inner` are provably elements of `outer`. A
  /// complete partition and its parent are subregions of each other.
  bool isSubregion(RegionIndex inner, RegionIndex outer) const;
  /// True if `inner` is `outer`, or lies below it in the forest, or below a
  /// region that a constraint makes a subregion of it. Completeness is ignored:
  /// a parent is never below its partition.
  bool isBelow(RegionIndex inner, RegionIndex outer) const;

private:
  struct Node {
    RegionIndex parent, root;
    /// The topmost region with the same elements: a complete partition has
    /// those of its parent, and a single color those of its partition.
    RegionIndex canonical;
    uint32_t depth, name, numPartitions = 0;
    int64_t color;
    uint64_t numColors;
    RegionKind kind;
    bool isDisjoint, isComplete;
    /// Roots: a constraint names a region of the tree.
    bool isConstrained = false;
  };
  using Pairs = std::unordered_map<RegionIndex, std::vector<RegionIndex>>;

  size_t slotOf(RegionIndex partition, int64_t color) const;
  void growSlots();
  RegionIndex groupOf(RegionIndex root) const;
  void constrain(RegionIndex region);
  bool isTreeDisjoint(RegionIndex a, RegionIndex b) const;
  std::vector<RegionIndex> enclosing(RegionIndex region) const;
  bool isConstrainedDisjoint(RegionIndex a, RegionIndex b) const;

  std::vector<Node> nodes;
  std::vector<std::string> names;
  std::unordered_map<RegionIndex, std::vector<int64_t>> colorExtents;
  /// Hash table with open addressing: subregions by partition and color.
  std::vector<RegionIndex> slots;
  size_t numSubregions = 0;
  /// By canonical region: regions that contain it, regions disjoint from it.
  Pairs outerRegions, disjointRegions;
  /// Union-find over roots that constraints join; a root without an entry is
  /// alone.
  std::unordered_map<RegionIndex, RegionIndex> joinedRoots;
  std::vector<RegionIndex> rootsWithConstraints;
};

} // namespace sluice::rdir

#endif // SLUICE_RDIR_REGIONFOREST_H
