//===- MaskRemainders.cpp - Rows that are no multiple of vectors ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   for (i = 0; i < n; ++i) ...   ->   whole = n - n % w
//                                      for (i = 0; i < whole; ++i) ...
//                                      last = (n - 1) % w
//                                      if (whole < n)
//                                        for (r = 0; r <= last; ++r) ...
//
// where w is some vectors, the more the shorter the loop. The second loop
// counts with a narrow number from 0 and refers all others to it, so that LLVM
// knows how few rounds it has, and compares few bits for a mask.
//
//===----------------------------------------------------------------------===//

#include "MaskRemainders.h"

#include "Borders/BorderLoop.h"
#include "Group/InstanceLoops.h"
#include "Lanes/LoopRounds.h"
#include "PlainLoops.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#define DEBUG_TYPE "sluice-mask-remainders"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numMasked,
                         "Loops whose last instances run under a mask");

namespace sluice::codegen {

/// Instructions that are worth being there twice, and of all loops of a
/// function.
static constexpr unsigned mostMasked = 80, mostNew = 600;
/// Operations of loops that do four vectors a round, and two.
static constexpr unsigned shortLoop = 10, usualLoop = 40;
/// Shorter vectors have short remainders.
static constexpr unsigned shortestVector = 4;

namespace {

/// Looks at one loop, and cuts it.
class RemainderMasker {
public:
  RemainderMasker(Loop &loop, ScalarEvolution &evolution,
                  const TargetTransformInfo &target)
      : loop(loop), evolution(evolution), target(target) {}

  /// Whether it has plain operations only, and is not too long.
  bool find();
  /// Returns the header of the second loop, or null.
  BasicBlock *cut();
  unsigned size() const { return numInstructions; }

private:
  Loop &loop;
  ScalarEvolution &evolution;
  const TargetTransformInfo &target;
  unsigned numInstructions = 0, widestAccess = 0, widestNumber = 0;
  unsigned vector = 0, atOnce = 1; ///< instances of a vector; vectors a round

  void measure(const Instruction &instruction);
  bool hasLoneRemainder() const;
  void countAnew(const LoopBody &rest, Value *rounds);
};

} // namespace

/// Elements that follow each other from round to round decide how many of them
/// a vector has, and what is made of them how many registers it takes.
void RemainderMasker::measure(const Instruction &instruction) {
  if (isa<CastInst>(instruction) && isa<LoadInst>(instruction.getOperand(0)))
    widestNumber =
        std::max(widestNumber, instruction.getType()->getScalarSizeInBits());
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  if (pointer && !evolution.isLoopInvariant(
                     evolution.getSCEV(const_cast<Value *>(pointer)), &loop))
    widestAccess = std::max(
        widestAccess, getLoadStoreType(&instruction)->getScalarSizeInBits());
}

/// Whether rows may be longer than whole vectors: not if that is known.
bool RemainderMasker::hasLoneRemainder() const {
  unsigned rounds = evolution.getSmallConstantTripCount(&loop);
  unsigned multiple = evolution.getSmallConstantTripMultiple(&loop);
  return (rounds == 0 || rounds > vector) && multiple % vector != 0;
}

bool RemainderMasker::find() {
  unsigned numOperations = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      if (isa<DbgInfoIntrinsic>(instruction))
        continue;
      if (++numInstructions > mostMasked ||
          !isPlainInVectors(instruction, loop, {loop.getHeader()}, evolution))
        return false;
      measure(instruction);
      numOperations +=
          !isa<PHINode, GetElementPtrInst, BranchInst>(instruction);
    }
  if (widestAccess == 0)
    return false;
  unsigned width =
      target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
          .getFixedValue();
  vector = width / widestAccess;
  // A vector of loaded bytes may be four of numbers.
  numOperations *= std::max(widestNumber / widestAccess, 1u);
  atOnce = numOperations <= shortLoop ? 4 : numOperations <= usualLoop ? 2 : 1;
  return vector >= shortestVector && hasLoneRemainder();
}

