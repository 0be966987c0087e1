//===- ComplexNumbers.h - Complex arithmetic in leaves ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang writes a complex product as four products, two tests whether its parts
// are numbers, and a call of a library function if not. No vectoriser makes
// vectors of this. Neither does one of vectors of two floats, as which
// functions take and return complex numbers.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_MATH_COMPLEXNUMBERS_H
#define SLUICE_LIB_CODEGEN_MATH_COMPLEXNUMBERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallInst;
class Function;
} // namespace llvm

namespace sluice::codegen {

/// Whether `call` multiplies complex numbers whose product by the definition is
/// not a number.
bool isComplexProduct(const llvm::CallInst &call);

/// Replaces such a call, and the tests before it, by calls of "productReal" and
/// "productImag" (Complex.c), which `ours` returns. Returns these calls; none
/// if the code around the call is not what clang emits, and stays.
llvm::SmallVector<llvm::CallInst *> rewriteComplexProduct(
    llvm::CallInst &call,
    llvm::function_ref<llvm::Function *(llvm::StringRef)> ours);

/// Makes single numbers of all pairs of floats, unless there are other vectors.
void splitPairs(llvm::Function &function);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_MATH_COMPLEXNUMBERS_H
