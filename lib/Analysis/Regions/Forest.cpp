//===- Forest.cpp - The region forest of a system of tasks ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RDIR requires regions as a forest of roots and partitions. Tasks use objects,
// and spans of them that may overlap in any way. This file makes a forest in
// which all regions that may alias have a common root.
//
//===----------------------------------------------------------------------===//

#include "Forest.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::regions;
using rdir::noRegion;
using rdir::RegionIndex;

uint64_t regions::numInstances(const Task &task) {
  uint64_t number = 1;
  for (int64_t extent : task.extents)
    if (__builtin_mul_overflow(number, uint64_t(extent), &number))
      return 0;
  return number;
}

bool regions::isReplicated(const Task &task) { return numInstances(task) != 1; }

bool regions::isPointwise(const TaskGraph &graph, const OrderEdge &edge) {
  return edge.isPointwise && isReplicated(graph.tasks[edge.before]) &&
         isReplicated(graph.tasks[edge.after]);
}

bool regions::mayOverlap(const TaskSystem &system, uint32_t first,
                         uint32_t second) {
  const ObjectRange &a = system.ranges[first], &b = system.ranges[second];
  if (a.object != b.object)
    return system.objects[a.object].isAnywhere ||
           system.objects[b.object].isAnywhere;
  return !a.span || !b.span ||
         (a.span->begin < b.span->end && b.span->begin < a.span->end);
}

/// Parts of one region may alias, unless a constraint says otherwise.
void Forest::addRoots() {
  bool isAnywhere = false;
  for (const Object &object : system.objects) {
    roots.push_back(forest.addRoot(object.name));
    isAnywhere |= object.isAnywhere;
  }
  if (!isAnywhere)
    return;
  for (uint32_t a = 0; a != roots.size(); ++a)
    for (uint32_t b = a + 1; b != roots.size(); ++b)
      if (!system.objects[a].isAnywhere && !system.objects[b].isAnywhere)
        forest.addDisjointConstraint(roots[a], roots[b]);
  for (uint32_t outer = 0; outer != roots.size(); ++outer)
    for (uint32_t inner = 0; inner != roots.size(); ++inner)
      if (inner != outer && system.objects[outer].isAnywhere)
        forest.addSubregionConstraint(roots[inner], roots[outer]);
}

RegionIndex Forest::addTwin(uint32_t object) {
  RegionIndex root = forest.addRoot(system.objects[object].name);
  for (uint32_t outer = 0; outer != roots.size(); ++outer)
    if (system.objects[outer].isAnywhere)
      forest.addSubregionConstraint(root, roots[outer]);
  return root;
}

void Forest::halve(uint32_t piece) {
  auto [region, begin, end, halves] = pieces[piece];
  if (halves)
    return;
  RegionIndex partition =
      forest.addPartition("", region, /*isDisjoint=*/true, /*isComplete=*/true,
                          /*numColors=*/2);
  uint32_t middle = begin + (end - begin) / 2;
  pieces[piece].halves = pieces.size();
  pieces.push_back({forest.getSubregion(partition, 0), begin, middle});
  pieces.push_back({forest.getSubregion(partition, 1), middle, end});
}

/// Adds the regions that make up the pieces [begin, end).
void Forest::cover(uint32_t piece, uint32_t begin, uint32_t end,
                   std::vector<RegionIndex> &result) {
  if (begin >= pieces[piece].end || end <= pieces[piece].begin)
    return;
  if (begin <= pieces[piece].begin && pieces[piece].end <= end) {
    result.push_back(pieces[piece].region);
    return;
  }
  halve(piece);
  uint32_t first = pieces[piece].halves;
  cover(first, begin, end, result);
  cover(first + 1, begin, end, result);
}

void Forest::addSpans(uint32_t object, const std::vector<uint32_t> &ranges) {
  std::vector<int64_t> cuts;
  for (uint32_t range : ranges) {
    cuts.push_back(system.ranges[range].span->begin);
    cuts.push_back(system.ranges[range].span->end);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  auto number = [&](int64_t cut) -> uint32_t {
    return std::lower_bound(cuts.begin(), cuts.end(), cut) - cuts.begin();
  };
  uint32_t top = pieces.size();
  RegionIndex partition =
      forest.addPartition(system.objects[object].name, roots[object],
                          /*isDisjoint=*/true, /*isComplete=*/false,
                          /*numColors=*/1);
  pieces.push_back(
      {forest.getSubregion(partition, 0), 0, uint32_t(cuts.size() - 1)});
  for (uint32_t range : ranges) {
    Span span = *system.ranges[range].span;
    cover(top, number(span.begin), number(span.end), regions[range]);
  }
}

Forest::Forest(const TaskSystem &system)
    : system(system), regions(system.ranges.size()), pieces(1) {
  addRoots();
  std::vector<std::vector<uint32_t>> known(system.objects.size());
  for (uint32_t range = 0; range != system.ranges.size(); ++range) {
    uint32_t object = system.ranges[range].object;
    if (system.ranges[range].span)
      known[object].push_back(range);
    else
      regions[range] = {roots[object]};
  }
  for (uint32_t object = 0; object != known.size(); ++object)
    if (!known[object].empty())
      addSpans(object, known[object]);
}