/// Has `rest` count from 0 up to what remains of `rounds`.
void RemainderMasker::countAnew(const LoopBody &rest, Value *rounds) {
  BasicBlock *begin = nullptr;
  for (BasicBlock *block : predecessors(rest.header))
    if (block != rest.latch)
      begin = block;
  IRBuilder<> builder(begin->getTerminator());
  Type *narrow =
      widestAccess <= 16 ? builder.getInt16Ty() : builder.getInt32Ty();
  Value *last = builder.CreateAnd(
      builder.CreateTrunc(builder.CreateSub(rounds, builder.getInt64(1)),
                          narrow),
      ConstantInt::get(narrow, vector * atOnce - 1), "last");
  SmallVector<PHINode *> old;
  for (PHINode &phi : rest.header->phis())
    old.push_back(&phi);
  builder.SetInsertPoint(rest.header, rest.header->begin());
  PHINode *round = builder.CreatePHI(narrow, 2, "round");
  builder.SetInsertPoint(rest.header, rest.header->getFirstInsertionPt());
  for (PHINode *phi : old) {
    Type *type = phi->getType();
    Value *start = phi->getIncomingValueForBlock(begin);
    phi->replaceAllUsesWith(
        builder.CreateAdd(start, builder.CreateZExtOrTrunc(round, type)));
    phi->eraseFromParent();
  }
  auto *back = cast<BranchInst>(rest.latch->getTerminator());
  builder.SetInsertPoint(back);
  round->addIncoming(ConstantInt::get(narrow, 0), begin);
  round->addIncoming(builder.CreateAdd(round, ConstantInt::get(narrow, 1), "",
                                       /*HasNUW=*/true, /*HasNSW=*/true),
                     rest.latch);
  auto *test = cast<Instruction>(back->getCondition());
  back->setCondition(builder.CreateICmpEQ(round, last));
  test->eraseFromParent();
}

/// Asks LLVM for vectors of so many rounds, so many of them at once.
static void askForVectors(BranchInst &latch, unsigned vector, unsigned atOnce,
                          bool isMasked) {
  LLVMContext &context = latch.getContext();
  Type *i32 = Type::getInt32Ty(context);
  auto property = [&](StringRef name, Constant *value) {
    return MDNode::get(context, {MDString::get(context, name),
                                 ConstantAsMetadata::get(value)});
  };
  SmallVector<MDNode *> added{
      property("llvm.loop.vectorize.width", ConstantInt::get(i32, vector)),
      property("llvm.loop.interleave.count", ConstantInt::get(i32, atOnce))};
  if (isMasked)
    added.push_back(property("llvm.loop.vectorize.predicate.enable",
                             ConstantInt::getTrue(context)));
  latch.setMetadata(
      LLVMContext::MD_loop,
      makePostTransformationMetadata(
          context, latch.getMetadata(LLVMContext::MD_loop), {}, added));
}

BasicBlock *RemainderMasker::cut() {
  std::optional<BorderLoop> border = describeBorderLoop(loop, evolution);
  if (!border || !border->exit->phis().empty() ||
      any_of(border->steps,
             [](std::optional<int64_t> step) { return step != 1; }))
    return nullptr;
  Instruction *end = border->before->getTerminator();
  if (!knowsLastRound(loop, evolution))
    return nullptr;
  Value *lastRound = emitLastRound(loop, evolution);
  IRBuilder<> builder(end);
  Value *rounds =
      builder.CreateAdd(builder.CreateZExt(lastRound, builder.getInt64Ty()),
                        builder.getInt64(1), "rounds", /*HasNUW=*/true);
  Value *whole = builder.CreateAnd(
      rounds, builder.getInt64(-int64_t(vector * atOnce)), "whole");
  LoopBody main = bodyOf(*border), rest = copyLoop(*border);
  joinPieces(*border,
             {{main, builder.getInt64(0), whole}, {rest, whole, rounds}},
             evolution, "remainder");
  countAnew(rest, rounds);
  askForVectors(*cast<BranchInst>(main.latch->getTerminator()), vector, atOnce,
                /*isMasked=*/false);
  askForVectors(*cast<BranchInst>(rest.latch->getTerminator()), vector, 1,
                /*isMasked=*/true);
  return rest.header;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool cutNext(Function &function, FunctionAnalysisManager &analyses,
                    SmallPtrSetImpl<BasicBlock *> &seen, unsigned &budget) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
  const auto &target = analyses.getResult<TargetIRAnalysis>(function);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !isInstanceLoop(loop->getLoopID()) ||
        !loop->isAnnotatedParallel() || !seen.insert(loop->getHeader()).second)
      continue;
    RemainderMasker masker(*loop, evolution, target);
    if (!masker.find() || masker.size() > budget)
      continue;
    simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions,
                 /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
    formLCSSARecursively(*loop, dominators, &loops, &evolution);
    BasicBlock *rest = masker.cut();
    if (!rest)
      continue;
    seen.insert(rest);
    budget -= masker.size();
    ++numMasked;
    return true;
  }
  return false;
}

PreservedAnalyses MaskRemainders::run(Function &function,
                                      FunctionAnalysisManager &analyses) {
  const auto &target = analyses.getResult<TargetIRAnalysis>(function);
  if (!masksAnyElement(target, function.getContext()))
    return PreservedAnalyses::all();
  SmallPtrSet<BasicBlock *, 8> seen;
  unsigned budget = mostNew;
  while (cutNext(function, analyses, seen, budget))
    analyses.invalidate(function, PreservedAnalyses::none());
  return seen.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
