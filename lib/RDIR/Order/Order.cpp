//===- Order.cpp - The serial order ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Among the free nodes, the one with the smallest number goes next, so a graph
// that was built in program order keeps this order. Joins are not nodes of the
// graph: they go as soon as they are free.
//
//===----------------------------------------------------------------------===//

#include "SerialGraph.h"

using namespace sluice::rdir;

std::vector<NodeIndex> sluice::rdir::serialOrder(const Graph &graph) {
  return serialOrder(graph, SerialGraph(graph).digraph);
}

std::vector<NodeIndex> sluice::rdir::serialOrder(const Graph &graph,
                                                 const Digraph &digraph) {
  std::vector<NodeIndex> order = topologicalOrder(digraph, graph.numNodes());
  std::erase_if(order, [&](uint32_t node) { return node >= graph.numNodes(); });
  if (order.size() != graph.numNodes())
    order.clear();
  return order;
}
