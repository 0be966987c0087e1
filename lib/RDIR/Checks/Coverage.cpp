//===- Coverage.cpp - Do parts cover the whole? ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Once writes to parts have replaced the whole region, nothing has to wait for
// earlier writes. This class tracks when that happens as parts are added.
//
//===----------------------------------------------------------------------===//

#include "Coverage.h"

#include "../Graph/VersionClasses.h"
#include "CheckOpenClose.h"

#include <algorithm>

using namespace sluice::rdir;

void Coverage::add(RegionIndex region) {
  pending.push_back(region);
  addPending();
}

void Coverage::addColor(RegionIndex partition, int64_t color) {
  RegionIndex region = forest.findSubregion(partition, color);
  if (region != noRegion)
    return add(region);
  if (coveredColors.insert({partition, color}).second)
    countColor(partition, color);
  addPending();
}

void Coverage::addPending() {
  while (!pending.empty()) {
    RegionIndex next = forest.canonical(pending.back());
    pending.pop_back();
    if (covered.insert(next).second &&
        forest.kind(next) == RegionKind::Subregion)
      countColor(forest.parent(next), forest.color(next));
  }
}

/// When this is the partition's last uncovered color, covers the partition too.
void Coverage::countColor(RegionIndex partition, int64_t color) {
  uint64_t colors = forest.numColors(partition);
  bool isColor = color >= 0 && uint64_t(color) < colors;
  if (isColor && ++numCovered[partition] == colors)
    pending.push_back(partition);
}

void Coverage::addConstrained() {
  std::vector<std::pair<RegionIndex, RegionIndex>> pairs =
      forest.subregionPairs();
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (auto [inner, outer] : pairs)
      if (!contains(inner) && contains(outer)) {
        add(inner);
        hasChanged = true;
      }
  }
}

bool Coverage::contains(RegionIndex region) const {
  for (; region != noRegion; region = forest.parent(region))
    if (covered.count(forest.canonical(region)))
      return true;
  return false;
}

bool Coverage::containsColor(RegionIndex partition, int64_t color) const {
  RegionIndex region = forest.findSubregion(partition, color);
  if (region != noRegion)
    return contains(region);
  return coveredColors.count({partition, color}) || contains(partition);
}

static bool isCovered(const Graph &graph, NodeIndex whole,
                      const std::vector<NodeIndex> &parts, FieldMask fields) {
  const RegionForest &forest = graph.regions();
  Coverage coverage(forest);
  for (NodeIndex part : parts)
    if ((fields & ~graph.node(part).fields) == 0)
      coverage.add(graph.node(part).region);
  if (coverage.contains(graph.node(whole).region))
    return true;
  if (!forest.hasConstraints())
    return false;
  coverage.addConstrained();
  return coverage.contains(graph.node(whole).region);
}

FieldMask sluice::rdir::uncoveredFields(const Graph &graph, NodeIndex whole,
                                        const std::vector<NodeIndex> &parts) {
  for (NodeIndex part : parts)
    if (graph.node(part).region == graph.node(whole).region &&
        graph.node(part).fields == graph.node(whole).fields)
      return 0;
  std::vector<FieldMask> masks = {graph.node(whole).fields};
  for (NodeIndex part : parts)
    if (std::find(masks.begin(), masks.end(), graph.node(part).fields) ==
        masks.end())
      masks.push_back(graph.node(part).fields);
  FieldMask uncovered = 0;
  for (FieldMask fields : splitFields(masks))
    if ((fields & graph.node(whole).fields) != 0 &&
        !isCovered(graph, whole, parts, fields))
      uncovered |= fields & graph.node(whole).fields;
  return uncovered;
}
