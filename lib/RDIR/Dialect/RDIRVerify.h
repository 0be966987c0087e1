//===- RDIRVerify.h - Verification of single operations ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifier rejects operations that have no meaning in a graph: undefined
// names, lists of the wrong length, wrong types. Violations of the graph rules
// are left to the checks, which find all problems in one run.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_DIALECT_RDIRVERIFY_H
#define SLUICE_LIB_RDIR_DIALECT_RDIRVERIFY_H

#include "sluice/RDIR/RDIR.h"

namespace sluice::rdir {

/// Gives the result of a node its name from the source.
void setSourceName(mlir::Operation *op, mlir::OpAsmSetValueNameFn setName);

/// Verifies the lists of edges, and that the node may have its clauses.
llvm::LogicalResult verifyNode(NodeOpInterface node);
/// Verifies the symbols that a node names, and everything that depends on them.
llvm::LogicalResult verifyNodeSymbols(NodeOpInterface node,
                                      mlir::SymbolTableCollection &tables);
/// Verifies that a body holds only nodes.
llvm::LogicalResult verifyBody(mlir::Region &body);

enum class ExtentsOf { Root, Colors, Launch };
/// One to three extents, each a number (at least 1) or a parameter. The product
/// of the numbers must not exceed the limit on elements, colors or points of a
/// program.
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
