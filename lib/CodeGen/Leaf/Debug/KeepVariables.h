//===- KeepVariables.h - Variables in memory of their own -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves and functions that describe graphs are analysed in SSA form, in which
// variables are records of values that are gone when the value is. Without
// optimisation a variable has a place on the stack again, into which every one
// of its values is stored (keepVariablesInMemory).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_DEBUG_KEEPVARIABLES_H
#define SLUICE_LIB_CODEGEN_LEAF_DEBUG_KEEPVARIABLES_H

#include "sluice/CodeGen/Debugging.h"

#include "llvm/IR/Instructions.h"

namespace sluice::codegen {

/// Whether a debugger looks into `memory` for a variable: its contents count at
/// any time, whoever reads it.
bool holdsVariable(const llvm::AllocaInst &memory);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_DEBUG_KEEPVARIABLES_H
