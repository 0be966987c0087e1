//===- OrderSerial.cpp - The serial order ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of all nodes that are free the one with the smallest number goes next, so a
// graph that was built in program order comes out in it. Joins are not nodes of
// the graph: they go as soon as they are free.
//
//===----------------------------------------------------------------------===//

#include "SerialGraph.h"

#include <functional>
#include <queue>

using namespace sluice::rdir;

std::vector<NodeIndex> sluice::rdir::serialOrder(const Graph &graph) {
  return serialOrder(graph, SerialGraph(graph).digraph);
}

std::vector<NodeIndex> sluice::rdir::serialOrder(const Graph &graph,
                                                 const Digraph &digraph) {
  std::vector<uint32_t> waits(digraph.size());
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t node = 0; node < digraph.size(); ++node) {
    waits[node] = digraph.in(node).size();
    if (waits[node] == 0)
      ready.push(node);
  }
  std::vector<NodeIndex> order;
  order.reserve(graph.numNodes());
  std::vector<uint32_t> released;
  while (!ready.empty()) {
    order.push_back(ready.top());
    released.assign(1, ready.top());
    ready.pop();
    for (size_t i = 0; i < released.size(); ++i)
      for (uint32_t next : digraph.out(released[i])) {
        if (--waits[next] != 0)
          continue;
        if (next < graph.numNodes())
          ready.push(next);
        else
          released.push_back(next);
      }
  }
  if (order.size() != graph.numNodes())
    order.clear();
  return order;
}
