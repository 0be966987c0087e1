//===- ReachedCode.h - The functions that code may call ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many rules about a leaf also apply to the functions that it calls, directly
// or through others.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_REACHEDCODE_H
#define SLUICE_ANALYSIS_REACHEDCODE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace sluice {

/// Whether only direct calls lead from one function to another, or every use of
/// a function as an operand, such as an argument.
enum class ReachedBy { Call, Name };

/// `function`, and the functions that it reaches, directly or through others;
/// declarations included.
llvm::SetVector<const llvm::Function *>
reachedFrom(const llvm::Function &function, ReachedBy by = ReachedBy::Call);

/// Whether these functions contain such an instruction.
bool anyReached(const llvm::Function &function,
                llvm::function_ref<bool(const llvm::Instruction &)> isSuch,
                ReachedBy by = ReachedBy::Call);

/// Whether calls lead from `function` back to it.
bool callsItself(const llvm::Function &function);

} // namespace sluice

#endif // SLUICE_ANALYSIS_REACHEDCODE_H
