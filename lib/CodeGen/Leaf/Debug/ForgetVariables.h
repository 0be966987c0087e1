//===- ForgetVariables.h - Variables without a value ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A debugger had better know nothing of a variable than something wrong.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_DEBUG_FORGETVARIABLES_H
#define SLUICE_LIB_CODEGEN_LEAF_DEBUG_FORGETVARIABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/BasicBlock.h"

namespace sluice::codegen {

/// Forgets which variables have the value `value`, which is about to mean
/// something else.
void forgetVariables(llvm::Value &value);

/// From the start of `place` on, the variables that have values in `originals`
/// have none: code from there on does what those blocks did, and says nothing
/// of variables.
void forgetVariablesOf(llvm::ArrayRef<llvm::BasicBlock *> originals,
                       llvm::BasicBlock &place);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_DEBUG_FORGETVARIABLES_H
