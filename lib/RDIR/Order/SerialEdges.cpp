//===- SerialEdges.cpp - The edges of rule R* -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk per class of versions. An edge is dropped if a short path of the
// graph has the same ends; usually a task reads what the reader wrote.
//
//===----------------------------------------------------------------------===//

#include "../Graph/Reachability.h"
#include "SerialCollector.h"
#include "SerialSweep.h"

#include <algorithm>

using namespace sluice::rdir;

SerializationEdges sluice::rdir::serializationEdges(const Graph &graph) {
  Digraph digraph(graph, EdgeSet::Data);
  std::vector<uint32_t> order = topologicalOrder(digraph);
  if (order.size() != digraph.size())
    return {{}, 0};
  Reachability reach(digraph, order);
  std::vector<uint32_t> position(order.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    position[order[i]] = i;
  SerialCollector collector(graph);
  SerialSweep sweep(graph, position, collector);
  for (const VersionClass &versions : versionClasses(graph, order))
    sweep.run(versions);
  SerializationEdges result = collector.take();
  std::erase_if(result.edges, [&](const AddedEdge &edge) {
    return edge.from < graph.numNodes() && edge.to < graph.numNodes() &&
           reach.isNear(edge.from, edge.to);
  });
  return result;
}
