//===- Digraph.cpp - Edges as compressed lists ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building the lists, and topological order after Kahn.
//
//===----------------------------------------------------------------------===//

#include "Digraph.h"

using namespace sluice::rdir;

static bool counts(const Edge &edge, EdgeSet which) {
  return which == EdgeSet::All || edge.kind != EdgeKind::HappensBefore;
}

/// Turns counts in begin[i + 1] into the starts of lists.
static void sumUp(std::vector<uint32_t> &begin) {
  for (size_t i = 1; i < begin.size(); ++i)
    begin[i] += begin[i - 1];
}

Digraph::Digraph(const Graph &graph, EdgeSet which,
                 std::span<const NodePair> added, uint32_t numAddedNodes)
    : numNodes(graph.numNodes() + numAddedNodes), inBegin(numNodes + 1),
      outBegin(numNodes + 1) {
  auto forEach = [&](auto visit) {
    for (const Edge &edge : graph.allEdges())
      if (counts(edge, which))
        visit(edge.from, edge.to);
    for (auto [from, to] : added)
      visit(from, to);
  };
  forEach([&](uint32_t from, uint32_t to) {
    ++inBegin[to + 1];
    ++outBegin[from + 1];
  });
  sumUp(inBegin);
  sumUp(outBegin);
  inNodes.resize(inBegin.back());
  outNodes.resize(outBegin.back());
  std::vector<uint32_t> nextIn(inBegin.begin(), inBegin.end() - 1);
  std::vector<uint32_t> nextOut(outBegin.begin(), outBegin.end() - 1);
  forEach([&](uint32_t from, uint32_t to) {
    inNodes[nextIn[to]++] = from;
    outNodes[nextOut[from]++] = to;
  });
}

std::vector<uint32_t> sluice::rdir::topologicalOrder(const Digraph &graph) {
  std::vector<uint32_t> order, waits(graph.size());
  order.reserve(graph.size());
  for (uint32_t node = 0; node < graph.size(); ++node) {
    waits[node] = graph.in(node).size();
    if (waits[node] == 0)
      order.push_back(node);
  }
  for (size_t i = 0; i < order.size(); ++i)
    for (uint32_t next : graph.out(order[i]))
      if (--waits[next] == 0)
        order.push_back(next);
  return order;
}
