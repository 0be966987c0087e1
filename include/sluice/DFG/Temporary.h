//===- Temporary.h - Memory that serves a graph alone -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer argument of a graph may be temporary: nobody uses what its memory
// holds before the graph has begun, or after it has ended. Where the nodes that
// use it run row by row, it need not be written at all.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_TEMPORARY_H
#define SLUICE_DFG_TEMPORARY_H

#include "sluice/DFG/DFG.h"

namespace sluice::dfg {

/// The attribute of graphs: the numbers of these inputs, in their order. In
/// text, `temporary` stands behind the access of a port.
inline constexpr llvm::StringLiteral temporaryName = "dfg.temporary";

bool isTemporary(GraphOp graph, unsigned input);
void setTemporaries(GraphOp graph, llvm::ArrayRef<int64_t> inputs);
/// Checks the value of the attribute.
mlir::LogicalResult verifyTemporary(mlir::Operation *op, mlir::Attribute value);

/// True if the input is temporary, and only nodes of one group that may run row
/// by row use it: then only a window of it need be there at a time.
bool isWindow(GraphOp graph, unsigned input);
/// The windows that a node writes.
llvm::SmallVector<unsigned> windowsWrittenBy(NodeOp node);

} // namespace sluice::dfg

#endif // SLUICE_DFG_TEMPORARY_H
