//===- SPIRVMath.h - Math functions of OpenCL ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of libm functions and of intrinsics become calls of OpenCL's builtin
// functions, which each driver has.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_SPIRVMATH_H
#define SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_SPIRVMATH_H

#include "llvm/IR/Function.h"

namespace sluice::codegen::lowering {

void lowerMathForOpenCL(llvm::Function &function);

} // namespace sluice::codegen::lowering

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_SPIRVMATH_H
