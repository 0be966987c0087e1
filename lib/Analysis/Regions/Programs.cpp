//===- Programs.cpp - Task graphs as programs of RDIR ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of RDIR decide whether tasks are ordered sufficiently. This file
// writes a task graph as a program of RDIR, so that there is only one
// implementation of this decision.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <set>

using namespace sluice;
using namespace sluice::regions;

OrderedProgram::OrderedProgram(const TaskSystem &system, uint32_t graph,
                               const Forest &forest)
    : graph(system.graphs[graph]), isSplit(this->graph.tasks.size()),
      successors(this->graph.tasks.size()) {
  program.forest = &forest.get();
  for (const OrderEdge &edge : this->graph.order) {
    successors[edge.before].push_back(edge.after);
    if (isPointwise(this->graph, edge))
      isSplit[edge.before] = isSplit[edge.after] = true;
  }
}

uint32_t OrderedProgram::addJoin() {
  program.tasks.emplace_back();
  origins.emplace_back();
  return origins.size() - 1;
}

std::vector<uint32_t> OrderedProgram::tasksOf(uint32_t run,
                                              uint32_t task) const {
  uint32_t first = numbers[run][task];
  if (!isSplit[task])
    return {first};
  return {first, first + 1};
}

void OrderedProgram::addTask(const Origin &origin, const RegionsOf &regionsOf) {
  rdir::ProgramTask added;
  for (const Use &use : graph.tasks[origin.task].uses)
    for (rdir::RegionIndex region : regionsOf(use.range))
      added.arguments.push_back({.region = region,
                                 .privilege = use.privilege,
                                 .reduction = use.reduction});
  program.tasks.push_back(std::move(added));
  origins.push_back(origin);
}

void OrderedProgram::addRun(const RegionsOf &regionsOf) {
  uint32_t run = numbers.size();
  numbers.emplace_back();
  for (uint32_t task = 0; task != graph.tasks.size(); ++task) {
    numbers.back().push_back(program.tasks.size());
    if (!isSplit[task]) {
      addTask({task, run}, regionsOf);
      continue;
    }
    for (int point : {0, 1})
      addTask({task, run, point}, regionsOf);
  }
  for (const OrderEdge &edge : graph.order)
    for (uint32_t before : tasksOf(run, edge.before))
      for (uint32_t after : tasksOf(run, edge.after))
        if (!isPointwise(graph, edge) ||
            origins[before].point == origins[after].point)
          addOrder(before, after);
}

/// The tasks of the graph that come after `task`, or after corresponding
/// instances of it.
std::vector<bool> OrderedProgram::reachedFrom(uint32_t task) const {
  std::vector<bool> isReached(graph.tasks.size());
  std::vector<uint32_t> open = {task};
  while (!open.empty()) {
    uint32_t next = open.back();
    open.pop_back();
    for (uint32_t after : successors[next])
      if (!isReached[after]) {
        isReached[after] = true;
        open.push_back(after);
      }
  }
  return isReached;
}

std::vector<OrderedProgram::Pair> OrderedProgram::findUnordered() const {
  // Two runs of one task are a pair; two instances of it are not, since those
  // are checked before.
  std::set<Pair> found;
  for (const rdir::UnorderedPair &pair :
       rdir::findUnorderedPairs(program, order)) {
    const Origin &first = origins[pair.first], &second = origins[pair.second];
    if (first.task != second.task || first.run != second.run)
      found.insert({first.run, first.task, second.run, second.task, false});
  }
  std::vector<Pair> result(found.begin(), found.end());
  std::vector<bool> isReached;
  uint32_t from = Origin::none;
  for (Pair &pair : result) {
    if (!isSplit[pair.first] || !isSplit[pair.second] ||
        pair.firstRun != pair.secondRun)
      continue;
    if (from != pair.first)
      isReached = reachedFrom(from = pair.first);
    // All paths are pointwise, since nothing else leaves instances unordered.
    pair.isPointwise = isReached[pair.second];
  }
  return result;
}
