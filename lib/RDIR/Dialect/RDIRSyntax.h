//===- RDIRSyntax.h - Parts of the rdir language ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that parse and print the syntax that several operations share. The
// custom<...> directives in the .td prescribe the names and signatures of some.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_DIALECT_RDIRSYNTAX_H
#define SLUICE_LIB_RDIR_DIALECT_RDIRSYNTAX_H

#include "sluice/RDIR/RDIR.h"

namespace sluice::rdir {

using mlir::ParseResult;

/// `: i64 = 3`.
ParseResult parseTypedValue(mlir::OpAsmParser &parser, mlir::TypedAttr &value);
void printTypedValue(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                     mlir::TypedAttr value);

/// `: f64 identity 1.0`.
ParseResult parseIdentity(mlir::OpAsmParser &parser, mlir::TypedAttr &value);
void printIdentity(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::TypedAttr value);

/// `[4, @n]`.
ParseResult parseExtents(mlir::OpAsmParser &parser, mlir::ArrayAttr &extents);
void printExtents(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  mlir::ArrayAttr extents);

/// `{a : f64, b : vector<4xi32>}`.
ParseResult parseFields(mlir::OpAsmParser &parser, mlir::ArrayAttr &names,
                        mlir::ArrayAttr &types);
void printFields(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 mlir::ArrayAttr names, mlir::ArrayAttr types);

/// `@root` or `@partition[1, 2]`.
ParseResult parseRegionName(mlir::OpAsmParser &parser,
                            mlir::FlatSymbolRefAttr &name,
                            mlir::DenseI64ArrayAttr &color);
void printRegionName(mlir::OpAsmPrinter &printer, mlir::FlatSymbolRefAttr name,
                     mlir::DenseI64ArrayAttr color);

/// `@root [4, 4]` or `@partition[1, 2] [4, 4]`.
ParseResult parseParentAndColors(mlir::OpAsmParser &parser,
                                 mlir::FlatSymbolRefAttr &parent,
                                 mlir::DenseI64ArrayAttr &color,
                                 mlir::ArrayAttr &colors);
void printParentAndColors(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                          mlir::FlatSymbolRefAttr parent,
                          mlir::DenseI64ArrayAttr color,
                          mlir::ArrayAttr colors);

/// `disjoint incomplete by halo(@blocks, [1, 1])`.
ParseResult parseRule(mlir::OpAsmParser &parser, mlir::UnitAttr &isDisjoint,
                      mlir::UnitAttr &isComplete, PartitionKindAttr &kind,
                      mlir::FlatSymbolRefAttr &left,
                      mlir::FlatSymbolRefAttr &right, mlir::StringAttr &field,
                      mlir::FlatSymbolRefAttr &function,
                      mlir::DenseI64ArrayAttr &width, mlir::UnitAttr &axesOnly,
                      mlir::DenseI64ArrayAttr &rightColor,
                      mlir::UnitAttr &rightWhole, mlir::StringAttr &last,
                      mlir::UnitAttr &toNext, mlir::ArrayAttr &map,
                      mlir::DenseI64ArrayAttr &periodic);
void printRule(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               mlir::UnitAttr isDisjoint, mlir::UnitAttr isComplete,
               PartitionKindAttr kind, mlir::FlatSymbolRefAttr left,
               mlir::FlatSymbolRefAttr right, mlir::StringAttr field,
               mlir::FlatSymbolRefAttr function, mlir::DenseI64ArrayAttr width,
               mlir::UnitAttr axesOnly, mlir::DenseI64ArrayAttr rightColor,
               mlir::UnitAttr rightWhole, mlir::StringAttr last,
               mlir::UnitAttr toNext, mlir::ArrayAttr map,
               mlir::DenseI64ArrayAttr periodic);

/// `subregion @a[0] of @b` or `disjoint @a, @b`.
ParseResult parseConstraint(mlir::OpAsmParser &parser,
                            mlir::UnitAttr &isDisjoint,
                            mlir::FlatSymbolRefAttr &first,
                            mlir::DenseI64ArrayAttr &firstColor,
                            mlir::FlatSymbolRefAttr &second,
                            mlir::DenseI64ArrayAttr &secondColor);
void printConstraint(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                     mlir::UnitAttr isDisjoint, mlir::FlatSymbolRefAttr first,
                     mlir::DenseI64ArrayAttr firstColor,
                     mlir::FlatSymbolRefAttr second,
                     mlir::DenseI64ArrayAttr secondColor);

/// An optional symbol: null if there is none.
ParseResult parseOptionalSymbol(mlir::OpAsmParser &parser,
                                mlir::FlatSymbolRefAttr &name);
/// `@name`.
ParseResult parseSymbol(mlir::OpAsmParser &parser,
                        mlir::FlatSymbolRefAttr &name);
/// `[1, 2]`.
ParseResult parseIntegers(mlir::OpAsmParser &parser,
                          llvm::SmallVectorImpl<int64_t> &numbers);

/// The body of a graph, loop or must-epoch; always has a block.
ParseResult parseBody(mlir::OpAsmParser &parser, mlir::OperationState &state);
void printBody(mlir::OpAsmPrinter &printer, mlir::Region &body);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_DIALECT_RDIRSYNTAX_H
