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

/// The id or extent that `value`, a unified query, represents.
std::optional<Symbol> symbolOfQuery(const llvm::Value &value);

/// Collects the effects of a prepared leaf.
LeafEffects collectEffects(llvm::Function &leaf,
                           llvm::ArrayRef<unsigned> divergentArguments,
                           llvm::FunctionAnalysisManager &analyses);

class LeafValues;
/// LeafEffects::counters, as far as debug information tells of variables.
std::vector<LeafCounter> findCounters(llvm::Function &leaf, LeafValues &values);

/// Sets the barrier data of accesses, and LeafEffects::passesBarrier;
/// `instructions[i]` is the origin of access i.
void findIntervals(llvm::Function &leaf, LeafEffects &effects,
                   llvm::ArrayRef<const llvm::Instruction *> instructions,
                   llvm::ArrayRef<unsigned> divergentArguments,
                   llvm::FunctionAnalysisManager &analyses);

/// The number of a loop in the order in which Symbol::Kind::Turn counts loops.
unsigned loopNumber(const llvm::Loop &loop, llvm::LoopInfo &info);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFCODE_H
