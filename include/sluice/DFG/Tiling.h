//===- Tiling.h - Nodes that may run row by row -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute `dfg.tiled` of a node contains three numbers that the compiler
// computes. This node and the node before it in their graph need not run one
// after the other. A row of a node is all instances with one value of its last
// id.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_TILING_H
#define SLUICE_DFG_TILING_H

#include "sluice/DFG/DFG.h"

#include <optional>

namespace sluice::dfg {

/// Row r of the node shares memory only with rows r - `behind` to r + `ahead`
/// of the node before it. For earlier nodes, the sums of these numbers apply,
/// as long as those nodes have the attribute, too.
struct Tiling {
  int64_t ahead = 0, behind = 0;
  /// Proven only for extents below 65536.
  bool isUsual = false;
};

std::optional<Tiling> tilingOf(NodeOp node);
void setTiling(NodeOp node, const Tiling &tiling);
/// True if this node or the one after it has the attribute.
bool isInTile(NodeOp node);

} // namespace sluice::dfg

#endif // SLUICE_DFG_TILING_H
