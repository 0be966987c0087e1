//===- VectorSlowPaths.h - Slow paths tested once per vector ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some arguments of math functions need much more work than all others, such as
// the sine of 1e300. Code for both cases in every lane would be slow, and a
// branch would keep loops scalar. So the result that all lanes compute is NaN
// for such arguments, and `sluice_far_NAME(x, near)` (Lanes.h) replaces it.
// This file makes its variants for vectors: one test for all lanes, and a call
// of a function that handles the lanes one by one.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_MATH_VECTORSLOWPATHS_H
#define SLUICE_LIB_CODEGEN_MATH_VECTORSLOWPATHS_H

namespace llvm {
class CallInst;
class Function;
} // namespace llvm

namespace sluice::codegen {

/// Whether a function is `sluice_far_NAME` of Lanes.h.
bool isFarFunction(const llvm::Function &function);

/// Makes variants of the function that `call` calls, which is one of these,
/// available to vectorisers, and adds them to the module. They stay until
/// `InlineVectorVariants` (InlineMath.h) has run.
void addVectorVariants(llvm::CallInst &call);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_MATH_VECTORSLOWPATHS_H
