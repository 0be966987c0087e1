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

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

namespace sluice {

/// -mprefer-vector-width=
inline constexpr llvm::StringLiteral vectorWidthAttribute =
    "prefer-vector-width";

/// Attributes that say for what target a function is compiled.
inline constexpr llvm::StringLiteral targetAttributes[] = {
    "target-cpu",    "target-features",  "tune-cpu",
    "frame-pointer", "no-trapping-math", vectorWidthAttribute};

/// Gives `to` those of them that `from` has.
inline void copyTargetAttributes(const llvm::Function &from,
                                 llvm::Function &to) {
  for (llvm::StringRef name : targetAttributes)
    if (from.hasFnAttribute(name))
      to.addFnAttr(from.getFnAttribute(name));
}

} // namespace sluice

#endif // SLUICE_ANALYSIS_TARGETATTRIBUTES_H
