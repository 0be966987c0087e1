//===- CMatch.h - Matching arguments with a C function --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C form of a task's arguments is fixed: for an array `T *base, T *first,
// offset, extents.., strides..`, for a scalar its value, for a PtrScalar `T *`.
// A function with a known prototype must take exactly these parameters.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_C_CMATCH_H
#define SLUICE_LIB_FRONTEND_KERNELS_C_CMATCH_H

#include "CPrototype.h"
#include "sluice/CodeGen/TaskNodes.h"

namespace sluice::driver {

/// One argument of a task.
struct CArgument {
  enum class Kind { Array, Value, Pointer, Object };
  Kind kind = Kind::Array;
  std::string name;
  dfg::Access access = dfg::Access::InOut;
  /// The type of the elements, or of the scalar.
  bool isFloat = false, isSigned = false;
  unsigned bits = 0;
  /// The numbers that the function receives, in elements.
  std::vector<int64_t> extents, strides;
};
std::vector<CArgument> cArguments(dfg::TaskOp task);

/// "double", "uint8_t".
std::string spellElement(const CArgument &argument);

/// One parameter that the arguments require.
struct CSlot {
  codegen::CSignature::Parameter parameter;
  /// "A_offset", "double *A".
  std::string name, declaration;
  /// The value of an offset, extent or stride.
  int64_t value = 0;
};
std::vector<CSlot> cSlots(llvm::ArrayRef<CArgument> arguments);

/// The value of an integer that no task changes; none for other arguments.
std::optional<llvm::APInt> constantOf(dfg::TaskOp task, unsigned argument);

/// How `task` calls the function. None after errors, which name the parameter,
/// the two types, and the location of the function.
std::optional<codegen::CSignature> matchPrototype(dfg::TaskOp task,
                                                  const CPrototype &prototype,
                                                  llvm::LLVMContext &context);

/// How `task` calls a function of which only the name is known.
std::optional<codegen::CSignature> assumeSignature(dfg::TaskOp task,
                                                   llvm::LLVMContext &context);

/// The declaration that such a call assumes: "void f(double *A_base, ...)".
std::string spellAssumed(dfg::TaskOp task);

/// A place for notes.
mlir::Location locationOf(const SourcePlace &place, mlir::MLIRContext *context);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_CMATCH_H
