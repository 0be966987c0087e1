//===- Schedule.cpp - Tasks that may run at the same time -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task's step is one more than the last step of its predecessors.
//
//===----------------------------------------------------------------------===//

#include "SerialGraph.h"

#include <algorithm>

using namespace sluice::rdir;

/// Computes the fields that follow from the steps.
static void countSteps(Schedule &schedule) {
  std::vector<uint32_t> tasksInStep;
  for (uint32_t step : schedule.steps) {
    if (step >= tasksInStep.size())
      tasksInStep.resize(step + 1);
    schedule.width = std::max(schedule.width, ++tasksInStep[step]);
  }
  schedule.criticalPath = tasksInStep.size();
}

Schedule sluice::rdir::schedule(const DirectDependences &order) {
  Schedule result;
  result.tasks = order.tasks;
  result.steps.resize(order.tasks.size());
  for (size_t i = 0; i < order.tasks.size(); ++i)
    for (uint32_t j = order.predecessorBegin[i];
         j < order.predecessorBegin[i + 1]; ++j)
      result.steps[i] =
          std::max(result.steps[i], result.steps[order.predecessors[j]] + 1);
  countSteps(result);
  return result;
}

Schedule sluice::rdir::schedule(const Graph &graph) {
  return schedule(graph, serializationEdges(graph));
}

Schedule sluice::rdir::schedule(const Graph &graph,
                                const SerializationEdges &added) {
  Schedule result;
  Digraph digraph = serialDigraph(graph, added);
  std::vector<uint32_t> order = topologicalOrder(digraph, graph.numNodes());
  if (order.size() != digraph.size())
    return result;
  // By node: the first step that its successor tasks may take.
  std::vector<uint32_t> next(digraph.size());
  for (uint32_t node : order) {
    for (uint32_t input : digraph.in(node))
      next[node] = std::max(next[node], next[input]);
    if (node >= graph.numNodes() || !isTaskLike(graph.node(node).kind))
      continue;
    result.tasks.push_back(node);
    result.steps.push_back(next[node]++);
  }
  countSteps(result);
  return result;
}
