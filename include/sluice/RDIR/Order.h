//===- Order.h - Orders and schedules of proven graphs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The consequences of a proven graph: the order in which a serial program
// issues its tasks, and the available parallelism.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_ORDER_H
#define SLUICE_RDIR_ORDER_H

#include "sluice/RDIR/Graph.h"

namespace sluice::rdir {

/// The HappensBefore edges that serializability requires (rule R* in
/// docs/rdir-rules.md), without transitive edges. May add join nodes, numbered
/// from graph.numNodes() on, so that many readers before many writers need few
/// edges. `read` and `written` are the reason for an edge.
struct AddedEdge {
  NodeIndex from, to, read, written;
};
struct SerializationEdges {
  std::vector<AddedEdge> edges;
  uint32_t numJoins = 0;
};
SerializationEdges serializationEdges(const Graph &graph);

/// All nodes in an order in which every edge, including added ones, goes
/// forward; unordered nodes follow the order of their numbers. Empty if the
/// graph has a cycle. The compute nodes in this order are the serial program.
std::vector<NodeIndex> serialOrder(const Graph &graph);

/// Direct dependences between compute nodes, in both directions as compressed
/// lists, without transitive dependences (transitive reduction). Includes
/// dependences through data nodes and added edges. Opens and Closes are
/// skipped, so that only nodes that do work appear. The cost is at least the
/// number of dependences. If many tasks precede many others with a Close and an
/// Open between them, this number is the product of both.
struct DirectDependences {
  /// The compute nodes in serial order.
  std::vector<NodeIndex> tasks;
  /// predecessors[predecessorBegin[i] ...]: positions in `tasks`.
  std::vector<uint32_t> predecessorBegin, predecessors;
};
DirectDependences taskOrder(const Graph &graph);

/// A maximally parallel schedule: in each step, all tasks run whose
/// predecessors have run.
struct Schedule {
  /// The nodes that do work, in serial order.
  std::vector<NodeIndex> tasks;
  /// The step of each node.
  std::vector<uint32_t> steps;
  /// Number of steps, and the largest number of tasks in one.
  uint32_t criticalPath = 0, width = 0;
};
Schedule schedule(const DirectDependences &order);
/// Computes the same without the dependences, of which there can be many more
/// than edges.
Schedule schedule(const Graph &graph);
/// The same, given the graph's serializationEdges.
Schedule schedule(const Graph &graph, const SerializationEdges &added);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_ORDER_H
