//===- PlainTwins.cpp - Loops that LLVM may vectorise in vain -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlainTwins.h"

#include "../Group/InstanceLoops.h"
#include "PlainForm.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace sluice::codegen {

/// Instructions of a loop of which there is no second copy.
static constexpr unsigned mostInTwins = 300;
/// Elements apart up to which vectors are loaded whole and shuffled.
static constexpr uint64_t nearElements = 8;

/// Whether vectors would access a place of its own for each lane.
static bool liesApart(const Instruction &access, const Loop &loop,
                      ScalarEvolution &evolution) {
  const SCEV *address = evolution.getSCEV(
      const_cast<Value *>(getLoadStorePointerOperand(&access)));
  if (evolution.isLoopInvariant(address, &loop))
    return false;
  const auto *row = dyn_cast<SCEVAddRecExpr>(address);
  const auto *step =
      row && row->getLoop() == &loop && row->isAffine()
          ? dyn_cast<SCEVConstant>(row->getStepRecurrence(evolution))
          : nullptr;
  uint64_t size =
      access.getDataLayout().getTypeAllocSize(getLoadStoreType(&access));
  return !step || step->getAPInt().abs().ugt(nearElements * size);
}

static bool mayBecomeVector(const CallInst &call) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  return !VFDatabase::getMappings(call).empty() ||
         (intrinsic && (intrinsic->isAssumeLikeIntrinsic() ||
                        isTriviallyVectorizable(intrinsic->getIntrinsicID())));
}

/// A loop of a usual form that LLVM may vectorise, with lanes that lie apart.
static bool wantsTwin(const Loop &loop, ScalarEvolution &evolution) {
  if (!loop.isInnermost() || !isInstanceLoop(loop.getLoopID()) ||
      !loop.isAnnotatedParallel() || !loop.isLoopSimplifyForm() ||
      !loop.getExitBlock() || loop.getExitingBlock() != loop.getLoopLatch() ||
      !evolution.hasLoopInvariantBackedgeTakenCount(&loop) ||
      getBooleanLoopAttribute(&loop, "llvm.loop.vectorize.enable"))
    return false;
  unsigned size = 0;
  bool hasApart = false;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      if (++size > mostInTwins || instruction.getType()->isTokenTy() ||
          instruction.getType()->isVectorTy() || instruction.isAtomic())
        return false;
      if (const auto *call = dyn_cast<CallBase>(&instruction);
          call &&
          (!isa<CallInst>(call) || call->cannotDuplicate() ||
           call->isConvergent() || !mayBecomeVector(cast<CallInst>(*call))))
        return false;
      for (const User *user : instruction.users())
        if (!loop.contains(cast<Instruction>(user)))
          return false;
      hasApart |= getLoadStorePointerOperand(&instruction) &&
                  liesApart(instruction, loop, evolution);
    }
  return hasApart;
}

Loop *addCopy(Loop &loop, Value &condition, const Twine &name, LoopInfo &loops,
              DominatorTree &dominators) {
  BasicBlock *before = loop.getLoopPreheader(), *exit = loop.getExitBlock();
  BasicBlock *entry =
      SplitBlock(before, before->getTerminator(), &dominators, &loops);
  ValueToValueMapTy map;
  SmallVector<BasicBlock *, 8> copies;
  Loop *copy = cloneLoopWithPreheader(entry, before, &loop, map, name, &loops,
                                      &dominators, copies);
  remapInstructionsInBlocks(copies, map);
  Instruction *end = before->getTerminator();
  IRBuilder<> builder(end);
  builder.CreateCondBr(&condition, copy->getLoopPreheader(), entry);
  end->eraseFromParent();
  for (PHINode &phi : exit->phis())
    phi.addIncoming(phi.getIncomingValueForBlock(loop.getLoopLatch()),
                    copy->getLoopLatch());
  dominators.changeImmediateDominator(exit, before);
  return copy;
}

static void addTwin(Loop &loop, Value &isPlain, LoopInfo &loops,
                    DominatorTree &dominators) {
  Loop *twin = addCopy(loop, isPlain, ".plain", loops, dominators);
  LLVMContext &context = loop.getHeader()->getContext();
  MDNode *id = MDNode::getDistinct(
      context,
      {nullptr,
       MDNode::get(context,
                   {MDString::get(context, "llvm.loop.vectorize.enable"),
                    ConstantAsMetadata::get(ConstantInt::getFalse(context))})});
  id->replaceOperandWith(0, id);
  twin->setLoopID(id);
}

bool addPlainTwins(Function &function, FunctionAnalysisManager &analyses,
                   PlainForm &form) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  SmallVector<Loop *> found;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (wantsTwin(*loop, evolution))
      found.push_back(loop);
  Value *isPlain = found.empty() ? nullptr : form.isPlain();
  if (!isPlain)
    return false;
  for (Loop *loop : found)
    addTwin(*loop, *isPlain, loops, dominators);
  return true;
}

} // namespace sluice::codegen
