//===- Reachability.h - Reachability ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reachability in acyclic graphs of millions of nodes. Most questions of the
// checks are answered by a few steps back from the later node:
//
//   1. Positions in a topological order refute questions asked backwards, and
//      bound every search: it never goes before the earlier node.
//   2. A search back from the later node that gives up after some nodes.
//   3. Labels, computed when a search gives up for the first time: in a
//      depth-first search each node gets the interval of post-order numbers of
//      its tree, which proves paths, and of all it reaches, which refutes them
//      (H. Yildirim et al., "GRAIL", VLDB 2010). Three searches, in different
//      orders.
//   4. The whole search, with the labels at every node.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_GRAPH_REACHABILITY_H
#define SLUICE_LIB_RDIR_GRAPH_REACHABILITY_H

#include "Digraph.h"

namespace sluice::rdir {

class Reachability {
public:
  /// `order` is a topological order of all nodes of `graph`. Both must outlive
  /// this object.
  Reachability(const Digraph &graph, std::span<const uint32_t> order);

  uint32_t position(uint32_t node) const { return positions[node]; }
  /// True if there is a path from `from` to `to`, or if they are the same node.
  bool operator()(uint32_t from, uint32_t to);
  /// The same, but also false if no short path is found.
  bool isNear(uint32_t from, uint32_t to);

private:
  enum class Answer : uint8_t { No, Yes, Unknown };
  /// Numbers of one depth-first search.
  struct Label {
    uint32_t post, treeLow, reachLow;
  };
  static constexpr unsigned numLabels = 3;
  using Labels = std::vector<Label>;

  Answer searchNear(uint32_t from, uint32_t to);
  bool searchFar(uint32_t from, uint32_t to);
  void computeLabels();
  void label(Labels &labels, uint64_t seed);
  Answer askLabels(uint32_t from, uint32_t to) const;
  bool visit(uint32_t node);
  void newSearch();

  const Digraph &graph;
  std::span<const uint32_t> order;
  std::vector<uint32_t> positions, visited, stack;
  uint32_t searchNumber = 0;
  Labels labels[numLabels];
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_GRAPH_REACHABILITY_H
