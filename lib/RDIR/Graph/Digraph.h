//===- Digraph.h - Edges as compressed lists --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A labelled graph without its labels: the form that searches walk fastest,
// with room for nodes and edges that a check adds. No function recurses over
// nodes, so chains of any length are fine.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_GRAPH_DIGRAPH_H
#define SLUICE_LIB_RDIR_GRAPH_DIGRAPH_H

#include "sluice/RDIR/Graph.h"

#include <utility>

namespace sluice::rdir {

using NodePair = std::pair<uint32_t, uint32_t>;

/// Which edges of a graph count.
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

/// The nodes in an order in which every edge goes forward. Of those that are
/// free the one with the smallest number goes next, but nodes from `firstJoin`
/// go at once. Nodes on cycles, and behind them, are left out. What is close in
/// the graph's arrays thus is close in the order, which searches in large
/// graphs gain much from.
std::vector<uint32_t> topologicalOrder(const Digraph &graph,
                                       uint32_t firstJoin = UINT32_MAX);

/// The strongly connected components that hold a cycle.
std::vector<std::vector<uint32_t>> cyclicComponents(const Digraph &graph);

/// A cycle within each of the first `maxCycles` cyclic components, without its
/// first node repeated. It is one of least weight, where nodes from
/// `firstFreeNode` cost nothing and others 1, among those through the nodes
/// that the search has time to start from: all of components of thousands.
std::vector<std::vector<uint32_t>>
shortestCycles(const Digraph &graph,
               const std::vector<std::vector<uint32_t>> &components,
               uint32_t firstFreeNode, size_t maxCycles);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_GRAPH_DIGRAPH_H
