//===- Extremes.cpp - Greatest and smallest numbers -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   most = x > most ? x : most     ->     y = x > -inf ? x : -inf
//                                         most = y > most ? y : most, where
//                                         zeros and NaN do not matter
//
// Neither y nor `most` is ever NaN, unless `most` begins as NaN. So the order
// decides only about the sign of a zero. Where no value is -0, the loop begins
// with -inf, and what `most` began with takes part once, after it. Elsewhere
// the program tests the result, and runs the loop again in order if it must.
//
//===----------------------------------------------------------------------===//

#include "Extremes.h"

#include "../Pipeline/LeafRemarks.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownFPClass.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#define DEBUG_TYPE "sluice-reorder-extremes"

using namespace llvm;
using namespace llvm::PatternMatch;

ALWAYS_ENABLED_STATISTIC(numReordered,
                         "Loops that look for extremes in any order");

namespace sluice::codegen {

/// The maximum size of code that may be duplicated.
static constexpr unsigned mostInstructions = 200;

namespace {

/// A number that rounds replace by greater, or by smaller ones.
struct Extreme {
  PHINode *phi;
  SelectInst *next;
  FCmpInst *test;
  Value *value;              ///< what a round compares it with
  Value *condition;          ///< if that happens only sometimes
  FCmpInst::Predicate order; ///< of the value and the number, if it wins
  bool isMost;

  Value *least() const {
    return ConstantFP::getInfinity(phi->getType(), /*Negative=*/isMost);
  }
  Value *start(const Loop &loop) const {
    return phi->getIncomingValueForBlock(loop.getLoopPreheader());
  }
};

/// Examines one innermost loop, and changes it.
class ExtremeFinder {
public:
  ExtremeFinder(Loop &loop, ScalarEvolution &evolution)
      : loop(loop), evolution(evolution),
        builder(loop.getHeader()->getContext()) {}

  bool find();
  void reorder();

private:
  Loop &loop;
  ScalarEvolution &evolution;
  IRBuilder<> builder;
  SmallVector<Extreme, 2> extremes;
  bool runsAgain = false, startsLater = false;

  std::optional<Extreme> extremeOf(PHINode &phi) const;
  bool isOrderFree(PHINode &phi);
  bool mayRunTwice() const;
  Value *isOrderNeeded();
  void addLoopInOrder();
  void startLater(const Extreme &extreme);
  void allowAnyOrder(const Extreme &extreme);
};

} // namespace

/// `most = condition && value > most ? value : most`, or a form of it, if
/// nothing else depends on who wins. A value that is NaN must not win.
std::optional<Extreme> ExtremeFinder::extremeOf(PHINode &phi) const {
  auto *next =
      dyn_cast<SelectInst>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!next || !loop.contains(next) ||
      !(phi.getType()->isFloatTy() || phi.getType()->isDoubleTy()) ||
      (next->getTrueValue() == &phi) == (next->getFalseValue() == &phi))
    return std::nullopt;
  bool isReplaced = next->getFalseValue() == &phi;
  Value *value = isReplaced ? next->getTrueValue() : next->getFalseValue();
  auto *test = dyn_cast<FCmpInst>(next->getCondition());
  Value *condition = nullptr, *first, *second;
  if (!test && isReplaced && next->getCondition()->hasOneUse() &&
      match(next->getCondition(),
            m_LogicalAnd(m_Value(first), m_Value(second)))) {
    auto isTest = [&](Value *half) {
      auto *own = dyn_cast<FCmpInst>(half);
      return own && is_contained(own->operands(), &phi);
    };
    test = dyn_cast<FCmpInst>(isTest(first) ? first : second);
    condition = isTest(first) ? second : first;
  }
  if (!test || !test->hasOneUse() || !loop.contains(test) ||
      (test->hasNoNaNs() && test->hasNoSignedZeros()))
    return std::nullopt;
  FCmpInst::Predicate order = test->getPredicate();
  if (test->getOperand(0) == &phi && test->getOperand(1) == value)
    order = FCmpInst::getSwappedPredicate(order);
  else if (test->getOperand(0) != value || test->getOperand(1) != &phi)
    return std::nullopt;
  if (!isReplaced)
    order = FCmpInst::getInversePredicate(order);
  bool isMost = order == FCmpInst::FCMP_OGT || order == FCmpInst::FCMP_OGE;
  if (!isMost && order != FCmpInst::FCMP_OLT && order != FCmpInst::FCMP_OLE)
    return std::nullopt;
  auto isOther = [&](const User *user) { return user != test && user != next; };
  auto isInside = [&](const User *user) {
    return user != &phi && loop.contains(cast<Instruction>(user));
  };
  if (any_of(phi.users(), isOther) || any_of(next->users(), isInside))
    return std::nullopt;
  return Extreme{&phi, next, test, value, condition, order, isMost};
}

