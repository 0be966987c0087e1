//===- LateMath.h - Math functions of possible constants --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The angles of a small Fourier transform are constants once its loops are
// unrolled. A loop that contains the inlined bodies of sines is too long to be
// unrolled, and LLVM would not evaluate them. So such calls stay calls of
// Sluice's functions, which cost as little as libm's, until loops have been
// unrolled. Calls that are constant by then are replaced by their results, and
// the rest is inlined as everywhere else.
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

/// The prefix of the names of the functions in Lanes.h.
inline constexpr llvm::StringLiteral mathPrefix = "sluice_lanes_";

/// Whether each of the numbers depends only on constants, and on arguments for
/// which `isKnown` holds.
bool mayBecomeConstant(
    llvm::ArrayRef<llvm::Value *> numbers,
    llvm::function_ref<bool(const llvm::Argument &)> isKnown);

/// Inlines `call`, a call of one of Sluice's functions, and the functions of
/// Lanes.h that it calls, except slow paths.
void inlineMathCall(llvm::CallInst &call);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_MATH_LATEMATH_H
