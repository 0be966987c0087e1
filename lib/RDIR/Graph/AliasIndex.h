//===- AliasIndex.h - Sets searched for aliases -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of data nodes that can be searched for a member that may alias a given
// one. The members of small sets are compared one by one. Those of large sets
// are entered along their paths in the forest, so that a task with thousands of
// arguments is checked in near-linear time.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_GRAPH_ALIASINDEX_H
#define SLUICE_LIB_RDIR_GRAPH_ALIASINDEX_H

#include "sluice/RDIR/Graph.h"

#include <unordered_map>

namespace sluice::rdir {

class AliasIndex {
public:
  /// `universe`: all data nodes that will be inserted or searched for.
  AliasIndex(const Graph &graph, std::span<const NodeIndex> universe);

  void insert(NodeIndex node);
  enum Which { AnyRegion, OtherRegion };
  /// Returns a member that may alias `node`, or noNode if there is none.
  /// `which` can restrict the search to members of other regions.
  NodeIndex find(NodeIndex node, Which which) const;

private:
  /// The members at a region (up to two with different regions) and below it
  /// (up to two below different children).
  struct Place {
    NodeIndex here[2] = {noNode, noNode};
    NodeIndex below[2] = {noNode, noNode};
    RegionIndex child[2] = {noRegion, noRegion};
  };

  void insertPath(NodeIndex node, unsigned part);
  NodeIndex findOnPath(NodeIndex node, unsigned part, Which which) const;
  const Place *place(RegionIndex region, unsigned part) const;

  const Graph &graph;
  bool isLinear;
  std::vector<NodeIndex> members;
  std::vector<FieldMask> parts;
  std::unordered_map<uint64_t, Place> places;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_GRAPH_ALIASINDEX_H
