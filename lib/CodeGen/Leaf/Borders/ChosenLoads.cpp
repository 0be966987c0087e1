//===- ChosenLoads.cpp - Loads from one of two addresses ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   head:   v = load Q                        v = load Q
//           br c, then, merge                 w = load (Q + (c ? P - Q : 0))
//   then:   u = load P                 ->     br merge
//   merge:  w = phi [u, then], [v, head]
//
// where all rounds of the loop agree on c and on P - Q. Both addresses may be
// loaded from where they are chosen: Q was loaded before, and P is chosen only
// where it would be loaded. Nothing is written between, so w is still v where
// Q is chosen.
//
//===----------------------------------------------------------------------===//

#include "ChosenLoads.h"

#include "../Group/InstanceLoops.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#define DEBUG_TYPE "sluice-choose-loads"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numChosenLoads,
                         "Choices among loads made before the loop");

namespace sluice::codegen {

namespace {

class LoadChooser {
public:
  LoadChooser(Function &function, FunctionAnalysisManager &analyses)
      : loops(analyses.getResult<LoopAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)) {}

  /// Returns true if the function has changed; analyses are then outdated.
  bool changeNext();

private:
  /// A phi that can be replaced by a load.
  struct Choice {
    PHINode *phi;
    LoadInst *chosen;     ///< P's, where the condition holds
    LoadInst *other;      ///< Q's
    const SCEV *distance; ///< P - Q
  };

  LoopInfo &loops;
  DominatorTree &dominators;
  ScalarEvolution &evolution;

  bool changeBranch(Loop &loop, BranchInst &branch);
  bool isBeforeWrites(const Loop &loop, const BasicBlock &head) const;
  bool hasOnlyLoads(const BasicBlock &block,
                    const SmallPtrSetImpl<const Value *> &loads) const;
  std::optional<Choice> choiceOf(const Loop &loop, PHINode &phi,
                                 const BasicBlock &then,
                                 const BranchInst &branch);
  void load(const Choice &choice, Value *condition, bool whenTrue,
            BasicBlock &before, BranchInst &branch);
};

} // namespace

/// True if all rounds compute the same value, and it can be computed before the
/// loop.
static bool isFixed(const Loop &loop, const Value *value, unsigned depth = 0) {
  if (loop.isLoopInvariant(value))
    return true;
  const auto *instruction = cast<Instruction>(value);
  return depth < 6 && !isa<PHINode>(instruction) &&
         !instruction->mayReadFromMemory() &&
         isSafeToSpeculativelyExecute(instruction) &&
         all_of(instruction->operands(), [&](const Value *operand) {
           return isFixed(loop, operand, depth + 1);
         });
}

/// True if no round writes to memory before the end of `head`.
bool LoadChooser::isBeforeWrites(const Loop &loop,
                                 const BasicBlock &head) const {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (instruction.mayWriteToMemory() &&
          (block == &head || !dominators.dominates(&head, block)))
        return false;
  return true;
}

/// True if `block` contains only `loads` and the computation of their
/// addresses.
bool LoadChooser::hasOnlyLoads(
    const BasicBlock &block,
    const SmallPtrSetImpl<const Value *> &loads) const {
  return all_of(block, [&](const Instruction &instruction) {
    return instruction.isTerminator() || loads.contains(&instruction) ||
           (!isa<LoadInst>(instruction) &&
            isSafeToSpeculativelyExecute(&instruction) &&
            !instruction.isUsedOutsideOfBlock(&block));
  });
}

std::optional<LoadChooser::Choice>
LoadChooser::choiceOf(const Loop &loop, PHINode &phi, const BasicBlock &then,
                      const BranchInst &branch) {
  Choice choice{
      &phi, dyn_cast<LoadInst>(phi.getIncomingValueForBlock(&then)),
      dyn_cast<LoadInst>(phi.getIncomingValueForBlock(branch.getParent())),
      nullptr};
  if (!choice.chosen || !choice.other || !choice.chosen->isSimple() ||
      !choice.other->isSimple() || choice.chosen->getParent() != &then ||
      !loop.contains(choice.other) ||
      choice.chosen->getPointerAddressSpace() !=
          choice.other->getPointerAddressSpace())
    return std::nullopt;
  choice.distance = evolution.getMinusSCEV(
      evolution.getSCEV(choice.chosen->getPointerOperand()),
      evolution.getSCEV(choice.other->getPointerOperand()));
  Instruction *end = loop.getLoopPreheader()->getTerminator();
  if (isa<SCEVCouldNotCompute>(choice.distance) ||
      !evolution.isLoopInvariant(choice.distance, &loop) ||
      !SCEVExpander(evolution, "chosen").isSafeToExpandAt(choice.distance, end))
    return std::nullopt;
  return choice;
}

