//===- ChooseStores.cpp - Turning conditional stores into selects ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for a block that only stores, after a block that loads the same address
// and branches. Addresses must be consecutive from instance to instance: only
// these become plain vectors.
//
//===----------------------------------------------------------------------===//

#include "ChooseStores.h"

#include "Group/InstanceLoops.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"

#define DEBUG_TYPE "sluice-choose-stores"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numChosenStores,
                         "Conditional stores that always store");

namespace sluice::codegen {

/// The number of instructions that may run unnecessarily.
static constexpr unsigned maxChoiceInstructions = 6;

/// The only store of a block that does little else.
static StoreInst *onlyStore(BasicBlock &block) {
  StoreInst *result = nullptr;
  unsigned size = 0;
  for (Instruction &instruction : drop_end(block)) {
    if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      if (result || !store->isSimple())
        return nullptr;
      result = store;
    } else if (++size > maxChoiceInstructions || isa<PHINode>(instruction) ||
               instruction.mayReadOrWriteMemory() ||
               !isSafeToSpeculativelyExecute(&instruction)) {
      return nullptr;
    }
  }
  return result;
}

/// The load of the value that `store` overwrites, at the end of `block`.
static LoadInst *loadBefore(const StoreInst &store, BasicBlock &block) {
  for (Instruction &instruction : reverse(block)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (load && load->isSimple() &&
        load->getPointerOperand() == store.getPointerOperand() &&
        load->getType() == store.getValueOperand()->getType())
      return load;
    if (instruction.mayWriteToMemory())
      return nullptr;
  }
  return nullptr;
}

static bool movesEvenly(StoreInst &store, const Loop &loop,
                        ScalarEvolution &evolution) {
  const auto *place =
      dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(store.getPointerOperand()));
  return place && place->getLoop() == &loop && place->isAffine();
}

static bool change(BasicBlock &block, const Loop &loop,
                   const TargetTransformInfo &target,
                   ScalarEvolution &evolution) {
  BasicBlock *before = block.getSinglePredecessor();
  BasicBlock *after = block.getSingleSuccessor();
  auto *choice =
      before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  if (!after || !choice || !choice->isConditional() ||
      choice->getSuccessor(0) == choice->getSuccessor(1) ||
      !is_contained(successors(before), after))
    return false;
  StoreInst *store = onlyStore(block);
  LoadInst *load = store ? loadBefore(*store, *before) : nullptr;
  if (!load || !movesEvenly(*store, loop, evolution) ||
      target.isLegalMaskedStore(load->getType(), store->getAlign(),
                                store->getPointerAddressSpace()))
    return false;
  ++numChosenStores;
  before->splice(choice->getIterator(), &block, block.begin(),
                 block.getTerminator()->getIterator());
  IRBuilder<> builder(store);
  bool isTaken = choice->getSuccessor(0) == &block;
  Value *value = store->getValueOperand();
  store->setOperand(0, builder.CreateSelect(choice->getCondition(),
                                            isTaken ? value : load,
                                            isTaken ? load : value));
  return true;
}

PreservedAnalyses ChooseStores::run(Function &function,
                                    FunctionAnalysisManager &analyses) {
  const auto &target = analyses.getResult<TargetIRAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool hasChanged = false;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function))
    for (Loop *inner : loop->getLoopsInPreorder())
      if (inner->isInnermost() && isInstanceLoop(inner->getLoopID()) &&
          inner->isAnnotatedParallel())
        for (BasicBlock *block : inner->blocks())
          hasChanged |= change(*block, *inner, target, evolution);
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
