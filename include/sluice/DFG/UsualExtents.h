//===- UsualExtents.h - Extents that a proof took as usual ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The race check finds some graphs free of races only for extents below 65536,
// since arithmetic in 32 bits may wrap around beyond. It marks the dimensions
// in question by the attribute `dfg.usual`, one flag per extent, and launches
// with more instances are refused.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_USUALEXTENTS_H
#define SLUICE_DFG_USUALEXTENTS_H

#include "sluice/DFG/DFG.h"

namespace sluice::dfg {

inline constexpr llvm::StringLiteral usualName = "dfg.usual";

/// Bit d for dimension d of the node.
unsigned usualDims(NodeOp node);
/// Adds to those that are marked.
void addUsualDims(NodeOp node, unsigned dims);

} // namespace sluice::dfg

#endif // SLUICE_DFG_USUALEXTENTS_H
