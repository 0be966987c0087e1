//===- MaskedGaps.cpp - One instance of a row that does nothing -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskedGaps.h"

#include "../Lanes/LoopRounds.h"
#include "../PlainLoops.h"
#include "BorderLoop.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace sluice::codegen {

/// Whether `test` compares what moves by one a round with something fixed.
static bool isOneRound(const ICmpInst &test, const Loop &loop,
                       ScalarEvolution &evolution) {
  if (!test.isEquality() || !test.getOperand(0)->getType()->isIntegerTy())
    return false;
  const SCEV *left = evolution.getSCEV(test.getOperand(0));
  const SCEV *right = evolution.getSCEV(test.getOperand(1));
  if (!isa<SCEVAddRecExpr>(left))
    std::swap(left, right);
  const auto *moving = dyn_cast<SCEVAddRecExpr>(left);
  return moving && moving->getLoop() == &loop && moving->isAffine() &&
         moving->getStepRecurrence(evolution)->isOne() &&
         evolution.isLoopInvariant(right, &loop);
}

BasicBlock *blockBesideGap(const Loop &loop, ScalarEvolution &evolution,
                           const ICmpInst *test) {
  auto *choice = dyn_cast<BranchInst>(loop.getHeader()->getTerminator());
  BasicBlock *latch = loop.getLoopLatch();
  if (!latch || latch == loop.getHeader() || !choice ||
      !choice->isConditional())
    return nullptr;
  const auto *own = dyn_cast<ICmpInst>(choice->getCondition());
  if (!own || (test && own != test) || !own->hasOneUse() ||
      !isOneRound(*own, loop, evolution))
    return nullptr;
  bool skipsEqual = own->getPredicate() == ICmpInst::ICMP_EQ;
  BasicBlock *gap = choice->getSuccessor(skipsEqual ? 0 : 1);
  BasicBlock *other = choice->getSuccessor(skipsEqual ? 1 : 0);
  return gap == latch && other != latch && loop.contains(other) &&
                 other->getSinglePredecessor()
             ? other
             : nullptr;
}

bool masksGap(const Loop &loop, const ICmpInst &test,
              ScalarEvolution &evolution, const TargetTransformInfo &target) {
  if (!loop.isInnermost() || !loop.isAnnotatedParallel() ||
      !masksAnyElement(target, loop.getHeader()->getContext()))
    return false;
  const BasicBlock *beside = blockBesideGap(loop, evolution, &test);
  return beside && all_of(loop.blocks(), [&](const BasicBlock *block) {
           return all_of(*block, [&](const Instruction &instruction) {
             return isPlainInVectors(instruction, loop,
                                     {loop.getHeader(), beside}, evolution);
           });
         });
}

BasicBlock *narrowGap(const BorderLoop &border, ScalarEvolution &evolution,
                      const TargetTransformInfo &target) {
  Loop &loop = *border.loop;
  BasicBlock *header = loop.getHeader();
  auto *choice = dyn_cast<BranchInst>(header->getTerminator());
  auto *test = choice && choice->isConditional()
                   ? dyn_cast<ICmpInst>(choice->getCondition())
                   : nullptr;
  if (!test || !test->getOperand(0)->getType()->isIntegerTy(64) ||
      !masksGap(loop, *test, evolution, target))
    return nullptr;
  const SCEV *moving = evolution.getSCEV(test->getOperand(0));
  const SCEV *fixed = evolution.getSCEV(test->getOperand(1));
  if (!isa<SCEVAddRecExpr>(moving))
    std::swap(moving, fixed);
  const SCEV *away =
      evolution.getMinusSCEV(fixed, cast<SCEVAddRecExpr>(moving)->getStart());
  Instruction *end = border.before->getTerminator();
  SCEVExpander expander(evolution, "gap");
  if (!expander.isSafeToExpandAt(away, end))
    return nullptr;
  Value *distance = expander.expandCodeFor(away, away->getType(), end);
  Value *last = emitLastRound(loop, evolution);
  IRBuilder<> builder(end);
  Value *rounds =
      builder.CreateAdd(builder.CreateZExt(last, builder.getInt64Ty()),
                        builder.getInt64(1), "rounds");
  Value *most = builder.getInt64(int64_t(1) << 31);
  distance = builder.CreateFreeze(distance);
  Value *gap =
      builder.CreateSelect(builder.CreateICmpULT(distance, most),
                           builder.CreateTrunc(distance, builder.getInt32Ty()),
                           builder.getInt32(UINT32_MAX), "gap");
  Value *few = builder.CreateBinaryIntrinsic(Intrinsic::umin, rounds, most);
  LoopBody main = bodyOf(border), rest = copyLoop(border);
  joinPieces(
      border,
      {{main, builder.getInt64(0), few}, {rest, few, rounds, /*isShort=*/true}},
      evolution, "beside");

  builder.SetInsertPoint(header, header->begin());
  PHINode *round = builder.CreatePHI(builder.getInt32Ty(), 2, "round");
  builder.SetInsertPoint(test);
  Value *narrow = builder.CreateICmp(test->getPredicate(), round, gap);
  test->replaceAllUsesWith(narrow);
  test->eraseFromParent();
  builder.SetInsertPoint(main.latch->getTerminator());
  Value *next = builder.CreateAdd(round, builder.getInt32(1), "",
                                  /*HasNUW=*/true);
  for (BasicBlock *from : predecessors(header))
    round->addIncoming(from == main.latch ? next : builder.getInt32(0), from);
  return rest.header;
}

} // namespace sluice::codegen
