//===- OrderedDims.h - Dimensions whose instances run in order --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instances of a replicated node run at the same time, except along ordered
// dimensions. There, an instance waits for all instances with ids that are not
// greater in any ordered dimension and less in at least one. One ordered
// dimension is a loop of sweeps, two are a wavefront.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_ORDEREDDIMS_H
#define SLUICE_DFG_ORDEREDDIMS_H

#include "sluice/DFG/DFG.h"

namespace sluice::dfg {

/// The attribute of nodes: one flag per extent.
inline constexpr llvm::StringLiteral orderedName = "dfg.ordered";

/// Bit d for dimension d of the node.
unsigned orderedDims(NodeOp node);
void setOrderedDims(NodeOp node, unsigned dims);

} // namespace sluice::dfg

#endif // SLUICE_DFG_ORDEREDDIMS_H
