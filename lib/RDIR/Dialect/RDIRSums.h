//===- RDIRSums.h - The syntax of sums --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses, prints and verifies the sums of Sums.h.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_DIALECT_RDIRSUMS_H
#define SLUICE_LIB_RDIR_DIALECT_RDIRSUMS_H

#include "sluice/RDIR/Sums.h"

namespace sluice::rdir {

/// `@n - %k - 1`. `first`, if given, is the name with which the sum starts,
/// which has been read. With `isColor`, `i`, `j` and `k` are the coordinates
/// of the point, and `mod` may follow.
mlir::ParseResult parseSum(mlir::OpAsmParser &parser, mlir::Attribute &sum,
                           bool isColor, mlir::Attribute first = {});
/// None if there is no sum.
mlir::OptionalParseResult parseOptionalSum(mlir::OpAsmParser &parser,
                                           mlir::Attribute &sum);

/// `[i + %k, 0]`; null if no bracket follows.
mlir::ParseResult parseOptionalSums(mlir::OpAsmParser &parser,
                                    mlir::ArrayAttr &sums);
/// `[2 * i, j + 1 div 2 mod @n]`, which follow from an element's coordinates.
mlir::ParseResult parseElementSums(mlir::OpAsmParser &parser,
                                   mlir::ArrayAttr &sums);
void printElementSums(mlir::OpAsmPrinter &printer, mlir::ArrayAttr sums);

/// The projection with the sums: an affine map, if each is one of a point with
/// `numDims` coordinates.
mlir::Attribute projectionOf(mlir::ArrayAttr sums, size_t numDims);

/// The names of a sum exist at `op`: parameters with an integer type,
/// iterations of loops around it, and coordinates below `numDims`.
llvm::LogicalResult verifySumNames(mlir::Operation *op, const Sum &sum,
                                   size_t numDims,
                                   mlir::SymbolTableCollection &tables);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_DIALECT_RDIRSUMS_H
