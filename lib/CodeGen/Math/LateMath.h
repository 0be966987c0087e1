//===- LateMath.h - Math functions of what may be constant ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The angles of a small Fourier transform are constants once its loops are
// unrolled. A loop with whole bodies of sines in it is too long for that, and
// LLVM would not compute them: so such calls stay calls of our functions, which
// cost as little as libm's, until loops have been unrolled. What is constant by
// then is replaced by its result, and the rest is inlined as everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_MATH_LATEMATH_H
#define SLUICE_LIB_CODEGEN_MATH_LATEMATH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Argument;
class CallInst;
class Value;
} // namespace llvm

namespace sluice::codegen {

/// Names of our math functions, those of Lanes.h, begin so.
inline constexpr llvm::StringLiteral mathPrefix = "sluice_lanes_";

/// Whether nothing but constants, and arguments for which `isKnown` holds, goes
/// into any of the numbers.
bool mayBecomeConstant(
    llvm::ArrayRef<llvm::Value *> numbers,
    llvm::function_ref<bool(const llvm::Argument &)> isKnown);

/// Inlines `call`, which calls one of our functions, and what that calls of
/// ours, but for slow paths.
void inlineMathCall(llvm::CallInst &call);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_MATH_LATEMATH_H