/// Other values that rounds hand on: only those that LLVM can compute in any
/// order anyway.
bool ExtremeFinder::isOrderFree(PHINode &phi) {
  InductionDescriptor induction;
  if (InductionDescriptor::isInductionPHI(&phi, &loop, &evolution, induction))
    return true;
  RecurrenceDescriptor recurrence;
  return RecurrenceDescriptor::isReductionPHI(&phi, &loop, recurrence, nullptr,
                                              nullptr, nullptr, &evolution) &&
         !recurrence.hasExactFPMath();
}

/// Whether the loop does nothing but look, and is small.
bool ExtremeFinder::mayRunTwice() const {
  unsigned size = 0;
  for (const BasicBlock *own : loop.blocks())
    for (const Instruction &instruction : *own) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      const auto *load = dyn_cast<LoadInst>(&instruction);
      // Those say something about memory, and do nothing.
      const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
      if (intrinsic && intrinsic->isAssumeLikeIntrinsic())
        continue;
      if (++size > mostInstructions || instruction.getType()->isTokenTy() ||
          instruction.mayHaveSideEffects() || (load && !load->isSimple()) ||
          (call && (call->cannotDuplicate() || call->isConvergent())))
        return false;
    }
  return true;
}

bool ExtremeFinder::find() {
  if (!loop.isLoopSimplifyForm() || !loop.getExitBlock() ||
      loop.getExitingBlock() != loop.getLoopLatch() ||
      isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(&loop)))
    return false;
  for (PHINode &phi : loop.getHeader()->phis())
    if (std::optional<Extreme> extreme = extremeOf(phi))
      extremes.push_back(*extreme);
    else if (!isOrderFree(phi))
      return false;
  const DataLayout &layout = loop.getHeader()->getModule()->getDataLayout();
  auto isNever = [&](const Value *value, FPClassTest kinds) {
    return computeKnownFPClass(value, kinds, SimplifyQuery(layout))
        .isKnownNever(kinds);
  };
  runsAgain = any_of(extremes, [&](const Extreme &extreme) {
    return !isNever(extreme.value, fcNegZero);
  });
  startsLater = any_of(extremes, [&](const Extreme &extreme) {
    return !isNever(extreme.start(loop), fcNegZero | fcNan);
  });
  return !extremes.empty() && (!runsAgain || mayRunTwice());
}

//===----------------------------------------------------------------------===//
// The new loop
//===----------------------------------------------------------------------===//

/// Whether a result may depend on the order. One that began as NaN tells
/// nothing.
Value *ExtremeFinder::isOrderNeeded() {
  Value *result = builder.getFalse();
  for (const Extreme &extreme : extremes) {
    Value *start = extreme.start(loop);
    result =
        builder.CreateLogicalOr(result, builder.CreateFCmpUNO(start, start));
  }
  for (const Extreme &extreme : extremes)
    result = builder.CreateLogicalOr(
        result, builder.CreateFCmpOEQ(
                    extreme.next, ConstantFP::getZero(extreme.phi->getType())));
  return result;
}

//   (loop):   in any order
//   looked:   if a result depends on the order
//     again:    the loop as it was
//   exit
void ExtremeFinder::addLoopInOrder() {
  BasicBlock *latch = loop.getLoopLatch(), *exit = loop.getExitBlock(),
             *before = loop.getLoopPreheader();
  Function *function = latch->getParent();
  LLVMContext &context = function->getContext();
  ValueToValueMapTy map;
  SmallVector<BasicBlock *> copies;
  for (BasicBlock *own : loop.blocks()) {
    BasicBlock *copy = CloneBasicBlock(own, map, ".ordered", function);
    copy->moveBefore(exit);
    map[own] = copy;
    copies.push_back(copy);
  }
  auto *looked = BasicBlock::Create(context, "looked", function, copies[0]);
  auto *again = BasicBlock::Create(context, "again", function, copies[0]);
  map[before] = again;
  remapInstructionsInBlocks(copies, map);
  auto *lastCopy = cast<BasicBlock>(map[latch]);
  Instruction *back = lastCopy->getTerminator();
  MDNode *never = MDNode::get(
      context, {MDString::get(context, "llvm.loop.vectorize.enable"),
                ConstantAsMetadata::get(ConstantInt::getFalse(context))});
  back->setMetadata(
      LLVMContext::MD_loop,
      makePostTransformationMetadata(
          context, back->getMetadata(LLVMContext::MD_loop), {}, {never}));

  latch->getTerminator()->replaceSuccessorWith(exit, looked);
  builder.SetInsertPoint(looked);
  builder.SetCurrentDebugLocation(latch->getTerminator()->getDebugLoc());
  builder.CreateCondBr(isOrderNeeded(), again, exit);
  builder.SetInsertPoint(again);
  builder.CreateBr(cast<BasicBlock>(map[loop.getHeader()]));
  for (PHINode &phi : exit->phis()) {
    Value *own = phi.getIncomingValueForBlock(latch);
    phi.replaceIncomingBlockWith(latch, looked);
    Value *copy = map.lookup(own);
    phi.addIncoming(copy ? copy : own, lastCopy);
  }
}

