//===- CheckAccesses.h - Leaves that report their accesses ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For SLUICE_CHECK=1: inserts a call of sluiceCheckAccess (sluice-c/Check.h)
// before every access to memory that instances may share.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ITEM_CHECKACCESSES_H
#define SLUICE_LIB_CODEGEN_LEAF_ITEM_CHECKACCESSES_H

#include "sluice/CodeGen/RangeFunction.h"

namespace sluice::codegen {

/// Instruments `leaf`, a copy of a leaf with its helpers inlined. Also
/// instruments, in place, the functions that it still calls.
void instrumentAccesses(llvm::Function &leaf, llvm::ArrayRef<InputPort> inputs);

/// The call that stands for the linear index of the instance over the levels
/// that are not fixed; null if `function` has none. The code that makes the
/// instance loops replaces it by a value.
llvm::CallInst *findInstanceIndex(llvm::Function &function);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ITEM_CHECKACCESSES_H
