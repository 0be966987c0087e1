//===- VersionClasses.cpp - Data nodes that can meet ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting data nodes by group and by fields.
//
//===----------------------------------------------------------------------===//

#include "VersionClasses.h"

#include <algorithm>

using namespace sluice::rdir;

std::vector<FieldMask>
sluice::rdir::splitFields(const std::vector<FieldMask> &masks) {
  std::vector<FieldMask> parts = {allFields}, next;
  for (FieldMask mask : masks) {
    next.clear();
    for (FieldMask part : parts)
      for (FieldMask half : {part & mask, part & ~mask})
        if (half != 0)
          next.push_back(half);
    parts.swap(next);
  }
  std::erase_if(parts, [&](FieldMask part) {
    return std::none_of(masks.begin(), masks.end(),
                        [part](FieldMask mask) { return (mask & part) != 0; });
  });
  return parts;
}

static bool takesPart(const Graph &graph, NodeIndex node) {
  return !isCompute(graph.node(node).kind) &&
         !(graph.in(node).empty() && graph.out(node).empty());
}

/// The different field masks of each group, by the number in `numberOf`.
static std::vector<std::vector<FieldMask>>
masksOfGroups(const Graph &graph, std::span<const uint32_t> order,
              std::vector<uint32_t> &numberOf,
              std::vector<RegionIndex> &groups) {
  std::vector<std::vector<FieldMask>> masks;
  for (uint32_t index : order) {
    if (!takesPart(graph, index))
      continue;
    const Node &node = graph.node(index);
    RegionIndex group = graph.regions().group(node.region);
    if (numberOf[group] == UINT32_MAX) {
      numberOf[group] = groups.size();
      groups.push_back(group);
      masks.emplace_back();
    }
    std::vector<FieldMask> &known = masks[numberOf[group]];
    if (std::find(known.rbegin(), known.rend(), node.fields) == known.rend())
      known.push_back(node.fields);
  }
  return masks;
}

std::vector<VersionClass>
sluice::rdir::versionClasses(const Graph &graph,
                             std::span<const uint32_t> order) {
  const RegionForest &forest = graph.regions();
  std::vector<uint32_t> numberOf(forest.size(), UINT32_MAX);
  std::vector<RegionIndex> groups;
  std::vector<std::vector<FieldMask>> masks =
      masksOfGroups(graph, order, numberOf, groups);
  std::vector<VersionClass> classes;
  std::vector<uint32_t> firstClass;
  for (size_t i = 0; i < groups.size(); ++i) {
    firstClass.push_back(classes.size());
    for (FieldMask fields : splitFields(masks[i]))
      classes.push_back({.group = groups[i], .fields = fields, .versions = {}});
  }
  firstClass.push_back(classes.size());
  for (uint32_t index : order) {
    if (!takesPart(graph, index))
      continue;
    const Node &node = graph.node(index);
    uint32_t number = numberOf[forest.group(node.region)];
    for (uint32_t i = firstClass[number]; i < firstClass[number + 1]; ++i)
      if ((classes[i].fields & node.fields) != 0)
        classes[i].versions.push_back(index);
  }
  for (RegionIndex root : forest.constrainedRoots())
    if (uint32_t number = numberOf[forest.group(root)]; number != UINT32_MAX)
      for (uint32_t i = firstClass[number]; i < firstClass[number + 1]; ++i)
        classes[i].isConstrained = true;
  return classes;
}
