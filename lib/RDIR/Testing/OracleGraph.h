//===- OracleGraph.h - Meaning of graphs on a store -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. The values of a graph's versions, and the values that a
// program's tasks read when they run in order. An order of the tasks on one
// store must reproduce them. Also states the rules as simply as possible,
// without regard to cost.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_TESTING_ORACLEGRAPH_H
#define SLUICE_LIB_RDIR_TESTING_ORACLEGRAPH_H

#include "OracleStore.h"
#include "OracleWorld.h"
#include "sluice/RDIR/Checks.h"
#include "sluice/RDIR/SequentialProgram.h"

#include <bitset>

namespace sluice::rdir::oracle {

/// Sets of nodes, for graphs of up to 256 nodes.
using NodeSet = std::bitset<256>;

/// Elements of the world times the fields that masks distinguish.
class Places {
public:
  Places(const World &world, std::span<const FieldMask> masks);

  size_t size() const { return world.numElements() * fields.size(); }
  bool contains(RegionIndex region, FieldMask mask, uint32_t place) const {
    return (mask & fields[place % fields.size()]) &&
           world.contains(region, place / fields.size());
  }
  std::vector<uint32_t> of(RegionIndex region, FieldMask mask) const;

private:
  const World &world;
  /// One field of each class.
  std::vector<FieldMask> fields;
};

/// The tasks of a graph without launches on one store. Each task must read the
/// values of the versions that it reads in the graph.
class GraphMeaning {
public:
  /// The graph must be acyclic.
  GraphMeaning(const Graph &graph, const World &world);

  /// The task-like nodes: step i stands for tasks()[i].
  const std::vector<NodeIndex> &tasks() const { return taskNodes; }
  Machine &machine() { return steps; }
  /// By task: its predecessors by paths of the graph's edges and the added
  /// ones.
  std::vector<TaskSet>
  before(std::span<const std::pair<NodeIndex, NodeIndex>> added = {}) const;
  /// The version from which a Close takes the value of a place.
  NodeIndex closedFrom(NodeIndex close, uint32_t place) const;

  const Places &allPlaces() const { return places; }
  /// By node: the nodes reachable by paths without HappensBefore edges.
  const std::vector<NodeSet> &reach() const { return reachable; }

private:
  void evaluate(NodeIndex node);
  Value valueOf(NodeIndex data, uint32_t place);
  void addSteps();
  void addFinals();

  const Graph &graph;
  Places places;
  Machine steps;
  std::vector<NodeIndex> taskNodes;
  std::vector<NodeSet> reachable;
  /// By data node and place.
  std::vector<Store> values;
};

/// The tasks of a program on one store; a launched task is one step per point.
struct ProgramMeaning {
  Machine machine;
  /// By step: the task that it is, or that it is a point of.
  std::vector<uint32_t> taskOfStep;

  ProgramMeaning(const SequentialProgram &program, const World &world);
  /// By step, when task i is node nodes[i] of the graph.
  std::vector<TaskSet>
  before(const Graph &graph, std::span<const NodeIndex> nodes,
         std::span<const std::pair<NodeIndex, NodeIndex>> added) const;
};

/// By node: the nodes reachable by at least one edge of the graph (with or
/// without HappensBefore edges) or added edge.
std::vector<NodeSet>
reachability(const Graph &graph, bool withHappensBefore,
             std::span<const std::pair<NodeIndex, NodeIndex>> added = {});
/// The edges of rule R*.
std::vector<std::pair<NodeIndex, NodeIndex>>
naiveSerializationEdges(const Graph &graph);
/// True if the graph with these edges has no cycle.
bool isNaivelySerializable(const Graph &graph);
/// The rules W, T, O, C and D that a graph without launches violates. Rules
/// other than W are only included if no rule W is violated, and D4 only if no
/// other rule is.
std::set<Rule> naiveViolations(const Graph &graph, const World &world);

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_RDIR_TESTING_ORACLEGRAPH_H
