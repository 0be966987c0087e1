//===- RDIRVerify.h - What makes no sense at all ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifier refuses what has no meaning as a graph: names that stand for
// nothing, lists of the wrong length, wrong types. What the rules of graphs
// speak about is left to the checks, which find all problems in one run.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_DIALECT_RDIRVERIFY_H
#define SLUICE_LIB_RDIR_DIALECT_RDIRVERIFY_H

#include "sluice/RDIR/RDIR.h"

namespace sluice::rdir {

/// Gives the result of a node the name it had in the source.
void setSourceName(mlir::Operation *op, mlir::OpAsmSetValueNameFn setName);

/// Lists of edges, and clauses that the node may have.
llvm::LogicalResult verifyNode(NodeOpInterface node);
/// What the node's names stand for, and what depends on it.
llvm::LogicalResult verifyNodeSymbols(NodeOpInterface node,
                                      mlir::SymbolTableCollection &tables);
/// A body holds nodes and nothing else.
llvm::LogicalResult verifyBody(mlir::Region &body);

enum class ExtentsOf { Root, Colors, Launch };
/// Numbers (at least 1) or parameters; one to three of them. The numbers alone
/// are not more elements, colors or points than a program may have.
llvm::LogicalResult verifyExtents(mlir::Operation *op, mlir::ArrayAttr extents,
                                  ExtentsOf of);
llvm::LogicalResult verifyExtentSymbols(mlir::Operation *op,
                                        mlir::ArrayAttr extents,
                                        mlir::SymbolTableCollection &tables);
/// A root, a partition or, with `color`, a color of a partition.
llvm::LogicalResult verifyRegionName(mlir::Operation *op,
                                     mlir::FlatSymbolRefAttr name,
                                     mlir::DenseI64ArrayAttr color,
                                     mlir::SymbolTableCollection &tables);
/// A parameter with an integer type.
llvm::LogicalResult verifyParameterName(mlir::Operation *op,
                                        mlir::FlatSymbolRefAttr name,
                                        mlir::SymbolTableCollection &tables);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_DIALECT_RDIRVERIFY_H
