//===- ForgetVariables.h - Variables without a value ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No information about a variable is better for a debugger than wrong
// information.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_DEBUG_FORGETVARIABLES_H
#define SLUICE_LIB_CODEGEN_LEAF_DEBUG_FORGETVARIABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/BasicBlock.h"

namespace sluice::codegen {

/// Removes the records of variables that have the value `value`, which is about
/// to change its meaning.
void forgetVariables(llvm::Value &value);

/// From the start of `place` on, variables with values in `originals` have no
/// value: the code from there on is a copy of those blocks and has no records
/// of variables.
void forgetVariablesOf(llvm::ArrayRef<llvm::BasicBlock *> originals,
                       llvm::BasicBlock &place);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_DEBUG_FORGETVARIABLES_H
