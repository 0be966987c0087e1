//===- CheckAccesses.h - Leaves that report what they access ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For SLUICE_CHECK=1: every access to memory that instances may share gets a
// call of sluiceCheckAccess (sluice-c/Check.h) in front of it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ITEM_CHECKACCESSES_H
#define SLUICE_LIB_CODEGEN_LEAF_ITEM_CHECKACCESSES_H

#include "sluice/CodeGen/RangeFunction.h"

namespace sluice::codegen {

/// Instruments `leaf`, a copy of a leaf with its helpers inlined, and in place
/// the functions that it still calls.
void instrumentAccesses(llvm::Function &leaf, llvm::ArrayRef<InputPort> inputs);

/// The call that stands for the linear index of the instance over the levels
/// that are not fixed, and that whoever makes the instance loops puts a value
/// in place of; null if `function` has none.
llvm::CallInst *findInstanceIndex(llvm::Function &function);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ITEM_CHECKACCESSES_H
