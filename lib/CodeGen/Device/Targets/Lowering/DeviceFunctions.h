//===- DeviceFunctions.h - Functions that kernels may call -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libm's functions and the corresponding LLVM intrinsics, under one name each,
// with their names in OpenCL and in CUDA's math library.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_DEVICEFUNCTIONS_H
#define SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_DEVICEFUNCTIONS_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

namespace sluice::codegen::lowering {

/// A function of real numbers, float and double.
struct MathFunction {
  llvm::StringLiteral name;   ///< libm's for double; float adds "f"
  llvm::StringLiteral opencl; ///< OpenCL's
  /// Operands: x reals, i 32-bit integer.
  llvm::StringLiteral operands;
  llvm::Intrinsic::ID intrinsic = llvm::Intrinsic::not_intrinsic;
};

/// The function of a libm name ("sinf", "pow") or null.
const MathFunction *findMathFunction(llvm::StringRef name);
/// The function of an intrinsic, or null.
const MathFunction *findMathFunction(llvm::Intrinsic::ID intrinsic);
/// The function that a call calls, if the types match.
const MathFunction *calledMathFunction(const llvm::CallBase &call);

/// Intrinsics, besides those of math functions, that both forms support.
bool isDeviceIntrinsic(llvm::Intrinsic::ID intrinsic);

} // namespace sluice::codegen::lowering

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_DEVICEFUNCTIONS_H
