//===- Graph.cpp - Labelled graphs of tasks and versions of regions -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists of edges per node are built once, by counting.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/Graph.h"

using namespace sluice::rdir;

NodeIndex Graph::addRegion(RegionIndex region, FieldMask fields,
                           bool isInitial) {
  assert(region < forest->size() && "data nodes are versions of regions");
  nodes.push_back({.kind = NodeKind::Region,
                   .isInitial = isInitial,
                   .region = region,
                   .fields = fields});
  isFinished = false;
  return nodes.size() - 1;
}

NodeIndex Graph::addCompute(NodeKind kind, uint32_t domain) {
  assert(isCompute(kind) && "data nodes come from addRegion");
  nodes.push_back({.kind = kind, .fields = 0, .domain = domain});
  isFinished = false;
  return nodes.size() - 1;
}

uint32_t Graph::addEdge(const Edge &edge) {
  assert(edge.from < nodes.size() && edge.to < nodes.size() &&
         "edges join nodes that were added");
  edges.push_back(edge);
  isFinished = false;
  return edges.size() - 1;
}

uint32_t Graph::addDomain(LaunchDomain domain) {
  domains.push_back(std::move(domain));
  return domains.size() - 1;
}

uint32_t Graph::addProjection(Projection projection) {
  projections.push_back(std::move(projection));
  return projections.size() - 1;
}

/// Sorts edge indices by the node that `end` names, stably.
static void buildLists(std::span<const Edge> edges, size_t numNodes,
                       NodeIndex Edge::*end, std::vector<uint32_t> &begin,
                       std::vector<uint32_t> &lists) {
  begin.assign(numNodes + 1, 0);
  lists.resize(edges.size());
  for (const Edge &edge : edges)
    ++begin[edge.*end + 1];
  for (size_t i = 0; i < numNodes; ++i)
    begin[i + 1] += begin[i];
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  for (uint32_t i = 0; i < edges.size(); ++i)
    lists[next[edges[i].*end]++] = i;
}

void Graph::finish() {
  buildLists(edges, nodes.size(), &Edge::to, inBegin, inEdges);
  buildLists(edges, nodes.size(), &Edge::from, outBegin, outEdges);
  isFinished = true;
}
