//===- SerialGraph.h - A graph with its serialization edges -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph that the serializability check and all orders search.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_ORDER_SERIALGRAPH_H
#define SLUICE_LIB_RDIR_ORDER_SERIALGRAPH_H

#include "../Graph/Digraph.h"
#include "sluice/RDIR/Order.h"

namespace sluice::rdir {

/// All edges of the graph and the added ones; joins come after the graph's
/// nodes.
inline Digraph serialDigraph(const Graph &graph,
                             const SerializationEdges &added) {
  std::vector<NodePair> pairs;
  pairs.reserve(added.edges.size());
  for (const AddedEdge &edge : added.edges)
    pairs.push_back({edge.from, edge.to});
  return Digraph(graph, EdgeSet::All, pairs, added.numJoins);
}

/// The serialization edges and the graph that includes them.
struct SerialGraph {
  explicit SerialGraph(const Graph &graph)
      : added(serializationEdges(graph)), digraph(serialDigraph(graph, added)) {
  }
  SerializationEdges added;
  Digraph digraph;
};

/// The serial order, given the graph's serialDigraph.
std::vector<NodeIndex> serialOrder(const Graph &graph, const Digraph &digraph);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_ORDER_SERIALGRAPH_H
