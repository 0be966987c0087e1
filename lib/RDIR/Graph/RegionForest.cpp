//===- RegionForest.cpp - Regions that may share elements -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without constraints, two walks up the forest decide everything. Constraints
// add edges from a region to the regions that contain it. Then the enclosing
// regions, which are all regions that contain a region, replace its ancestors.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/RegionForest.h"

#include <algorithm>
#include <cassert>

using namespace sluice::rdir;

RegionIndex RegionForest::addRoot(std::string name) {
  RegionIndex index = nodes.size();
  names.push_back(std::move(name));
  nodes.push_back({.parent = noRegion,
                   .root = index,
                   .canonical = index,
                   .depth = 0,
                   .name = uint32_t(names.size() - 1),
                   .color = 0,
                   .numColors = 0,
                   .kind = RegionKind::Root,
                   .isDisjoint = false,
                   .isComplete = false});
  return index;
}

RegionIndex RegionForest::addPartition(std::string name, RegionIndex parent,
                                       bool isDisjoint, bool isComplete,
                                       uint64_t numColors) {
  assert(kind(parent) != RegionKind::Partition && "partitions divide regions");
  ++nodes[parent].numPartitions;
  RegionIndex index = nodes.size();
  names.push_back(std::move(name));
  nodes.push_back({.parent = parent,
                   .root = nodes[parent].root,
                   .canonical = isComplete ? nodes[parent].canonical : index,
                   .depth = nodes[parent].depth + 1,
                   .name = uint32_t(names.size() - 1),
                   .color = 0,
                   .numColors = numColors,
                   .kind = RegionKind::Partition,
                   .isDisjoint = isDisjoint,
                   .isComplete = isComplete});
  return index;
}

/// The slot that holds the subregion, or the empty one where it belongs.
size_t RegionForest::slotOf(RegionIndex partition, int64_t color) const {
  uint64_t hash = (uint64_t(partition) << 32) ^ uint64_t(color);
  hash *= UINT64_C(0x9e3779b97f4a7c15);
  size_t mask = slots.size() - 1;
  for (size_t slot = (hash >> 20) & mask;; slot = (slot + 1) & mask) {
    if (slots[slot] == noRegion)
      return slot;
    const Node &node = nodes[slots[slot]];
    if (node.parent == partition && node.color == color)
      return slot;
  }
}

void RegionForest::growSlots() {
  std::vector<RegionIndex> old(std::max<size_t>(64, slots.size() * 2),
                               noRegion);
  old.swap(slots);
  for (RegionIndex region : old)
    if (region != noRegion)
      slots[slotOf(nodes[region].parent, nodes[region].color)] = region;
}

RegionIndex RegionForest::getSubregion(RegionIndex partition, int64_t color) {
  assert(kind(partition) == RegionKind::Partition &&
         "colors are of partitions");
  if (numSubregions * 2 >= slots.size())
    growSlots();
  size_t slot = slotOf(partition, color);
  if (slots[slot] != noRegion)
    return slots[slot];
  RegionIndex index = nodes.size();
  const Node &above = nodes[partition];
  nodes.push_back({.parent = partition,
                   .root = above.root,
                   .canonical = above.numColors == 1 ? above.canonical : index,
                   .depth = above.depth + 1,
                   .name = above.name,
                   .color = color,
                   .numColors = 0,
                   .kind = RegionKind::Subregion,
                   .isDisjoint = false,
                   .isComplete = false});
  slots[slot] = index;
  ++numSubregions;
  return index;
}

RegionIndex RegionForest::findSubregion(RegionIndex partition,
                                        int64_t color) const {
  return slots.empty() ? noRegion : slots[slotOf(partition, color)];
}

