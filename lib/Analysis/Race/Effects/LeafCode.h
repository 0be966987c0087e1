//===- LeafCode.h - Between the copy of leaf code and its effects -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the collection of effects.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFCODE_H
#define SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFCODE_H

#include "LeafEffects.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace sluice::races {

/// The id or extent that stands for `value`, a unified query.
std::optional<Symbol> symbolOfQuery(const llvm::Value &value);

/// Collects the effects of a prepared leaf.
LeafEffects collectEffects(llvm::Function &leaf,
                           llvm::ArrayRef<unsigned> divergentArguments,
                           llvm::FunctionAnalysisManager &analyses);

/// Sets what accesses say of barriers, and LeafEffects::passesBarrier;
/// `instructions[i]` is what access i comes from.
void findIntervals(llvm::Function &leaf, LeafEffects &effects,
                   llvm::ArrayRef<const llvm::Instruction *> instructions,
                   llvm::ArrayRef<unsigned> divergentArguments,
                   llvm::FunctionAnalysisManager &analyses);

/// Loops in the order in which Symbol::Kind::Turn counts them.
unsigned loopNumber(const llvm::Loop &loop, llvm::LoopInfo &info);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFCODE_H
