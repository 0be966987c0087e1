//===- TargetAttributes.h - For what processor code is ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are made from leaves are compiled as the user asked for the
// leaves: clang has said so in these attributes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_TARGETATTRIBUTES_H
#define SLUICE_ANALYSIS_TARGETATTRIBUTES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

namespace sluice {

/// What -mprefer-vector-width= says.
inline constexpr llvm::StringLiteral vectorWidthAttribute =
    "prefer-vector-width";

/// Attributes that say for what target a function is compiled.
llvm::ArrayRef<llvm::StringLiteral> targetAttributes();

/// Gives `to` those of them that `from` has.
void copyTargetAttributes(const llvm::Function &from, llvm::Function &to);

} // namespace sluice

#endif // SLUICE_ANALYSIS_TARGETATTRIBUTES_H
