//===- LiftLoads.cpp - Hoisting loads that a row shares -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop may have a single instance, which may write what it has read. So a
// load must come before all writes of its instance.
//
//===----------------------------------------------------------------------===//

#include "LiftLoads.h"

#include "Borders/MaskedGaps.h"
#include "Group/InstanceLoops.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#define DEBUG_TYPE "sluice-lift-loads"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numLiftedFrom, "Loops before which loads were moved");

namespace sluice::codegen {

/// Adds loads of one address at the start of an instance, in `block`. Returns
/// false if there may be no more after `block`.
static bool addLoads(BasicBlock &block, const Loop &loop,
                     SmallVectorImpl<LoadInst *> &loads) {
  for (Instruction &instruction : block) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (load && load->isSimple() &&
        load->getMetadata(LLVMContext::MD_access_group) &&
        loop.isLoopInvariant(load->getPointerOperand()))
      loads.push_back(load);
    if (instruction.mayWriteToMemory() ||
        !isGuaranteedToTransferExecutionToSuccessor(&instruction))
      return false;
  }
  return true;
}

static void lift(LoadInst &load, Instruction &place,
                 ScalarEvolution &evolution) {
  evolution.forgetValue(&load);
  load.dropUnknownNonDebugMetadata();
  load.moveBefore(place.getIterator());
}

/// Handles loads in all rounds except one that does nothing (MaskedGaps.h).
/// Some round executes them if there are at least two rounds, or if the first
/// one does.
static bool liftBesideGap(const Loop &loop, ArrayRef<LoadInst *> loads,
                          LoopInfo &loops, DomTreeUpdater &updater,
                          ScalarEvolution &evolution) {
  auto *choice = cast<BranchInst>(loop.getHeader()->getTerminator());
  auto *test = cast<ICmpInst>(choice->getCondition());
  Instruction *end = loop.getLoopPreheader()->getTerminator();
  const SCEV *lastRound = evolution.getBackedgeTakenCount(&loop);
  const SCEV *left = evolution.getSCEV(test->getOperand(0));
  const SCEV *right = evolution.getSCEV(test->getOperand(1));
  if (!isa<SCEVAddRecExpr>(left))
    std::swap(left, right);
  const SCEV *first = cast<SCEVAddRecExpr>(left)->getStart();
  SCEVExpander expander(evolution, "beside");
  if (loads.empty() || isa<SCEVCouldNotCompute>(lastRound) ||
      !all_of(ArrayRef{lastRound, first, right}, [&](const SCEV *value) {
        return expander.isSafeToExpandAt(value, end);
      }))
    return false;
  auto expand = [&](const SCEV *value) {
    return expander.expandCodeFor(value, value->getType(), end);
  };
  Value *rounds = expand(lastRound), *start = expand(first);
  Value *fixed = expand(right);
  IRBuilder<> builder(end);
  Value *isNeeded = builder.CreateOr(
      builder.CreateIsNotNull(builder.CreateFreeze(rounds)),
      builder.CreateFreeze(builder.CreateICmpNE(start, fixed)));
  Instruction *inside =
      SplitBlockAndInsertIfThen(isNeeded, end->getIterator(), false,
                                /*BranchWeights=*/nullptr, &updater, &loops);
  for (LoadInst *load : loads) {
    lift(*load, *inside, evolution);
    PHINode *phi = PHINode::Create(load->getType(), 2, load->getName(),
                                   end->getParent()->begin());
    load->replaceUsesOutsideBlock(phi, load->getParent());
    phi->addIncoming(load, load->getParent());
    phi->addIncoming(PoisonValue::get(load->getType()),
                     load->getParent()->getSinglePredecessor());
  }
  return true;
}

/// Returns whether blocks have changed, or none if nothing has changed.
static std::optional<bool> liftFrom(Loop &loop, LoopInfo &loops,
                                    DomTreeUpdater &updater,
                                    ScalarEvolution &evolution) {
  BasicBlock *before = loop.getLoopPreheader();
  SmallVector<LoadInst *> loads, others;
  bool goesOn = addLoads(*loop.getHeader(), loop, loads);
  for (LoadInst *load : loads)
    lift(*load, *before->getTerminator(), evolution);
  if (BasicBlock *beside = goesOn ? blockBesideGap(loop, evolution) : nullptr) {
    addLoads(*beside, loop, others);
    if (liftBesideGap(loop, others, loops, updater, evolution))
      return true;
  }
  return loads.empty() ? std::nullopt : std::optional(false);
}

static bool isCandidate(const Loop &loop) {
  return loop.getLoopPreheader() && loop.isInnermost() &&
         isInstanceLoop(loop.getLoopID()) && loop.isAnnotatedParallel();
}

PreservedAnalyses LiftLoads::run(Function &function,
                                 FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  DomTreeUpdater updater(analyses.getResult<DominatorTreeAnalysis>(function),
                         DomTreeUpdater::UpdateStrategy::Eager);
  bool hasChanged = false, hasNewBlocks = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (isCandidate(*loop))
      if (std::optional<bool> changed =
              liftFrom(*loop, loops, updater, evolution)) {
        hasChanged = true;
        hasNewBlocks |= *changed;
        ++numLiftedFrom;
      }
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  if (!hasNewBlocks)
    preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
