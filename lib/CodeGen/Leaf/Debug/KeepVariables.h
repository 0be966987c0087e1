//===- KeepVariables.h - Keeping variables in memory ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves and functions that describe graphs are analysed in SSA form. There,
// variables are records of values and disappear with their values. Without
// optimisation, each variable gets a place on the stack again, and each of its
// values is stored there (keepVariablesInMemory).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_DEBUG_KEEPVARIABLES_H
#define SLUICE_LIB_CODEGEN_LEAF_DEBUG_KEEPVARIABLES_H

#include "sluice/CodeGen/Debugging.h"

#include "llvm/IR/Instructions.h"

namespace sluice::codegen {

/// Whether a debugger reads a variable from `memory`. If so, its contents
/// matter at any time, even without a reader in the code.
bool holdsVariable(const llvm::AllocaInst &memory);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_DEBUG_KEEPVARIABLES_H