void LoadChooser::load(const Choice &choice, Value *condition, bool whenTrue,
                       BasicBlock &before, BranchInst &branch) {
  SCEVExpander expander(evolution, "chosen");
  Value *distance = expander.expandCodeFor(
      choice.distance, choice.distance->getType(), before.getTerminator());
  IRBuilder<> builder(before.getTerminator());
  Value *zero = ConstantInt::get(distance->getType(), 0);
  // An undefined value does not matter if the loop does not reach it.
  distance = builder.CreateFreeze(distance);
  condition = builder.CreateFreeze(condition);
  Value *offset = builder.CreateSelect(condition, whenTrue ? distance : zero,
                                       whenTrue ? zero : distance, "chosen");
  builder.SetInsertPoint(&branch);
  Value *address =
      builder.CreatePtrAdd(choice.other->getPointerOperand(), offset);
  LoadInst *load = builder.CreateAlignedLoad(
      choice.phi->getType(), address,
      std::min(choice.chosen->getAlign(), choice.other->getAlign()));
  load->setDebugLoc(choice.chosen->getDebugLoc());
  MDNode *group = choice.chosen->getMetadata(LLVMContext::MD_access_group);
  if (group == choice.other->getMetadata(LLVMContext::MD_access_group))
    load->setMetadata(LLVMContext::MD_access_group, group);
  load->setMetadata(LLVMContext::MD_tbaa,
                    MDNode::getMostGenericTBAA(
                        choice.chosen->getMetadata(LLVMContext::MD_tbaa),
                        choice.other->getMetadata(LLVMContext::MD_tbaa)));
  choice.phi->replaceAllUsesWith(load);
}

bool LoadChooser::changeBranch(Loop &loop, BranchInst &branch) {
  BasicBlock *head = branch.getParent();
  if (!isFixed(loop, branch.getCondition()) || !isBeforeWrites(loop, *head))
    return false;
  for (unsigned way : {0, 1}) {
    BasicBlock *then = branch.getSuccessor(way),
               *merge = branch.getSuccessor(1 - way);
    if (then == merge || then->getSinglePredecessor() != head ||
        then->getSingleSuccessor() != merge || !loop.contains(then) ||
        !loop.contains(merge) || merge == loop.getHeader() ||
        !merge->hasNPredecessors(2) || merge->phis().empty())
      continue;
    SmallVector<Choice> choices;
    SmallPtrSet<const Value *, 4> loads;
    for (PHINode &phi : merge->phis()) {
      std::optional<Choice> choice = choiceOf(loop, phi, *then, branch);
      if (!choice)
        return false;
      choices.push_back(*choice);
      loads.insert(choice->chosen);
    }
    if (!hasOnlyLoads(*then, loads))
      return false;
    bool hasMoved = false;
    if (!loop.makeLoopInvariant(branch.getCondition(), hasMoved,
                                loop.getLoopPreheader()->getTerminator()))
      return hasMoved;
    for (const Choice &choice : choices)
      load(choice, branch.getCondition(), /*whenTrue=*/way == 0,
           *loop.getLoopPreheader(), branch);
    for (const Choice &choice : choices)
      choice.phi->eraseFromParent();
    IRBuilder<>(&branch).CreateBr(merge);
    branch.eraseFromParent();
    DeleteDeadBlock(then);
    return true;
  }
  return false;
}

bool LoadChooser::changeNext() {
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!isInstanceLoop(loop->getLoopID()) || hasInstanceLoop(*loop) ||
        (!loop->getLoopPreheader() &&
         !InsertPreheaderForLoop(loop, &dominators, &loops,
                                 /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false)))
      continue;
    for (BasicBlock *block : loop->blocks())
      if (auto *branch = dyn_cast<BranchInst>(block->getTerminator());
          branch && branch->isConditional() && changeBranch(*loop, *branch))
        return true;
  }
  return false;
}

PreservedAnalyses ChooseLoads::run(Function &function,
                                   FunctionAnalysisManager &analyses) {
  bool hasLoops = false;
  for (const Loop *loop : analyses.getResult<LoopAnalysis>(function))
    hasLoops |= isInstanceLoop(loop->getLoopID()) || hasInstanceLoop(*loop);
  if (!hasLoops)
    return PreservedAnalyses::all();
  while (LoadChooser(function, analyses).changeNext()) {
    ++numChosenLoads;
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  // There may be new preheaders even if no load has changed.
  return PreservedAnalyses::none();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
