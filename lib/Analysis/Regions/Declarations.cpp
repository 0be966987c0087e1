//===- Declarations.cpp - Regions of a system as rdir text ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's regions can be printed as RDIR text. This file writes the results
// of the race check as declarations of roots and partitions.
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"

#include <algorithm>
#include <cctype>

using namespace sluice;
using namespace sluice::regions;
using rdir::RegionIndex;

std::string regions::symbol(const std::string &name) {
  bool isBare = !name.empty() && !std::isdigit((unsigned char)name.front());
  for (char c : name)
    isBare &= std::isalnum((unsigned char)c) || c == '_' || c == '.';
  if (isBare)
    return "@" + name;
  std::string quoted = "@\"";
  for (char c : name) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

Declarations::Declarations(const TaskSystem &system, const RegionCheck &check)
    : system(system), owners(system.ranges.size()),
      colors(system.ranges.size()) {
  addRoots();
  addDomains();
  addPartitions(check);
  addOwnConstraints(check);
  addProofs(check);
  addApart();
}

/// Roots of bytes; the host determines their number.
void Declarations::addRoots() {
  for (const Object &object : system.objects) {
    std::string extent = symbol(object.name + ".bytes");
    declared += "rdir.parameter " + extent + " : i64 = 4096\n";
    declared +=
        "rdir.root " + symbol(object.name) + " [" + extent + "] {byte : i8}\n";
    roots.push_back(forest.addRoot(object.name));
    names[roots.back()] = symbol(object.name);
  }
  bool isAnywhere = false;
  for (uint32_t outer = 0; outer != roots.size(); ++outer)
    for (uint32_t inner = 0; inner != roots.size(); ++inner)
      if (inner != outer && system.objects[outer].isAnywhere) {
        isAnywhere = true;
        forest.addSubregionConstraint(roots[inner], roots[outer]);
        declared += "rdir.constraint subregion " + names[roots[inner]] +
                    " of " + names[roots[outer]] + "\n";
      }
  // Parts of one region may alias, unless a constraint says otherwise.
  for (uint32_t a = 0; isAnywhere && a != roots.size(); ++a)
    for (uint32_t b = a + 1; b != roots.size(); ++b)
      if (!system.objects[a].isAnywhere && !system.objects[b].isAnywhere) {
        forest.addDisjointConstraint(roots[a], roots[b]);
        addConstraint(names[roots[a]], names[roots[b]]);
      }
}

/// Extents that are unknown at compile time are parameters.
void Declarations::addDomains() {
  for (const TaskGraph &graph : system.graphs) {
    domains.emplace_back();
    for (const Task &task : graph.tasks) {
      std::string text;
      for (size_t i = 0; i != task.extents.size(); ++i) {
        std::string extent = std::to_string(task.extents[i]);
        if (task.extents[i] == 0) {
          extent = symbol(graph.name + "." + task.name + "." + "xyz"[i % 3]);
          declared += "rdir.parameter " + extent + " : i64 = 16\n";
        }
        text += (text.empty() ? "[" : ", ") + extent;
      }
      domains.back().push_back(text.empty() ? "" : text + "]");
      for (const Use &use : task.uses) {
        owners[use.range] = &task;
        colors[use.range] = text.empty() ? "[1]" : text + "]";
      }
    }
  }
}

void Declarations::addPartitions(const RegionCheck &check) {
  std::vector<bool> isDisjoint(system.ranges.size());
  for (uint32_t range = 0; range != isDisjoint.size(); ++range)
    isDisjoint[range] = !isReplicated(*taskOf(range));
  for (const Meeting &meeting : check.disjoint)
    if (meeting.first == meeting.second &&
        meeting.firstUse == meeting.secondUse)
      isDisjoint[system.graphs[meeting.graph]
                     .tasks[meeting.first]
                     .uses[meeting.firstUse]
                     .range] = true;
  for (uint32_t range = 0; range != system.ranges.size(); ++range) {
    const ObjectRange &described = system.ranges[range];
    partitions.push_back(forest.addPartition(
        described.name, roots[described.object], isDisjoint[range],
        /*isComplete=*/false, numInstances(*taskOf(range))));
    names[partitions.back()] = symbol(described.name);
    declared += "rdir.partition " + symbol(described.name) + " of " +
                names[roots[described.object]] + " " + colors[range] +
                (isDisjoint[range] ? " disjoint" : " aliased") +
                " incomplete\n";
  }
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

void Declarations::addConstraint(const std::string &first,
                                 const std::string &second) {
  declared += "rdir.constraint disjoint " + first + ", " + second + "\n";
}

void Declarations::separate(uint32_t first, uint32_t second) {
  if (!separated.insert(std::minmax(first, second)).second)
    return;
  forest.addDisjointConstraint(partitions[first], partitions[second]);
  addConstraint(names[partitions[first]], names[partitions[second]]);
}

/// True if two ranges need no constraint because they are in different memory.
bool Declarations::areOtherObjects(const Use &a, const Use &b) const {
  uint32_t first = system.ranges[a.range].object;
  uint32_t second = system.ranges[b.range].object;
  return first != second && !system.objects[first].isAnywhere &&
         !system.objects[second].isAnywhere;
}

/// Data that a task uses in two ways belongs to the range with the stronger
/// use, so the task's ranges are disjoint unless instances meet.
void Declarations::addOwnConstraints(const RegionCheck &check) {
  std::set<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>> open;
  for (const auto *list : {&check.met, &check.unknown})
    for (const Meeting &meeting : *list)
      if (meeting.first == meeting.second)
        open.insert({meeting.graph, meeting.first, meeting.firstUse,
                     meeting.secondUse});
  for (uint32_t graph = 0; graph != system.graphs.size(); ++graph)
    for (uint32_t task = 0; task != system.graphs[graph].tasks.size(); ++task) {
      const std::vector<Use> &uses = system.graphs[graph].tasks[task].uses;
      for (uint32_t i = 0; i != uses.size(); ++i)
        for (uint32_t j = i + 1; j != uses.size(); ++j)
          if (!areOtherObjects(uses[i], uses[j]) &&
              !open.count({graph, task, i, j}))
            separate(uses[i].range, uses[j].range);
    }
}

void Declarations::addProofs(const RegionCheck &check) {
  for (const Meeting &meeting : check.disjoint) {
    if (meeting.first == meeting.second)
      continue;
    const TaskGraph &graph = system.graphs[meeting.graph];
    uint32_t a = graph.tasks[meeting.first].uses[meeting.firstUse].range;
    uint32_t b = graph.tasks[meeting.second].uses[meeting.secondUse].range;
    if (!meeting.isPointwise) {
      separate(a, b);
      continue;
    }
    for (int i : {0, 1}) {
      RegionIndex first = point(a, i), second = point(b, 1 - i);
      forest.addDisjointConstraint(first, second);
      addConstraint(name(first), name(second));
    }
  }
}

/// Adds disjoint spans whose users are not ordered.
void Declarations::addApart() {
  for (const TaskGraph &graph : system.graphs) {
    std::vector<bool> isUser;
    for (const Task &task : graph.tasks)
      isUser.push_back(!task.uses.empty());
    forEachUnordered(graph, isUser, [&](uint32_t first, uint32_t second, bool) {
      for (const Use &a : graph.tasks[first].uses)
        for (const Use &b : graph.tasks[second].uses)
          if (system.ranges[a.range].object == system.ranges[b.range].object &&
              conflict(a, b) && !mayOverlap(system, a.range, b.range))
            separate(a.range, b.range);
      return true;
    });
  }
}

//===----------------------------------------------------------------------===//
// Regions of two instances, and beside others
//===----------------------------------------------------------------------===//

/// "[0, 1]": instances that differ in the last dimension with more than one
/// instance.
std::string Declarations::pointColor(uint32_t range, int point) const {
  const std::vector<int64_t> &extents = taskOf(range)->extents;
  size_t differs = extents.size() - 1;
  while (differs && extents[differs] == 1)
    --differs;
  std::string text;
  for (size_t i = 0; i != extents.size(); ++i)
    text += (i ? ", " : "[") + std::to_string(i == differs ? point : 0);
  return text + "]";
}

RegionIndex Declarations::point(uint32_t range, int point) {
  RegionIndex region = forest.getSubregion(partitions[range], point);
  names[region] = names[partitions[range]] + pointColor(range, point);
  return region;
}

RegionIndex Declarations::addTwin(RegionIndex region) {
  RegionIndex twin = forest.addRoot(forest.name(region));
  names[twin] = name(region);
  return twin;
}

std::string Declarations::name(RegionIndex region) const {
  return names.at(region);
}
