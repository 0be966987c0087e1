//===- Forest.cpp - The region forest of a system of tasks ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

/// Numbers the groups of spans that overlap; false if there is one group.
static bool numberParts(const TaskSystem &system, std::vector<uint32_t> &ranges,
                        std::vector<int64_t> &parts) {
  auto spanOf = [&](uint32_t range) { return *system.ranges[range].span; };
  std::sort(ranges.begin(), ranges.end(), [&](uint32_t a, uint32_t b) {
    return spanOf(a).begin < spanOf(b).begin;
  });
  int64_t part = 0, end = spanOf(ranges.front()).end;
  for (uint32_t range : ranges) {
    Span span = spanOf(range);
    part += span.begin >= end;
    end = std::max(end, span.end);
    parts[range] = part;
  }
  return part != 0;
}

std::vector<int64_t> regions::separateSpans(const TaskSystem &system) {
  std::vector<int64_t> parts(system.ranges.size(), -1);
  std::vector<std::vector<uint32_t>> known(system.objects.size());
  for (uint32_t range = 0; range != system.ranges.size(); ++range)
    if (system.ranges[range].span)
      known[system.ranges[range].object].push_back(range);
  for (std::vector<uint32_t> &ranges : known)
    if (!ranges.empty() && !numberParts(system, ranges, parts))
      for (uint32_t range : ranges)
        parts[range] = -1;
  return parts;
}

void Forest::addRoots(const TaskSystem &system) {
  for (const Object &object : system.objects)
    roots.push_back(forest.addRoot(object.name));
  for (uint32_t outer = 0; outer != roots.size(); ++outer)
    for (uint32_t inner = 0; inner != roots.size(); ++inner)
      if (inner != outer && system.objects[outer].isAnywhere)
        forest.addSubregionConstraint(roots[inner], roots[outer]);
}

/// The region that the range's partition divides.
RegionIndex Forest::parentOf(const TaskSystem &system, uint32_t range) {
  uint32_t object = system.ranges[range].object;
  if (parts[range] < 0)
    return roots[object];
  if (spans[object] == noRegion)
    spans[object] = forest.addPartition(system.objects[object].name + ".spans",
                                        roots[object], /*isDisjoint=*/true,
                                        /*isComplete=*/false);
  return forest.getSubregion(spans[object], parts[range]);
}

Forest::Forest(const TaskSystem &system, const std::vector<bool> &instancesMeet)
    : twins(system.objects.size(), noRegion),
      spans(system.objects.size(), noRegion), parts(separateSpans(system)) {
  addRoots(system);
  std::vector<uint64_t> colors(system.ranges.size(), 1);
  for (const TaskGraph &graph : system.graphs)
    for (const Task &task : graph.tasks)
      for (const Use &use : task.uses)
        colors[use.range] = numInstances(task);
  for (uint32_t range = 0; range != system.ranges.size(); ++range)
    partitions.push_back(
        forest.addPartition(system.ranges[range].name, parentOf(system, range),
                            /*isDisjoint=*/!instancesMeet[range],
                            /*isComplete=*/false, colors[range]));
}

RegionIndex Forest::addTwin(const TaskSystem &system, uint32_t range) {
  RegionIndex &root = twins[system.ranges[range].object];
  if (root == noRegion) {
    root = forest.addRoot(system.objects[system.ranges[range].object].name);
    for (uint32_t object = 0; object != system.objects.size(); ++object)
      if (system.objects[object].isAnywhere)
        forest.addSubregionConstraint(root, roots[object]);
  }
  return forest.addPartition(system.ranges[range].name, root,
                             /*isDisjoint=*/false, /*isComplete=*/false);
}
