//===- NodeOrder.h - Orders between nodes -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusing and pipelining depend on two facts: the order that the edges of a
// graph already give two nodes, and whether their grids are equal.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TRANSFORMS_NODEORDER_H
#define SLUICE_LIB_TRANSFORMS_NODEORDER_H

#include "sluice/DFG/DFG.h"

namespace sluice::transforms {

/// The part of another node that one node waits for before it starts.
enum class NodeOrder {
  None,    ///< nothing, as far as is known
  Partial, ///< its instance i for instance i of the other one
  Full     ///< each of its instances for all of the other one
};

/// The order of two nodes of one graph that follows from their edges and those
/// of the nodes in between. None if the search would take long.
NodeOrder orderBetween(dfg::NodeOp before, dfg::NodeOp after);

/// A node whose values another node takes, or that it waits for.
struct NodeSource {
  dfg::NodeOp node;
  /// An edge from instance to instance of replicated nodes.
  bool isOneToOne = false;
};

/// The sources of `node`'s inputs and dependencies; one entry per edge.
llvm::SmallVector<NodeSource> sourcesOf(dfg::NodeOp node);

/// True if both values are equal whenever their graph runs: the same value,
/// equal constants, or equal arithmetic on such.
bool areEqualValues(mlir::Value first, mlir::Value second);

/// True if both nodes have the same number of instances in every dimension, in
/// every run of their graph.
bool haveEqualGrids(dfg::NodeOp first, dfg::NodeOp second);

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_NODEORDER_H