/// Compares what the number began with with the result of all rounds.
void ExtremeFinder::startLater(const Extreme &extreme) {
  BasicBlock *exit = loop.getExitBlock();
  Value *start = extreme.start(loop);
  builder.SetInsertPoint(exit, exit->getFirstInsertionPt());
  builder.SetCurrentDebugLocation(extreme.next->getDebugLoc());
  for (PHINode &phi : exit->phis()) {
    if (phi.getIncomingValueForBlock(loop.getLoopLatch()) != extreme.next)
      continue;
    Value *isBetter = builder.CreateFCmp(extreme.order, &phi, start);
    auto *result =
        cast<Instruction>(builder.CreateSelect(isBetter, &phi, start));
    phi.replaceUsesWithIf(result, [&](const Use &use) {
      return use.getUser() != isBetter && use.getUser() != result;
    });
  }
  extreme.phi->setIncomingValueForBlock(loop.getLoopPreheader(),
                                        extreme.least());
}

void ExtremeFinder::allowAnyOrder(const Extreme &extreme) {
  Value *least = extreme.least();
  auto order = extreme.isMost ? FCmpInst::FCMP_OGT : FCmpInst::FCMP_OLT;
  builder.SetInsertPoint(extreme.next);
  Value *value = extreme.value;
  if (extreme.condition)
    value = builder.CreateSelect(builder.CreateFreeze(extreme.condition), value,
                                 least);
  value = builder.CreateSelect(builder.CreateFCmp(order, value, least), value,
                               least);
  FastMathFlags any;
  any.setNoNaNs();
  any.setNoSignedZeros();
  builder.setFastMathFlags(any);
  Value *test = builder.CreateFCmp(order, value, extreme.phi);
  Value *next = builder.CreateSelect(test, value, extreme.phi);
  builder.clearFastMathFlags();
  next->takeName(extreme.next);
  extreme.next->replaceAllUsesWith(next);
  RecursivelyDeleteTriviallyDeadInstructions(extreme.next);
}

void ExtremeFinder::reorder() {
  if (runsAgain)
    addLoopInOrder();
  else if (startsLater)
    for (const Extreme &extreme : extremes)
      startLater(extreme);
  for (const Extreme &extreme : extremes)
    allowAnyOrder(extreme);
}

bool looksInAnyOrder(Loop &loop, ScalarEvolution &evolution) {
  return ExtremeFinder(loop, evolution).find();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool reorderNext(Function &function, FunctionAnalysisManager &analyses,
                        SmallPtrSetImpl<BasicBlock *> &seen) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !seen.insert(loop->getHeader()).second ||
        findOptionMDForLoop(loop, "llvm.loop.vectorize.enable") ||
        !ExtremeFinder(*loop, evolution).find())
      continue;
    formLCSSARecursively(*loop, dominators, &loops, &evolution);
    ExtremeFinder finder(*loop, evolution);
    if (!finder.find())
      continue;
    remark(RemarkKind::Done, analyses, DEBUG_TYPE, *loop,
           "the greatest and smallest numbers are looked for in any order");
    ++numReordered;
    finder.reorder();
    return true;
  }
  return false;
}

PreservedAnalyses ReorderExtremes::run(Function &function,
                                       FunctionAnalysisManager &analyses) {
  SmallPtrSet<BasicBlock *, 8> seen;
  bool changed = false;
  while (reorderNext(function, analyses, seen)) {
    analyses.invalidate(function, PreservedAnalyses::none());
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
