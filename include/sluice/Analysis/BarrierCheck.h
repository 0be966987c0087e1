//===- BarrierCheck.h - Barriers that not every instance reaches ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier waits for every instance of its work-group, so all instances must
// reach it equally often. This file checks that rule on canonical HPVM IR for
// the verifier and code generation, and names the intrinsics that a leaf may
// call.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_BARRIERCHECK_H
#define SLUICE_ANALYSIS_BARRIERCHECK_H

#include "sluice/Analysis/InstanceUniformity.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/Error.h"

#include <optional>

namespace sluice {

/// The part of an intrinsic's name after "llvm.hpvm.", or an empty string for
/// any other instruction.
llvm::StringRef hpvmIntrinsicName(const llvm::Value &value);

/// Attribute of launches that are ordered with others over untracked memory.
constexpr char orderedLaunchAttribute[] = "sluice-ordered-launch";

/// Whether calling `function` may execute a barrier, directly or indirectly.
bool mayExecuteBarrier(const llvm::Function &function);

/// Whether every call of `function` that returns has executed a barrier.
bool alwaysExecutesBarrier(const llvm::Function &function);

/// The number of levels between the leaf and the node of `handle`: 0 for
/// getNode, 1 for its parent. None if the number is not constant.
std::optional<unsigned> handleDepth(const llvm::Value &handle);

/// A barrier that some instances may reach more often than others.
struct DivergentBarrier {
  /// The barrier, or the call of a function that has one.
  const llvm::CallBase *barrier;
  /// The branch that instances of one work-group may take differently.
  const llvm::Instruction *branch;
};

/// The barriers of `leaf`, and of the functions it calls, in divergent control
/// flow. `leaf` must be in SSA form (mem2reg). Arguments count as equal for all
/// instances, except those in `divergentArguments`: values that arrive along a
/// one-to-one edge differ.
llvm::SmallVector<DivergentBarrier>
findDivergentBarriers(llvm::Function &leaf,
                      llvm::ArrayRef<unsigned> divergentArguments = {});

/// The same as an error that names the first place; success if there is none.
llvm::Error checkBarriers(llvm::Function &leaf);

/// The same for a function whose queries are lowered and helpers inlined.
/// `oracle` knows which values instances share; `leafName` is for the message.
llvm::Error checkBarriers(llvm::Function &function,
                          const UniformityOracle &oracle,
                          llvm::StringRef leafName);

} // namespace sluice

#endif // SLUICE_ANALYSIS_BARRIERCHECK_H
