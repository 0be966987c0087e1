//===- Digraph.h - Edges as compressed lists --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph without its labels, in the form that searches traverse fastest, with
// room for nodes and edges that a check adds. No function recurses over nodes,
// so chains of any length are fine.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_GRAPH_DIGRAPH_H
#define SLUICE_LIB_RDIR_GRAPH_DIGRAPH_H

#include "sluice/RDIR/Graph.h"

#include <utility>

namespace sluice::rdir {

using NodePair = std::pair<uint32_t, uint32_t>;

/// The edges of a graph to include.
enum class EdgeSet : uint8_t {
  /// All of them: an order must respect each.
  All,
  /// Those between data and compute nodes that carry versions.
  Data,
};

class Digraph {
public:
  Digraph(const Graph &graph, EdgeSet which,
          std::span<const NodePair> added = {}, uint32_t numAddedNodes = 0);

  uint32_t size() const { return numNodes; }
  std::span<const uint32_t> in(uint32_t node) const {
    return {inNodes.data() + inBegin[node], inNodes.data() + inBegin[node + 1]};
  }
  std::span<const uint32_t> out(uint32_t node) const {
    return {outNodes.data() + outBegin[node],
            outNodes.data() + outBegin[node + 1]};
  }

private:
  uint32_t numNodes;
  std::vector<uint32_t> inBegin, inNodes, outBegin, outNodes;
};

/// The nodes in an order in which every edge goes forward. Among the free
/// nodes, the one with the smallest number goes next, but nodes from
/// `firstJoin` on go at once. Nodes on cycles, and nodes reachable from them,
/// are left out. Nodes that are close in the graph's arrays are thus close in
/// the order, which makes searches in large graphs much faster.
std::vector<uint32_t> topologicalOrder(const Digraph &graph,
                                       uint32_t firstJoin = UINT32_MAX);

/// The strongly connected components that contain a cycle.
std::vector<std::vector<uint32_t>> cyclicComponents(const Digraph &graph);

/// Returns a cycle within each of the first `maxCycles` cyclic components,
/// without repeating its first node. Nodes from `firstFreeNode` on have weight
/// 0, all others 1. The cycle has the least weight among the cycles through the
/// nodes that the search has time to start from. In components of up to
/// thousands of nodes these are all nodes.
std::vector<std::vector<uint32_t>>
shortestCycles(const Digraph &graph,
               const std::vector<std::vector<uint32_t>> &components,
               uint32_t firstFreeNode, size_t maxCycles);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_GRAPH_DIGRAPH_H
