//===- TargetAttributes.h - The target processor of code ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are made from leaves are compiled for the target that the user
// requested for the leaves. clang records it in these attributes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_TARGETATTRIBUTES_H
#define SLUICE_ANALYSIS_TARGETATTRIBUTES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

namespace sluice {

/// The value of -mprefer-vector-width=.
inline constexpr llvm::StringLiteral vectorWidthAttribute =
    "prefer-vector-width";

/// Attributes that specify the target of a function.
llvm::ArrayRef<llvm::StringLiteral> targetAttributes();

/// Copies the target attributes of `from` to `to`.
void copyTargetAttributes(const llvm::Function &from, llvm::Function &to);

} // namespace sluice

#endif // SLUICE_ANALYSIS_TARGETATTRIBUTES_H
