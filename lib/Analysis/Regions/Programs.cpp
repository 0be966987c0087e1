//===- Programs.cpp - Task graphs as programs of RDIR ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <map>
#include <tuple>

using namespace sluice;
using namespace sluice::regions;

OrderedProgram::OrderedProgram(const TaskSystem &system, uint32_t graph,
                               Forest &forest)
    : graph(system.graphs[graph]), forest(forest.regions()),
      isSplit(this->graph.tasks.size()) {
  program.forest = &this->forest;
  for (const OrderEdge &edge : this->graph.order)
    if (isPointwise(this->graph, edge))
      isSplit[edge.before] = isSplit[edge.after] = true;
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

void OrderedProgram::addTask(
    const Origin &origin,
    const std::function<rdir::RegionIndex(uint32_t)> &regionOf) {
  rdir::ProgramTask added;
  for (const Use &use : graph.tasks[origin.task].uses) {
    rdir::RegionIndex region = regionOf(use.range);
    if (origin.point >= 0)
      region = forest.getSubregion(region, origin.point);
    added.arguments.push_back({.region = region,
                               .privilege = use.privilege,
                               .reduction = use.reduction});
  }
  program.tasks.push_back(std::move(added));
  origins.push_back(origin);
}

void OrderedProgram::addRun(
    const std::function<rdir::RegionIndex(uint32_t)> &regionOf) {
  uint32_t run = numbers.size();
  numbers.emplace_back();
  for (uint32_t task = 0; task != graph.tasks.size(); ++task) {
    numbers.back().push_back(program.tasks.size());
    if (!isSplit[task]) {
      addTask({task, run}, regionOf);
      continue;
    }
    for (int point : {0, 1})
      addTask({task, run, point}, regionOf);
  }
  for (const OrderEdge &edge : graph.order)
    for (uint32_t before : tasksOf(run, edge.before))
      for (uint32_t after : tasksOf(run, edge.after))
        if (!isPointwise(graph, edge) ||
            origins[before].point == origins[after].point)
          addOrder(before, after);
}

std::vector<OrderedProgram::Pair> OrderedProgram::findUnordered() const {
  // Two runs of one task are a pair, two instances of it are none: what is
  // between those is asked for before.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, Pair> found;
  for (const rdir::UnorderedPair &pair :
       rdir::findUnorderedPairs(program, order)) {
    const Origin &first = origins[pair.first], &second = origins[pair.second];
    if (first.task == second.task && first.run == second.run)
      continue;
    bool areDifferent = first.point >= 0 && second.point >= 0 &&
                        first.point != second.point && first.run == second.run;
    Pair &known =
        found
            .try_emplace({first.run, first.task, second.run, second.task},
                         Pair{first, second, true})
            .first->second;
    known.isPointwise &= areDifferent;
  }
  std::vector<Pair> result;
  for (auto &[key, pair] : found)
    result.push_back(pair);
  return result;
}
