//===- PartLoads.cpp - Loads from one of two rows -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If the loop does not become a vector after all, LLVM sinks the loads again.
//
//===----------------------------------------------------------------------===//

#include "PartLoads.h"

#include "../Group/InstanceLoops.h"
#include "../Own/FreeRounds.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#define DEBUG_TYPE "sluice-part-loads"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numParted, "Loads from one of two rows made two");

namespace sluice::codegen {

/// Whether data choose which of two rows `load` is from.
static bool isOfTwoRows(LoadInst &load, const Loop &loop,
                        ScalarEvolution &evolution,
                        const TargetTransformInfo &target) {
  auto *choice = dyn_cast<SelectInst>(load.getPointerOperand());
  if (!choice || !load.isSimple() || load.getType()->isVectorTy() ||
      loop.isLoopInvariant(choice->getCondition()) ||
      !choice->getCondition()->getType()->isIntegerTy() ||
      !target.isLegalMaskedLoad(load.getType(), load.getAlign(),
                                load.getPointerAddressSpace()))
    return false;
  auto isRow = [&](Value *place) {
    const auto *row = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(place));
    const auto *step =
        row && row->getLoop() == &loop && row->isAffine()
            ? dyn_cast<SCEVConstant>(row->getStepRecurrence(evolution))
            : nullptr;
    return step && step->getAPInt() ==
                       load.getDataLayout().getTypeStoreSize(load.getType());
  };
  return isRow(choice->getTrueValue()) && isRow(choice->getFalseValue());
}

static void part(LoadInst &load, DominatorTree &dominators, LoopInfo &loops) {
  auto &choice = *cast<SelectInst>(load.getPointerOperand());
  DomTreeUpdater updater(dominators, DomTreeUpdater::UpdateStrategy::Eager);
  Instruction *ends[2];
  SplitBlockAndInsertIfThenElse(choice.getCondition(), load.getIterator(),
                                &ends[0], &ends[1], /*BranchWeights=*/nullptr,
                                &updater, &loops);
  IRBuilder<> builder(&load);
  PHINode *phi = builder.CreatePHI(load.getType(), 2);
  for (unsigned way : {0, 1}) {
    Instruction *copy = load.clone();
    copy->setOperand(0, choice.getOperand(1 + way));
    copy->insertBefore(ends[way]->getIterator());
    phi->addIncoming(copy, copy->getParent());
  }
  phi->takeName(&load);
  load.replaceAllUsesWith(phi);
  load.eraseFromParent();
  if (choice.use_empty())
    choice.eraseFromParent();
}

PreservedAnalyses PartLoads::run(Function &function,
                                 FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  const auto &target = analyses.getResult<TargetIRAnalysis>(function);
  SmallVector<LoadInst *> found;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!isPlainOwnLoop(*loop) &&
        !(loop->isInnermost() && isInstanceLoop(loop->getLoopID())))
      continue;
    for (BasicBlock *block : loop->blocks())
      for (Instruction &instruction : *block)
        if (auto *load = dyn_cast<LoadInst>(&instruction);
            load && isOfTwoRows(*load, *loop, evolution, target))
          found.push_back(load);
  }
  for (LoadInst *load : found)
    part(*load, dominators, loops);
  numParted += found.size();
  return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
