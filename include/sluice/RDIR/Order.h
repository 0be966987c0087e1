//===- Order.h - Orders and schedules of proven graphs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from a graph that passed the checks: the order in which a
// serial program issues its tasks, and what may run at the same time.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_ORDER_H
#define SLUICE_RDIR_ORDER_H

#include "sluice/RDIR/Graph.h"

namespace sluice::rdir {

/// The HappensBefore edges that serializability asks for (rule R* in
/// docs/rdir-rules.md), without those that others imply. May add join nodes,
/// numbered from graph.numNodes(), so that many readers before many writers
/// take few edges. `read` and `written` say why an edge is there.
struct AddedEdge {
  NodeIndex from, to, read, written;
};
struct SerializationEdges {
  std::vector<AddedEdge> edges;
  uint32_t numJoins = 0;
};
SerializationEdges serializationEdges(const Graph &graph);

/// All nodes in an order in which every edge, added ones included, goes
/// forward; nodes that are free go in the order of their numbers. Empty if the
/// graph has a cycle. Its compute nodes are the serial program.
std::vector<NodeIndex> serialOrder(const Graph &graph);

/// Direct dependences between compute nodes, in both directions as compressed
/// lists; those that others imply are left out (transitive reduction).
/// Dependences through data nodes and added edges are included. Opens and
/// Closes are passed through: only nodes that do something appear. The time is
/// at least the number of dependences, which is the product of both where many
/// tasks come before many others with a Close and an Open between.
struct TaskOrder {
  /// The compute nodes in serial order.
  std::vector<NodeIndex> tasks;
  /// predecessors[predecessorBegin[i] ...]: positions in `tasks`.
  std::vector<uint32_t> predecessorBegin, predecessors;
};
TaskOrder taskOrder(const Graph &graph);

/// A maximal-parallel schedule: step by step, all tasks whose predecessors ran.
struct Schedule {
  /// Those that do something, in serial order.
  std::vector<NodeIndex> tasks;
  /// The step of each of them.
  std::vector<uint32_t> steps;
  /// Number of steps, and the largest number of tasks in one.
  uint32_t criticalPath = 0, width = 0;
};
Schedule schedule(const TaskOrder &order);
/// The same without the dependences, which can be many more than the edges.
Schedule schedule(const Graph &graph);
/// The same, given the graph's serializationEdges.
Schedule schedule(const Graph &graph, const SerializationEdges &added);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_ORDER_H