std::vector<std::pair<RegionIndex, RegionIndex>>
RegionForest::subregionPairs() const {
  std::vector<std::pair<RegionIndex, RegionIndex>> pairs;
  for (const auto &[inner, outers] : outerRegions)
    for (RegionIndex outer : outers)
      pairs.push_back({inner, outer});
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<std::pair<RegionIndex, RegionIndex>>
RegionForest::disjointPairs() const {
  std::vector<std::pair<RegionIndex, RegionIndex>> pairs;
  for (const auto &[first, seconds] : disjointRegions)
    for (RegionIndex second : seconds)
      if (first < second)
        pairs.push_back({first, second});
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// Records that a constraint names the region.
void RegionForest::constrain(RegionIndex region) {
  Node &top = nodes[root(region)];
  if (!top.isConstrained)
    rootsWithConstraints.push_back(root(region));
  top.isConstrained = true;
}

void RegionForest::addSubregionConstraint(RegionIndex inner,
                                          RegionIndex outer) {
  constrain(inner);
  constrain(outer);
  outerRegions[canonical(inner)].push_back(canonical(outer));
  RegionIndex a = groupOf(root(inner)), b = groupOf(root(outer));
  if (a != b)
    joinedRoots[std::max(a, b)] = std::min(a, b);
}

void RegionForest::addDisjointConstraint(RegionIndex a, RegionIndex b) {
  constrain(a);
  constrain(b);
  disjointRegions[canonical(a)].push_back(canonical(b));
  disjointRegions[canonical(b)].push_back(canonical(a));
}

std::vector<int64_t> RegionForest::colorPoint(RegionIndex subregion) const {
  const Node &node = nodes[subregion];
  auto it = colorExtents.find(node.parent);
  if (it == colorExtents.end())
    return {node.color};
  std::vector<int64_t> point(it->second.size());
  int64_t rest = node.color;
  for (size_t i = point.size(); i-- > 1; rest /= it->second[i])
    point[i] = rest % it->second[i];
  point[0] = rest;
  return point;
}

std::string RegionForest::name(RegionIndex region) const {
  const Node &node = nodes[region];
  if (node.kind != RegionKind::Subregion)
    return names[node.name];
  std::string color;
  for (int64_t number : colorPoint(region))
    color += (color.empty() ? "" : ", ") + std::to_string(number);
  return names[node.name] + "[" + color + "]";
}

/// The representative of all roots that constraints join with this one.
RegionIndex RegionForest::groupOf(RegionIndex root) const {
  for (auto it = joinedRoots.find(root); it != joinedRoots.end();
       it = joinedRoots.find(root))
    root = it->second;
  return root;
}

/// True if the paths to the two regions part at a disjoint partition.
bool RegionForest::isTreeDisjoint(RegionIndex a, RegionIndex b) const {
  while (nodes[a].depth > nodes[b].depth)
    a = nodes[a].parent;
  while (nodes[b].depth > nodes[a].depth)
    b = nodes[b].parent;
  if (a == b)
    return false;
  while (nodes[a].parent != nodes[b].parent) {
    a = nodes[a].parent;
    b = nodes[b].parent;
  }
  return nodes[a].kind == RegionKind::Subregion &&
         nodes[nodes[a].parent].isDisjoint;
}

/// The canonical regions that are known to contain this one, itself first.
std::vector<RegionIndex> RegionForest::enclosing(RegionIndex region) const {
  std::vector<RegionIndex> result = {canonical(region)};
  auto add = [&result](RegionIndex outer) {
    if (std::find(result.begin(), result.end(), outer) == result.end())
      result.push_back(outer);
  };
  for (size_t i = 0; i < result.size(); ++i) {
    RegionIndex current = result[i];
    if (nodes[current].parent != noRegion)
      add(canonical(nodes[current].parent));
    if (auto it = outerRegions.find(current); it != outerRegions.end())
      for (RegionIndex outer : it->second)
        add(outer);
  }
  return result;
}

/// True if a region that contains `a` is disjoint from one that contains `b`.
bool RegionForest::isConstrainedDisjoint(RegionIndex a, RegionIndex b) const {
  std::vector<RegionIndex> aroundA = enclosing(a), aroundB = enclosing(b);
  for (RegionIndex outerA : aroundA) {
    for (RegionIndex outerB : aroundB)
      if (outerA != outerB && nodes[outerA].root == nodes[outerB].root &&
          isTreeDisjoint(outerA, outerB))
        return true;
    auto it = disjointRegions.find(outerA);
    if (it == disjointRegions.end())
      continue;
    for (RegionIndex other : it->second)
      if (std::find(aroundB.begin(), aroundB.end(), other) != aroundB.end())
        return true;
  }
  return false;
}

bool RegionForest::mayAlias(RegionIndex a, RegionIndex b) const {
  if (a == b)
    return true;
  bool areConstrained = isConstrained(a) && isConstrained(b);
  if (root(a) != root(b)) {
    if (!areConstrained || groupOf(root(a)) != groupOf(root(b)))
      return false;
  } else if (isTreeDisjoint(a, b)) {
    return false;
  }
  return !areConstrained || !isConstrainedDisjoint(a, b);
}

bool RegionForest::isSubregion(RegionIndex inner, RegionIndex outer) const {
  outer = canonical(outer);
  if (isConstrained(inner) && isConstrained(outer)) {
    std::vector<RegionIndex> around = enclosing(inner);
    return std::find(around.begin(), around.end(), outer) != around.end();
  }
  if (root(inner) != root(outer))
    return false;
  inner = canonical(inner);
  while (nodes[inner].depth > nodes[outer].depth)
    inner = canonical(nodes[inner].parent);
  return inner == outer;
}

bool RegionForest::isBelow(RegionIndex inner, RegionIndex outer) const {
  RegionIndex current = inner;
  while (nodes[current].depth > nodes[outer].depth)
    current = nodes[current].parent;
  if (current == outer)
    return true;
  if (outerRegions.empty() || canonical(inner) == canonical(outer))
    return false;
  return isSubregion(inner, outer);
}
