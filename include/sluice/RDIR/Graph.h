//===- Graph.h - Labelled graphs of tasks and versions of regions -*- C++ -*-=//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An RDIR graph as compact arrays, on which all checks and orders are computed.
// The rdir dialect, the builders and the front ends produce such graphs. It can
// represent any labelled graph, even an ill-formed one.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_GRAPH_H
#define SLUICE_RDIR_GRAPH_H

#include "sluice/RDIR/RegionForest.h"

#include <cassert>
#include <span>

namespace sluice::rdir {

using NodeIndex = uint32_t;
inline constexpr NodeIndex noNode = UINT32_MAX;

/// Labels of nodes. Region is the only data node: partitions and scalars are
/// regions, too (a scalar is a root of one element). Copy, Fill, Host, Loop and
/// MustEpoch obey the rules of Task; they differ in what they run.
enum class NodeKind : uint8_t {
  Region,
  Task,
  Open,
  Close,
  Copy,
  Fill,
  Host,
  Loop,
  MustEpoch
};

/// Labels of edges. Continues leads from the version with which a reduction
/// starts to the reducing task.
enum class EdgeKind : uint8_t {
  Read,
  Discard,
  Write,
  Reduce,
  Continues,
  HappensBefore
};

/// Index of a reduction operator, numbered by the graph's creator.
using ReductionIndex = uint32_t;
inline constexpr ReductionIndex noReduction = UINT32_MAX;

/// An affine map from points of a launch to colors of a partition, row by row:
/// color[r] = sum of matrix[r * numDims + d] * point[d] + offset[r].
struct Projection {
  unsigned numColorDims = 0;
  std::vector<int64_t> matrix, offset;
  /// Extents of the partition's colors; 0 if not known at compile time.
  std::vector<int64_t> colors;
  /// Not affine: computed by a function at run time.
  bool isOpaque = false;
  /// The identity, from a domain with the same extents as the colors, whatever
  /// they are.
  bool isOnto = false;
};

/// Points of a launched task: 0 <= point[d] < extents[d]; 0: not known.
struct LaunchDomain {
  std::vector<int64_t> extents;
};

struct Node {
  NodeKind kind = NodeKind::Task;
  /// Data nodes: the node has a value before the graph starts.
  bool isInitial = false;
  /// Data nodes only.
  RegionIndex region = noRegion;
  FieldMask fields = allFields;
  /// Index into Graph::domains, or UINT32_MAX: one instance.
  uint32_t domain = UINT32_MAX;
  /// Loops only: the loop may have no iteration, so that its written regions
  /// keep their previous values.
  bool mayNotRun = false;
};

struct Edge {
  NodeIndex from = noNode, to = noNode;
  EdgeKind kind = EdgeKind::Read;
  /// Reduce and Continues.
  ReductionIndex reduction = noReduction;
  /// Port at the compute node: the number of the argument.
  uint32_t port = 0;
  /// Index into Graph::projections, or UINT32_MAX: the whole data node.
  uint32_t projection = UINT32_MAX;
};

/// True for nodes that compute or move data, false for data nodes.
inline bool isCompute(NodeKind kind) { return kind != NodeKind::Region; }
/// True for nodes that count as tasks in the rules: all but Region, Open and
/// Close.
inline bool isTaskLike(NodeKind kind) {
  return kind != NodeKind::Region && kind != NodeKind::Open &&
         kind != NodeKind::Close;
}

/// A graph that grows until `finish`. Nodes and edges are numbered in the order
/// of addition.
class Graph {
public:
  /// Must outlive the graph.
  explicit Graph(const RegionForest &forest) : forest(&forest) {}

  NodeIndex addRegion(RegionIndex region, FieldMask fields = allFields,
                      bool isInitial = false);
  NodeIndex addCompute(NodeKind kind, uint32_t domain = UINT32_MAX);
  void setMayNotRun(NodeIndex loop) { nodes[loop].mayNotRun = true; }
  uint32_t addEdge(const Edge &edge);
  uint32_t addDomain(LaunchDomain domain);
  uint32_t addProjection(Projection projection);
  /// Builds the lists for `in` and `out`; call it after adding the last edge.
  void finish();

  const RegionForest &regions() const { return *forest; }
  size_t numNodes() const { return nodes.size(); }
  const Node &node(NodeIndex index) const { return nodes[index]; }
  const Edge &edge(uint32_t index) const { return edges[index]; }
  std::span<const Node> allNodes() const { return nodes; }
  std::span<const Edge> allEdges() const { return edges; }
  /// Indices of the edges into and out of a node, in the order of addition.
  std::span<const uint32_t> in(NodeIndex index) const {
    assert(isFinished && "finish() builds the lists");
    return {inEdges.data() + inBegin[index],
            inEdges.data() + inBegin[index + 1]};
  }
  std::span<const uint32_t> out(NodeIndex index) const {
    assert(isFinished && "finish() builds the lists");
    return {outEdges.data() + outBegin[index],
            outEdges.data() + outBegin[index + 1]};
  }
  const LaunchDomain &domain(uint32_t index) const { return domains[index]; }
  const Projection &projection(uint32_t index) const {
    return projections[index];
  }
  /// True if the regions of the data nodes may alias and share a field.
  bool mayAlias(NodeIndex a, NodeIndex b) const {
    return (nodes[a].fields & nodes[b].fields) != 0 &&
           forest->mayAlias(nodes[a].region, nodes[b].region);
  }

private:
  const RegionForest *forest;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<LaunchDomain> domains;
  std::vector<Projection> projections;
  std::vector<uint32_t> inBegin, inEdges, outBegin, outEdges;
  bool isFinished = false;
};

} // namespace sluice::rdir

#endif // SLUICE_RDIR_GRAPH_H
