//===- OrderTasks.cpp - Direct dependences between tasks ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the transitive reduction of the order of tasks. Data nodes, opens,
// closes and joins are passed through:
//
//   1. In topological order, each of them gets the list of latest tasks before
//      it. Nodes with one input share the list of that input.
//   2. Lists are merged. A task is dropped if another task of the list is
//      reachable from it. The remaining tasks are the direct predecessors.
//
// The lengths of the lists bound the time, except for the reachability queries
// of step 2, which labels answer (Reachability.h).
//
//===----------------------------------------------------------------------===//

#include "../Graph/Reachability.h"
#include "SerialGraph.h"

#include <algorithm>
#include <memory>

using namespace sluice::rdir;

namespace {
class TaskOrderBuilder {
public:
  explicit TaskOrderBuilder(const Graph &graph)
      : graph(graph), serial(graph), digraph(serial.digraph),
        order(topologicalOrder(digraph)) {}

  DirectDependences run();

private:
  using Tasks = std::shared_ptr<const std::vector<NodeIndex>>;

  bool isTask(uint32_t node) const {
    return node < graph.numNodes() && isTaskLike(graph.node(node).kind);
  }
  Tasks tasksBefore(uint32_t node);
  void keepLatest(std::vector<NodeIndex> &tasks);
  void number(DirectDependences &result);

  const Graph &graph;
  SerialGraph serial;
  const Digraph &digraph;
  std::vector<uint32_t> order;
  std::unique_ptr<Reachability> reach;
  /// The longest path to the node. No path leads to a node of an equal or
  /// smaller level.
  std::vector<uint32_t> level;
  std::vector<Tasks> before;
};
} // namespace

/// Drops each task from which another task of the list is reachable.
void TaskOrderBuilder::keepLatest(std::vector<NodeIndex> &tasks) {
  std::sort(tasks.begin(), tasks.end(), [&](NodeIndex a, NodeIndex b) {
    return level[a] != level[b] ? level[a] > level[b] : a < b;
  });
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  size_t numKept = 0;
  for (NodeIndex task : tasks) {
    bool isLatest = true;
    for (size_t i = 0; i < numKept && isLatest; ++i) {
      if (level[tasks[i]] <= level[task])
        break;
      isLatest = !(*reach)(task, tasks[i]);
    }
    if (isLatest)
      tasks[numKept++] = task;
  }
  tasks.resize(numKept);
}

TaskOrderBuilder::Tasks TaskOrderBuilder::tasksBefore(uint32_t node) {
  std::span<const uint32_t> in = digraph.in(node);
  if (in.size() == 1 && !isTask(in[0]))
    return before[in[0]];
  std::vector<NodeIndex> tasks;
  for (uint32_t input : in) {
    if (isTask(input))
      tasks.push_back(input);
    else if (before[input])
      tasks.insert(tasks.end(), before[input]->begin(), before[input]->end());
  }
  if (tasks.empty())
    return nullptr;
  if (tasks.size() > 1)
    keepLatest(tasks);
  return std::make_shared<const std::vector<NodeIndex>>(std::move(tasks));
}

DirectDependences TaskOrderBuilder::run() {
  DirectDependences result;
  if (order.size() != digraph.size())
    return result;
  reach = std::make_unique<Reachability>(digraph, order);
  level.resize(digraph.size());
  before.resize(digraph.size());
  for (uint32_t node : order) {
    for (uint32_t input : digraph.in(node))
      level[node] = std::max(level[node], level[input] + 1);
    before[node] = tasksBefore(node);
  }
  number(result);
  return result;
}

/// Replaces nodes by positions in the serial order.
void TaskOrderBuilder::number(DirectDependences &result) {
  std::vector<uint32_t> place(graph.numNodes());
  for (NodeIndex node : serialOrder(graph, digraph))
    if (isTask(node)) {
      place[node] = result.tasks.size();
      result.tasks.push_back(node);
    }
  result.predecessorBegin.push_back(0);
  for (NodeIndex task : result.tasks) {
    if (before[task])
      for (NodeIndex predecessor : *before[task])
        result.predecessors.push_back(place[predecessor]);
    std::sort(result.predecessors.begin() + result.predecessorBegin.back(),
              result.predecessors.end());
    result.predecessorBegin.push_back(result.predecessors.size());
  }
}

DirectDependences sluice::rdir::taskOrder(const Graph &graph) {
  return TaskOrderBuilder(graph).run();
}
