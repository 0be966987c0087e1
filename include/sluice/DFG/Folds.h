//===- Folds.h - Reductions and scans of kernels ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Besides `in`, `out` and `inout`, the port of a kernel may declare that all
// instances fold into the memory by an operator, or that the elements that they
// write become their scan. So the graph contains the complete information:
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

/// The attribute of kernels, with one dictionary for each such port.
inline constexpr llvm::StringLiteral foldsName = "dfg.folds";

/// The fold of a port.
struct Fold {
  /// The number of the port.
  unsigned input = 0;
  /// "reduce", "scan" or "exclusive_scan".
  std::string kind;
  /// "sum", "product", "min", "max", "and", "or", "xor"; or "with": functions
  /// of the program.
  std::string op;
  /// An integer, signed unless it is written `ui`, or a floating-point type;
  /// null for functions of the program.
  mlir::Type element;
  /// For functions of the program: functions in the leaf code, and the size of
  /// an element.
  std::string identity, combine;
  int64_t elementBytes = 0;
  /// The size in bytes: the number of a port, or a constant. If neither is
  /// given, the leaf provides the size in a call of `llvm.hpvm.reduce.*` or
  /// `llvm.hpvm.scan.*`.
  std::optional<unsigned> sizePort;
  std::optional<int64_t> size;
};

/// All folds of `kernel`, in the order of its ports.
llvm::SmallVector<Fold> foldsOf(KernelOp kernel);
void setFolds(KernelOp kernel, llvm::ArrayRef<Fold> folds);

/// The access of port `index` of a kernel or graph, for messages: "in", "reduce
/// sum".
std::string describeAccess(mlir::Operation *callable, unsigned index);

/// The text of `fold`: "reduce(sum f64, %bytes)".
std::string spellFold(const Fold &fold, KernelOp kernel);

/// Parses that text, if present. `sizeName` receives the name of the port with
/// the size, which may not be declared yet.
mlir::OptionalParseResult parseFold(mlir::OpAsmParser &parser, Fold &fold,
                                    std::string &sizeName);
mlir::Attribute encodeFolds(mlir::MLIRContext &context,
                            llvm::ArrayRef<Fold> folds);
/// Accepts any operation: only kernels may have folds.
mlir::LogicalResult verifyFolds(mlir::Operation *op);

} // namespace sluice::dfg

#endif // SLUICE_DFG_FOLDS_H
