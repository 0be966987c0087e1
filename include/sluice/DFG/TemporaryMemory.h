//===- TemporaryMemory.h - Memory that only one graph uses ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer argument of a graph may be temporary: nobody uses the content of
// its memory before the graph begins or after it ends. If the nodes that use it
// run row by row, the memory need not be written at all.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_TEMPORARYMEMORY_H
#define SLUICE_DFG_TEMPORARYMEMORY_H

#include "sluice/DFG/DFG.h"

namespace sluice::dfg {

/// The attribute of graphs: the numbers of temporary inputs, ascending. In
/// text, `temporary` follows the access of a port.
inline constexpr llvm::StringLiteral temporaryName = "dfg.temporary";

bool isTemporary(GraphOp graph, unsigned input);
void setTemporaries(GraphOp graph, llvm::ArrayRef<int64_t> inputs);
/// Checks the value of the attribute.
mlir::LogicalResult verifyTemporary(mlir::Operation *op, mlir::Attribute value);

/// True if the input is temporary and used only by nodes of one group that may
/// run row by row: then only a window of the memory needs to exist at a time.
bool isWindow(GraphOp graph, unsigned input);
/// The windows that a node writes.
llvm::SmallVector<unsigned> windowsWrittenBy(NodeOp node);

} // namespace sluice::dfg

#endif // SLUICE_DFG_TEMPORARYMEMORY_H
