//===- ImportExtents.h - Arithmetic for extents ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal nodes only compute the extents of their children: integer arithmetic
// without side effects on constants and arguments.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTEXTENTS_H
#define SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTEXTENTS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Value.h"

namespace llvm {
class ExtractValueInst;
} // namespace llvm

namespace sluice::hpvm {

/// True if the instruction itself is such arithmetic; its operands may still
/// be something else.
bool isExtentArithmetic(const llvm::Instruction &instruction);

/// The first value in `extent` that extents may not depend on; null if the
/// whole expression is valid.
const llvm::Value *findIllegalOperand(const llvm::Value *extent);

/// Builds extents as arith operations. `values` maps the function's arguments,
/// and receives everything that is built, so that shared parts are built once.
class ExtentBuilder {
public:
  ExtentBuilder(mlir::OpBuilder &builder, mlir::Location location)
      : builder(builder), location(location) {}

  /// Makes an argument known.
  void map(const llvm::Value *value, mlir::Value mapped) {
    values[value] = mapped;
  }
  /// The value of `extent`, which must have no illegal operand.
  mlir::Value build(const llvm::Value *extent);

private:
  mlir::Value buildInstruction(const llvm::Instruction &instruction);
  mlir::Value buildPart(const llvm::ExtractValueInst &part, mlir::Location l);

  mlir::OpBuilder &builder;
  mlir::Location location;
  llvm::DenseMap<const llvm::Value *, mlir::Value> values;
};

/// The location debug information gives an instruction.
mlir::Location locationOf(const llvm::Instruction &instruction,
                          mlir::MLIRContext *context);

} // namespace sluice::hpvm

#endif // SLUICE_LIB_FRONTEND_HPVM_IMPORT_IMPORTEXTENTS_H
