//===- OracleGraph.h - What graphs and programs mean on a store -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. The values that the versions of a graph have, and those that
// the tasks of a program find when they run in order: what an order of the
// tasks on one store must reproduce. And the rules, as simply as they can be
// stated, with no regard to cost.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_TESTING_ORACLEGRAPH_H
#define SLUICE_LIB_RDIR_TESTING_ORACLEGRAPH_H

#include "OracleStore.h"
#include "OracleWorld.h"
#include "sluice/RDIR/Checks.h"
#include "sluice/RDIR/Program.h"

#include <bitset>

namespace sluice::rdir::oracle {

/// Sets of nodes, for graphs of up to 256 nodes.
using NodeSet = std::bitset<256>;

/// Elements of the world times the fields that masks tell apart.
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
  /// A field of each class.
  std::vector<FieldMask> fields;
};

/// The tasks of a graph without launches on one store: what they must find is
/// the value of the versions they read.
class GraphMeaning {
public:
  /// The graph must be acyclic.
  GraphMeaning(const Graph &graph, const World &world);

  /// The task-like nodes: step i is what tasks()[i] does.
  const std::vector<NodeIndex> &tasks() const { return taskNodes; }
  Machine &machine() { return steps; }
  /// By task: those that paths lead from, with edges added to the graph's own.
  std::vector<TaskSet>
  before(std::span<const std::pair<NodeIndex, NodeIndex>> added = {}) const;
  /// For a place of a Close's result, the version it is taken from.
  NodeIndex closedFrom(NodeIndex close, uint32_t place) const;

  const Places &allPlaces() const { return places; }
  /// By node: nodes that paths of any but HappensBefore edges lead to.
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

/// The tasks of a program on one store; launched ones as one step per point.
struct ProgramMeaning {
  Machine machine;
  /// The task that each step is, or is a point of.
  std::vector<uint32_t> taskOfStep;

  ProgramMeaning(const Program &program, const World &world);
  /// By step, when task i is node nodes[i] of the graph.
  std::vector<TaskSet>
  before(const Graph &graph, std::span<const NodeIndex> nodes,
         std::span<const std::pair<NodeIndex, NodeIndex>> added) const;
};

/// By node: nodes that a path of at least one edge leads to. Edges of the
/// graph, with or without HappensBefore ones, and added ones.
std::vector<NodeSet>
reachability(const Graph &graph, bool withHappensBefore,
             std::span<const std::pair<NodeIndex, NodeIndex>> added = {});
/// The edges of rule R*.
std::vector<std::pair<NodeIndex, NodeIndex>>
naiveSerializationEdges(const Graph &graph);
/// True if the graph has no cycle with them.
bool isNaivelySerializable(const Graph &graph);
/// The rules W, T, O, C and D that a graph without launches violates: those
/// but W only if it violates no W, D4 only if no other.
std::set<Rule> naiveViolations(const Graph &graph, const World &world);

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_RDIR_TESTING_ORACLEGRAPH_H
