//===- CheckSerializable.cpp - Rule S1 ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph with the edges of rule R* must be acyclic. Then each of its
// topological orders is a serial program with the graph's meaning. For each
// strongly connected component, the shortest cycle is reported, edge by edge.
//
//===----------------------------------------------------------------------===//

#include "../Graph/Digraph.h"
#include "../Order/SerialGraph.h"
#include "CheckReport.h"
#include "sluice/RDIR/EdgeWords.h"

#include <algorithm>
#include <unordered_map>

using namespace sluice::rdir;

namespace {
class CycleReport {
public:
  CycleReport(const Graph &graph, const SerializationEdges &added,
              CheckReport &report)
      : graph(graph), report(report) {
    for (const AddedEdge &edge : added.edges)
      addedOf[key(edge.from, edge.to)] = &edge;
  }

  void describe(std::vector<uint32_t> cycle);

private:
  static uint64_t key(uint32_t from, uint32_t to) {
    return uint64_t(from) << 32 | to;
  }
  const Edge *edgeBetween(NodeIndex from, NodeIndex to) const;
  std::vector<ProblemEdge> edgesOf(const std::vector<uint32_t> &cycle) const;
  std::string explain(const ProblemEdge &edge) const;

  const Graph &graph;
  CheckReport &report;
  std::unordered_map<uint64_t, const AddedEdge *> addedOf;
};
} // namespace

const Edge *CycleReport::edgeBetween(NodeIndex from, NodeIndex to) const {
  if (from >= graph.numNodes() || to >= graph.numNodes())
    return nullptr;
  for (uint32_t index : graph.out(from))
    if (graph.edge(index).to == to)
      return &graph.edge(index);
  return nullptr;
}

/// The cycle's edges; a path through joins is one edge from reader to writer.
std::vector<ProblemEdge>
CycleReport::edgesOf(const std::vector<uint32_t> &cycle) const {
  std::vector<ProblemEdge> edges;
  for (size_t i = 0; i < cycle.size(); ++i) {
    uint32_t from = cycle[i], to = cycle[(i + 1) % cycle.size()];
    if (const Edge *edge = edgeBetween(from, to)) {
      edges.push_back({.from = from, .to = to, .kind = edge->kind});
      continue;
    }
    const AddedEdge &added = *addedOf.at(key(from, to));
    if (from < graph.numNodes())
      edges.push_back({.from = from, .isPresent = false});
    ProblemEdge &edge = edges.back();
    if (added.read != noNode)
      edge.read = added.read;
    if (added.written != noNode)
      edge.written = added.written;
    edge.to = to;
  }
  return edges;
}

std::string CycleReport::explain(const ProblemEdge &edge) const {
  if (edge.isPresent) {
    if (edge.kind == EdgeKind::HappensBefore)
      return report.name(edge.from) + " comes before " + report.name(edge.to) +
             ", as the graph says";
    bool isUse = isCompute(graph.node(edge.to).kind);
    return report.name(isUse ? edge.to : edge.from) + " " +
           wordsOf(edge.kind).verb + " " +
           report.describe(isUse ? edge.from : edge.to);
  }
  const char *does = "writes";
  for (uint32_t index : graph.in(edge.written))
    if (graph.edge(index).from == edge.to)
      does = wordsOf(graph.edge(index).kind).verb;
  bool isSame = graph.node(edge.read).region == graph.node(edge.written).region;
  return report.name(edge.from) + " reads " + report.region(edge.read) +
         " (version " + report.name(edge.read) + ") and " +
         report.name(edge.to) + " " + does + " the later version " +
         report.name(edge.written) +
         (isSame ? "" : " of " + report.region(edge.written)) + ", so " +
         report.name(edge.from) + " must come before " + report.name(edge.to);
}

void CycleReport::describe(std::vector<uint32_t> cycle) {
  constexpr size_t maxTold = 16;
  // Starts at a task, not at a version or a join.
  auto start = std::find_if(cycle.begin(), cycle.end(), [&](uint32_t node) {
    return node < graph.numNodes() && isTaskLike(graph.node(node).kind);
  });
  std::rotate(cycle.begin(), start, cycle.end());
  Problem *problem = report.add(Rule::S1, cycle[0]);
  if (!problem)
    return;
  problem->edges = edgesOf(cycle);
  std::string path = report.name(cycle[0]);
  size_t numTold = 0;
  for (const ProblemEdge &edge : problem->edges) {
    if (++numTold > maxTold)
      continue;
    problem->notes.push_back({edge.from, explain(edge)});
    if (isCompute(graph.node(edge.to).kind))
      path += " -> " + report.name(edge.to);
  }
  if (numTold > maxTold)
    path += " -> ... (" + std::to_string(numTold - maxTold) + " more) -> " +
            report.name(cycle[0]);
  problem->message =
      "no serial order of the tasks gives each the versions that it reads: " +
      path + "; let a task read the later version, or write another region";
}

void sluice::rdir::checkSerializable(const Graph &graph,
                                     const CheckOptions &options,
                                     CheckResult &result) {
  CheckReport report(graph, options, result);
  const SerializationEdges &added = result.added = serializationEdges(graph);
  Digraph digraph = serialDigraph(graph, added);
  if (topologicalOrder(digraph, graph.numNodes()).size() == digraph.size())
    return;
  std::vector<std::vector<uint32_t>> components = cyclicComponents(digraph);
  CycleReport cycles(graph, added, report);
  for (std::vector<uint32_t> &cycle : shortestCycles(
           digraph, components, graph.numNodes(), options.maxProblemsPerRule))
    cycles.describe(std::move(cycle));
  for (size_t i = options.maxProblemsPerRule; i < components.size(); ++i)
    report.add(Rule::S1, components[i][0]);
}
