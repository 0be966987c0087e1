//===- Digraph.cpp - Edges as compressed lists ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the lists, and computes a topological order with Kahn's algorithm.
// Nodes are visited in the order of their numbers. A node that becomes free
// after the visit has passed it waits in a heap, which stays empty while
// numbers grow along the edges.
//
//===----------------------------------------------------------------------===//

#include "Digraph.h"

#include <algorithm>
#include <functional>
#include <queue>

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

namespace {
class TopologicalSort {
public:
  TopologicalSort(const Digraph &graph, uint32_t firstJoin)
      : graph(graph), firstJoin(firstJoin), waits(graph.size()) {}

  std::vector<uint32_t> run();

private:
  void take(uint32_t node);

  const Digraph &graph;
  uint32_t firstJoin;
  /// By node: the number of incoming edges that are still to be taken.
  std::vector<uint32_t> waits;
  /// All nodes below this number were visited.
  uint32_t visited = 0;
  /// Visited nodes that are free.
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> passed;
  std::vector<uint32_t> order, joins;
};
} // namespace

/// Appends a node, and the joins that it frees.
void TopologicalSort::take(uint32_t node) {
  joins.assign(1, node);
  while (!joins.empty()) {
    uint32_t current = joins.back();
    joins.pop_back();
    order.push_back(current);
    for (uint32_t next : graph.out(current)) {
      if (--waits[next] != 0)
        continue;
      if (next >= firstJoin)
        joins.push_back(next);
      else if (next < visited)
        passed.push(next);
    }
  }
}

std::vector<uint32_t> TopologicalSort::run() {
  order.reserve(graph.size());
  for (uint32_t node = 0; node < graph.size(); ++node)
    waits[node] = graph.in(node).size();
  while (visited < std::min(graph.size(), firstJoin)) {
    uint32_t node = visited++;
    if (waits[node] != 0)
      continue;
    for (take(node); !passed.empty();) {
      uint32_t next = passed.top();
      passed.pop();
      take(next);
    }
  }
  return std::move(order);
}

std::vector<uint32_t> sluice::rdir::topologicalOrder(const Digraph &graph,
                                                     uint32_t firstJoin) {
  return TopologicalSort(graph, firstJoin).run();
}
