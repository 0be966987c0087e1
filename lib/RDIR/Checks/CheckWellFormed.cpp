//===- CheckWellFormed.cpp - Rules W1 to W4 -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph is well-formed if each edge joins nodes of the right kinds and the
// graph has no cycle. For each strongly connected component, the shortest cycle
// is described.
//
//===----------------------------------------------------------------------===//

#include "../Graph/Digraph.h"
#include "CheckReport.h"
#include "sluice/RDIR/EdgeWords.h"

#include <algorithm>

using namespace sluice::rdir;

static Rule directionRule(EdgeKind kind) {
  switch (kind) {
  case EdgeKind::Read:
  case EdgeKind::Discard:
  case EdgeKind::Continues:
    return Rule::W2;
  case EdgeKind::Write:
  case EdgeKind::Reduce:
    return Rule::W3;
  case EdgeKind::HappensBefore:
    return Rule::W4;
  }
  return Rule::W4;
}

static const char *wantedDirection(Rule rule) {
  switch (rule) {
  case Rule::W2:
    return "from a data node to a compute node";
  case Rule::W3:
    return "from a compute node to a data node";
  default:
    return "from a compute node to a compute node";
  }
}

static bool hasRightEnds(const Graph &graph, const Edge &edge) {
  bool fromCompute = isCompute(graph.node(edge.from).kind);
  bool toCompute = isCompute(graph.node(edge.to).kind);
  switch (directionRule(edge.kind)) {
  case Rule::W2:
    return !fromCompute && toCompute;
  case Rule::W3:
    return fromCompute && !toCompute;
  default:
    return fromCompute && toCompute;
  }
}

static void checkEnds(const Graph &graph, CheckReport &report,
                      const Edge &edge) {
  if (hasRightEnds(graph, edge))
    return;
  Rule rule = directionRule(edge.kind);
  Problem *problem = report.add(rule, edge.to);
  if (!problem)
    return;
  auto kind = [&](NodeIndex node) {
    return std::string(kindName(graph.node(node).kind));
  };
  problem->message = std::string(wordsOf(edge.kind).title) +
                     " edge goes from the " + kind(edge.from) + " " +
                     report.name(edge.from) + " to the " + kind(edge.to) + " " +
                     report.name(edge.to) + "; it must go " +
                     wantedDirection(rule);
  problem->notes.push_back({edge.from, "the edge starts here"});
  problem->edges.push_back(
      {.from = edge.from, .to = edge.to, .kind = edge.kind});
}

/// Some edge between neighbors on a cycle.
static const Edge &edgeBetween(const Graph &graph, NodeIndex from,
                               NodeIndex to) {
  std::span<const uint32_t> out = graph.out(from);
  return graph.edge(*std::find_if(out.begin(), out.end(), [&](uint32_t i) {
    return graph.edge(i).to == to;
  }));
}

static void describeCycle(const Graph &graph, CheckReport &report,
                          const std::vector<uint32_t> &cycle) {
  constexpr size_t maxNamed = 16;
  Problem *problem = report.add(Rule::W1, cycle[0]);
  if (!problem)
    return;
  problem->message = "the graph has a cycle: ";
  for (size_t i = 0; i < cycle.size(); ++i) {
    NodeIndex from = cycle[i], to = cycle[(i + 1) % cycle.size()];
    const Edge &edge = edgeBetween(graph, from, to);
    problem->edges.push_back({.from = from, .to = to, .kind = edge.kind});
    if (i < maxNamed)
      problem->message += report.name(from) + " -> ";
    if (i == maxNamed)
      problem->message +=
          "... (" + std::to_string(cycle.size() - i) + " more) -> ";
    if (i != 0 && i < maxNamed)
      problem->notes.push_back({from, "it passes " + report.describe(from)});
  }
  problem->message += report.name(cycle[0]);
}

void sluice::rdir::checkWellFormed(const Graph &graph,
                                   const CheckOptions &options,
                                   CheckResult &result) {
  CheckReport report(graph, options, result);
  for (const Edge &edge : graph.allEdges())
    checkEnds(graph, report, edge);
  Digraph digraph(graph, EdgeSet::All);
  if (topologicalOrder(digraph).size() == digraph.size())
    return;
  std::vector<std::vector<uint32_t>> components = cyclicComponents(digraph);
  for (const std::vector<uint32_t> &cycle : shortestCycles(
           digraph, components, digraph.size(), options.maxProblemsPerRule))
    describeCycle(graph, report, cycle);
  for (size_t i = options.maxProblemsPerRule; i < components.size(); ++i)
    report.add(Rule::W1, components[i][0]);
}
