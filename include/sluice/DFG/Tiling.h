//===- Tiling.h - Nodes that may run row by row -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute `dfg.tiled` of a node, three numbers that the compiler finds:
// this node and the node before it in their graph need not run one after the
// other. A row of a node is all instances with one value of its last id.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_TILING_H
#define SLUICE_DFG_TILING_H

#include "sluice/DFG/DFG.h"

#include <optional>

namespace sluice::dfg {

/// Row r of the node meets rows of the node before it in memory from
/// r - `behind` to r + `ahead` only, and with the sums of these numbers rows of
/// the nodes before that, as far as these have them, too.
struct Tiling {
  int64_t ahead = 0, behind = 0;
  /// Proven for extents below 65536 only.
  bool isUsual = false;
};

std::optional<Tiling> tilingOf(NodeOp node);
void setTiling(NodeOp node, const Tiling &tiling);
/// True if this node or the one after it has the attribute.
bool isInTile(NodeOp node);

} // namespace sluice::dfg

#endif // SLUICE_DFG_TILING_H
