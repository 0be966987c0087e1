//===- AliasIndex.cpp - Sets of data nodes, searched for aliases ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A data node aliases the members at its region, above it and below it. It also
// aliases members below a sibling of its region or of a region above it, if the
// common parent's children alias.
//
//===----------------------------------------------------------------------===//

#include "AliasIndex.h"

#include "VersionClasses.h"
#include "VersionSweep.h"

#include <algorithm>

using namespace sluice::rdir;

/// Compares the members one by one if there are few of them, or if constraints
/// affect them.
static bool areComparedSingly(const Graph &graph,
                              std::span<const NodeIndex> universe) {
  return universe.size() <= 16 ||
         std::any_of(universe.begin(), universe.end(), [&](NodeIndex node) {
           return graph.regions().isConstrained(graph.node(node).region);
         });
}

AliasIndex::AliasIndex(const Graph &graph, std::span<const NodeIndex> universe)
    : graph(graph), isLinear(areComparedSingly(graph, universe)) {
  if (isLinear)
    return;
  std::vector<FieldMask> masks;
  for (NodeIndex node : universe)
    masks.push_back(graph.node(node).fields);
  std::sort(masks.begin(), masks.end());
  masks.erase(std::unique(masks.begin(), masks.end()), masks.end());
  parts = splitFields(masks);
}

void AliasIndex::insert(NodeIndex node) {
  if (isLinear)
    return members.push_back(node);
  for (unsigned part = 0; part < parts.size(); ++part)
    if ((parts[part] & graph.node(node).fields) != 0)
      insertPath(node, part);
}

static uint64_t key(RegionIndex region, unsigned part) {
  return uint64_t(region) << 7 | part;
}

void AliasIndex::insertPath(NodeIndex node, unsigned part) {
  const RegionForest &forest = graph.regions();
  RegionIndex region = graph.node(node).region;
  RegionIndex at = forest.canonical(region);
  Place &place = places[key(at, part)];
  if (place.here[0] == noNode)
    place.here[0] = node;
  else if (graph.node(place.here[0]).region != region)
    place.here[1] = node;
  for (RegionIndex child = at, above = forest.parent(at); above != noRegion;
       child = above, above = forest.parent(above)) {
    Place &outer = places[key(above, part)];
    bool isKnown = outer.child[0] == noRegion || outer.child[0] == child;
    outer.child[!isKnown] = child;
    outer.below[!isKnown] = node;
  }
}

const AliasIndex::Place *AliasIndex::place(RegionIndex region,
                                           unsigned part) const {
  auto it = places.find(key(region, part));
  return it == places.end() ? nullptr : &it->second;
}

NodeIndex AliasIndex::findOnPath(NodeIndex node, unsigned part,
                                 Which which) const {
  const RegionForest &forest = graph.regions();
  RegionIndex region = graph.node(node).region;
  RegionIndex at = forest.canonical(region);
  if (const Place *found = place(at, part)) {
    for (NodeIndex other : found->here)
      if (other != noNode &&
          (which == AnyRegion || graph.node(other).region != region))
        return other;
    if (found->below[0] != noNode)
      return found->below[0];
  }
  for (RegionIndex child = at, above = forest.parent(at); above != noRegion;
       child = above, above = forest.parent(above)) {
    const Place *found = place(above, part);
    if (!found)
      continue;
    if (found->here[0] != noNode)
      return found->here[0];
    if (!mayChildrenAlias(forest, above))
      continue;
    for (unsigned i = 0; i < 2; ++i)
      if (found->child[i] != noRegion && found->child[i] != child)
        return found->below[i];
  }
  return noNode;
}

NodeIndex AliasIndex::find(NodeIndex node, Which which) const {
  if (isLinear) {
    for (NodeIndex other : members)
      if ((which == AnyRegion ||
           graph.node(other).region != graph.node(node).region) &&
          graph.mayAlias(other, node))
        return other;
    return noNode;
  }
  for (unsigned part = 0; part < parts.size(); ++part)
    if ((parts[part] & graph.node(node).fields) != 0)
      if (NodeIndex found = findOnPath(node, part, which); found != noNode)
        return found;
  return noNode;
}
