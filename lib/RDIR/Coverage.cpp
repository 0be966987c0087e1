//===- Coverage.cpp - Do parts cover the whole? ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region is covered if it, or one that contains it, is read, or if all colors
// of a complete partition of it are covered. Counted from the parts upwards.
//
//===----------------------------------------------------------------------===//

#include "CheckOpenClose.h"
#include "VersionClasses.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

using namespace sluice::rdir;

namespace {
/// Regions that are covered, for one set of fields.
class Coverage {
public:
  explicit Coverage(const RegionForest &forest) : forest(forest) {}

  void add(RegionIndex region) {
    pending.push_back(region);
    while (!pending.empty()) {
      RegionIndex next = forest.canonical(pending.back());
      pending.pop_back();
      if (covered.insert(next).second)
        countColor(next);
    }
  }

  /// Adds what constraints put within covered regions, until nothing changes.
  void addConstrained() {
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

  /// True if the region or one above it is covered.
  bool contains(RegionIndex region) const {
    for (; region != noRegion; region = forest.parent(region))
      if (covered.count(forest.canonical(region)))
        return true;
    return false;
  }

private:
  /// Covers the partition, too, when its last color is.
  void countColor(RegionIndex region) {
    if (forest.kind(region) != RegionKind::Subregion)
      return;
    RegionIndex partition = forest.parent(region);
    uint64_t colors = forest.numColors(partition);
    bool isColor =
        forest.color(region) >= 0 && uint64_t(forest.color(region)) < colors;
    if (isColor && ++numCovered[partition] == colors)
      pending.push_back(partition);
  }

  const RegionForest &forest;
  std::unordered_set<RegionIndex> covered;
  std::unordered_map<RegionIndex, uint64_t> numCovered;
  std::vector<RegionIndex> pending;
};
} // namespace

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
