//===- Folds.h - Reductions and scans of kernels ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beside `in`, `out` and `inout`, the port of a kernel may say that all
// instances fold into the memory by an operator, or that the elements that they
// write become their scan. So everything about it can be read off the graph:
//
//   %sum: !llvm.ptr reduce(sum f64, %bytes)    %bytes: the port of that name
//   %best: !llvm.ptr reduce(with @none @closer 16, 64)   of the program, 16
//   bytes %to: !llvm.ptr scan(max ui32, %bytes)      exclusive_scan: without
//   its own
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_FOLDS_H
#define SLUICE_DFG_FOLDS_H

#include "sluice/DFG/DFG.h"

#include <optional>
#include <string>

namespace sluice::dfg {

/// The attribute of kernels: one dictionary for each such port.
inline constexpr llvm::StringLiteral foldsName = "dfg.folds";

/// What a port is beside `inout`.
struct Fold {
  /// Of the port.
  unsigned input = 0;
  /// "reduce", "scan" or "exclusive_scan".
  std::string kind;
  /// "sum", "product", "min", "max", "and", "or", "xor"; or "with": functions
  /// of the program.
  std::string op;
  /// An integer, signed unless it says `ui`, or a floating-point type; null for
  /// functions of the program.
  mlir::Type element;
  /// Of the program: functions in the leaf code, and the size of an element.
  std::string identity, combine;
  int64_t elementBytes = 0;
  /// How many bytes: the number of a port, or a constant. With neither the leaf
  /// says it, by a call of `llvm.hpvm.reduce.*` or `llvm.hpvm.scan.*`.
  std::optional<unsigned> sizePort;
  std::optional<int64_t> size;
};

/// All of `kernel`, in the order of its ports.
llvm::SmallVector<Fold> foldsOf(KernelOp kernel);
void setFolds(KernelOp kernel, llvm::ArrayRef<Fold> folds);

/// What port `index` of a kernel or graph is, for people: "in", "reduce sum".
std::string describeAccess(mlir::Operation *callable, unsigned index);

/// The text of `fold`: "reduce(sum f64, %bytes)".
std::string spellFold(const Fold &fold, KernelOp kernel);

/// Reads that text, if there is one. `sizeName` gets the name of the port with
/// the size, which is not known yet.
mlir::OptionalParseResult parseFold(mlir::OpAsmParser &parser, Fold &fold,
                                    std::string &sizeName);
mlir::Attribute encodeFolds(mlir::MLIRContext &context,
                            llvm::ArrayRef<Fold> folds);
/// Of any operation: only kernels have them.
mlir::LogicalResult verifyFolds(mlir::Operation *op);

} // namespace sluice::dfg

#endif // SLUICE_DFG_FOLDS_H
