//===- BlockLoops.cpp - Loops over blocks of adjacent instances -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   blocks:  while instances are left, with `place` the first one's in its
//   block
//     if place is 0 and a whole block is left:
//       whole:  for all whole blocks, for t = 0 to size: the instance
//     else:
//       part:   for the rest of this block: the instance
//
// Only the first and the last block may be incomplete, so that nearly all
// instances run in loops whose length is a constant, or known before them. In
// the latter case the loop as it was stays, for blocks that are short. It also
// stays if numbers may be negative or wrap around, for ranges in which they do.
//
//===----------------------------------------------------------------------===//

#include "BlockLoops.h"

#include "BlockDivisions.h"
#include "Group/InstanceLoops.h"
#include "Pipeline/LeafRemarks.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#define DEBUG_TYPE "sluice-split-into-blocks"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numSplitIntoBlocks, "Loops over blocks of instances");

namespace sluice::codegen {

/// The longest block whose size is only known at launch.
static constexpr uint64_t longestBlock = uint64_t(1) << 30;
/// The longest block of which a part is not unrolled: at most two parts of a
/// range run.
static constexpr uint64_t longestPart = 256;
/// Instances with more instructions gain nothing from unrolling.
static constexpr unsigned longInstance = 64;
/// The maximum size of code that may be duplicated.
static constexpr unsigned mostInstructions = 300;

namespace {

/// Takes one loop apart.
class BlockSplitter {
public:
  BlockSplitter(Loop &loop, LoopInfo &loops, DominatorTree &dominators,
                ScalarEvolution &evolution, AssumptionCache &assumptions)
      : loop(loop), loops(loops), evolution(evolution),
        builder(loop.getHeader()->getContext()),
        before(loop.getLoopPreheader()), exit(loop.getExitBlock()),
        taken(loop, dominators, evolution, assumptions) {}

  /// Whether the loop can be split, and splitting pays off.
  bool find();
  /// Adds the headers of the loops over the instances of a block to `made`.
  void split(SmallVectorImpl<BasicBlock *> &made);

private:
  Loop &loop;
  LoopInfo &loops;
  ScalarEvolution &evolution;
  IRBuilder<> builder;
  BasicBlock *before, *exit;
  BlockDivisions taken;

  Value *emitSize();
  Value *isUsable(Value *blockSize);
  Value *countsUp(Value *start, Value *last);
  bool mayCopy() const;
  bool isLong() const;
  bool mayExpand();
  Value *inRound(PHINode &phi, Value *round);
  BasicBlock *emitInstances(Value *round, Value *place, Value *end,
                            BasicBlock *next, bool isShort);
  BasicBlock *addBlock(const Twine &name) {
    return BasicBlock::Create(builder.getContext(), name,
                              loop.getHeader()->getParent(), loop.getHeader());
  }
};

} // namespace

/// Accepts loops whose values are not used after them. A loop over the elements
/// of a group's instances is to be unrolled completely.
bool BlockSplitter::mayCopy() const {
  unsigned size = 0;
  for (const BasicBlock *own : loop.blocks())
    for (const Instruction &instruction : *own) {
      if (++size > mostInstructions || instruction.getType()->isTokenTy())
        return false;
      if (const auto *call = dyn_cast<CallBase>(&instruction))
        if (call->cannotDuplicate() || call->isConvergent())
          return false;
      for (const User *user : instruction.users())
        if (!loop.contains(cast<Instruction>(user)))
          return false;
      const Value *pointer = getLoadStorePointerOperand(&instruction);
      if (pointer)
        if (const auto *array =
                dyn_cast<AllocaInst>(getUnderlyingObject(pointer)))
          if (isInstanceArray(*array))
            return false;
    }
  return true;
}

bool BlockSplitter::isLong() const {
  unsigned size = 0;
  for (const BasicBlock *own : loop.blocks())
    size += own->sizeWithoutDebug();
  return size > longInstance;
}

/// True if the number of rounds is known before the loop.
bool BlockSplitter::mayExpand() {
  const SCEV *lastRound = evolution.getBackedgeTakenCount(&loop);
  return !isa<SCEVCouldNotCompute>(lastRound) &&
         evolution.getTypeSizeInBits(lastRound->getType()) <= 64 &&
         SCEVExpander(evolution, "blocks")
             .isSafeToExpandAt(lastRound, before->getTerminator());
}

bool BlockSplitter::find() {
  auto *end = dyn_cast<BranchInst>(loop.getLoopLatch()->getTerminator());
  return end && end->isConditional() && exit &&
         loop.getExitingBlock() == loop.getLoopLatch() && mayCopy() &&
         mayExpand() && (taken.addNumbers(), taken.findSteps()) && taken.find();
}

//===----------------------------------------------------------------------===//
// The new loops
//===----------------------------------------------------------------------===//

/// The value of a header phi in round `round`.
Value *BlockSplitter::inRound(PHINode &phi, Value *round) {
  Value *start = phi.getIncomingValueForBlock(before);
  Value *offset = builder.CreateMul(
      round, ConstantInt::getSigned(round->getType(), taken.steps[&phi]));
  if (start->getType()->isPointerTy())
    return builder.CreateGEP(builder.getInt8Ty(), start, offset);
  return builder.CreateAdd(start,
                           builder.CreateSExtOrTrunc(offset, start->getType()));
}

/// Copies the loop for instances of one block, at the places from `place` to
/// `end` in it. The first one belongs to round `round`. Returns the header of
/// the copy. `isShort`: unrolling it does not pay.
BasicBlock *BlockSplitter::emitInstances(Value *round, Value *place, Value *end,
                                         BasicBlock *next, bool isShort) {
  ValueToValueMapTy map;
  SmallVector<BasicBlock *> copies;
  BasicBlock *entry = builder.GetInsertBlock();
  Function *function = entry->getParent();
  for (BasicBlock *own : loop.blocks()) {
    BasicBlock *copy = CloneBasicBlock(own, map, ".block", function);
    copy->moveBefore(next);
    map[own] = copy;
    copies.push_back(copy);
  }

  SmallDenseMap<PHINode *, Value *> starts;
  for (auto [phi, step] : taken.steps)
    starts[phi] = inRound(*phi, round);
  Type *type = taken.number->getType();
  Value *first = builder.CreateSub(starts[taken.number],
                                   builder.CreateTrunc(place, type), "first");
  SmallVector<Value *> quotients; // or the remainder of the block's first
  for (const Division &division : taken.divisions) {
    if (division.isRemainder &&
        division.block == taken.block) { // `first` has none
      quotients.push_back(nullptr);
      continue;
    }
    Instruction *own = division.instruction;
    Instruction *copy = own->clone();
    copy->dropPoisonGeneratingFlags();
    Value *shifted = builder.CreateShl(first, division.shift);
    unsigned operand =
        division.size && own->getOperand(1) == taken.number ? 1 : 0;
    copy->setOperand(operand, builder.CreateTrunc(shifted, own->getType()));
    quotients.push_back(builder.Insert(copy));
  }
  auto *header = cast<BasicBlock>(map[loop.getHeader()]);
  auto *latch = cast<BasicBlock>(map[loop.getLoopLatch()]);
  map[before] = entry;
  map[exit] = next;
  builder.CreateBr(header);

  remapInstructionsInBlocks(copies, map);
  for (auto [phi, step] : taken.steps)
    cast<PHINode>(map[phi])->setIncomingValueForBlock(entry, starts[phi]);
  PHINode *at =
      PHINode::Create(builder.getInt64Ty(), 2, "place", header->begin());
  for (auto [division, quotient] : zip(taken.divisions, quotients)) {
    auto *copy = cast<Instruction>(map[division.instruction]);
    builder.SetInsertPoint(copy);
    Value *result = quotient;
    if (division.isRemainder) {
      Value *own = builder.CreateTrunc(builder.CreateShl(at, division.shift, "",
                                                         /*HasNUW=*/true,
                                                         /*HasNSW=*/true),
                                       copy->getType());
      result = quotient ? builder.CreateAdd(quotient, own) : own;
    }
    copy->replaceAllUsesWith(result);
    copy->eraseFromParent();
  }
  auto *back = cast<BranchInst>(latch->getTerminator());
  builder.SetInsertPoint(back);
  Value *following = builder.CreateAdd(at, builder.getInt64(1), "",
                                       /*HasNUW=*/true, /*HasNSW=*/true);
  at->addIncoming(place, entry);
  at->addIncoming(following, latch);
  back->setCondition(back->getSuccessor(0) == header
                         ? builder.CreateICmpNE(following, end)
                         : builder.CreateICmpEQ(following, end));
  if (isShort)
    back->setMetadata(LLVMContext::MD_loop, shortLoopId(*loop.getLoopID()));
  return header;
}

/// Computed before the loop, where undefined values do not matter.
Value *BlockSplitter::emitSize() {
  if (!taken.size)
    return builder.getInt64(taken.block);
  SCEVExpander expander(evolution, "blocks");
  Instruction *end = before->getTerminator();
  Value *own = expander.expandCodeFor(taken.size, taken.size->getType(), end);
  builder.SetInsertPoint(end);
  own = builder.CreateFreeze(own, "block");
  bool isSigned = any_of(taken.divisions, [](const Division &division) {
    return division.isSigned();
  });
  return isSigned ? builder.CreateSExt(own, builder.getInt64Ty())
                  : builder.CreateZExt(own, builder.getInt64Ty());
}

/// Whether blocks of a size unknown at compile time are long, and are as the
/// masks assume.
Value *BlockSplitter::isUsable(Value *blockSize) {
  Value *result = builder.CreateAnd(
      builder.CreateICmpUGE(blockSize, builder.getInt64(longVector)),
      builder.CreateICmpULE(blockSize, builder.getInt64(longestBlock)));
  if (none_of(taken.divisions, [](const Division &own) { return own.isMask; }))
    return result;
  Value *low = builder.CreateSub(blockSize, builder.getInt64(1));
  Value *rest = builder.CreateAnd(blockSize, low);
  return builder.CreateAnd(result,
                           builder.CreateICmpEQ(rest, builder.getInt64(0)));
}

/// Whether the number is never negative in the rounds up to `last`.
Value *BlockSplitter::countsUp(Value *start, Value *last) {
  Type *type = start->getType();
  Value *most = ConstantInt::get(
      type, APInt::getSignedMaxValue(type->getIntegerBitWidth()));
  Value *left =
      builder.CreateZExt(builder.CreateSub(most, start), builder.getInt64Ty());
  return builder.CreateAnd(
      builder.CreateICmpSGE(start, ConstantInt::get(type, 0)),
      builder.CreateICmpULE(last, left));
}

void BlockSplitter::split(SmallVectorImpl<BasicBlock *> &made) {
  Instruction *end = before->getTerminator();
  SCEVExpander expander(evolution, "blocks");
  const SCEV *lastRound = evolution.getBackedgeTakenCount(&loop);
  Value *last = expander.expandCodeFor(lastRound, lastRound->getType(), end);
  builder.SetInsertPoint(end);
  builder.SetCurrentDebugLocation(end->getDebugLoc());
  Value *zero = builder.getInt64(0), *blockSize = emitSize();
  last = builder.CreateZExtOrTrunc(last, builder.getInt64Ty());
  Value *rounds = builder.CreateAdd(last, builder.getInt64(1), "rounds");
  Value *start = taken.number->getIncomingValueForBlock(before);
  bool mayWrap =
      any_of(taken.divisions, [](const Division &own) { return own.mayWrap; });
  bool staysToo = taken.size || mayWrap;
  BasicBlock *entry = before;
  if (staysToo) {
    Value *usable = builder.getTrue();
    if (taken.size)
      usable = isUsable(blockSize);
    if (mayWrap)
      usable = builder.CreateAnd(usable,
                                 builder.CreateFreeze(countsUp(start, last)));
    entry = addBlock("blocks.begin");
    builder.CreateCondBr(usable, entry, loop.getHeader());
    builder.SetInsertPoint(entry);
  }
  Value *startPlace = builder.CreateZExtOrTrunc(
      builder.CreateURem(start,
                         builder.CreateTrunc(blockSize, start->getType())),
      builder.getInt64Ty());

  BasicBlock *blocks = addBlock("blocks"), *whole = addBlock("blocks.whole"),
             *wholeNext = addBlock("blocks.whole.next"),
             *part = addBlock("blocks.part"),
             *partNext = addBlock("blocks.part.next"),
             *next = addBlock("blocks.next");
  builder.CreateBr(blocks);
  end->eraseFromParent();

  builder.SetInsertPoint(blocks);
  PHINode *done = builder.CreatePHI(builder.getInt64Ty(), 2, "done");
  PHINode *place = builder.CreatePHI(builder.getInt64Ty(), 2, "place");
  done->addIncoming(zero, entry);
  place->addIncoming(startPlace, entry);
  Value *left = builder.CreateSub(rounds, done, "left");
  Value *isWhole = builder.CreateAnd(builder.CreateICmpEQ(place, zero),
                                     builder.CreateICmpUGE(left, blockSize));
  builder.CreateCondBr(isWhole, whole, part);

  builder.SetInsertPoint(whole);
  PHINode *round = builder.CreatePHI(builder.getInt64Ty(), 2, "round");
  round->addIncoming(done, blocks);
  made.push_back(
      emitInstances(round, zero, blockSize, wholeNext, /*isShort=*/isLong()));
  builder.SetInsertPoint(wholeNext);
  Value *wholeDone = builder.CreateAdd(round, blockSize, "", true, true);
  round->addIncoming(wholeDone, wholeNext);
  builder.CreateCondBr(
      builder.CreateICmpUGE(builder.CreateSub(rounds, wholeDone), blockSize),
      whole, next);

  builder.SetInsertPoint(part);
  Value *count = builder.CreateBinaryIntrinsic(
      Intrinsic::umin, left, builder.CreateSub(blockSize, place));
  made.push_back(
      emitInstances(done, place, builder.CreateAdd(place, count), partNext,
                    /*isShort=*/!taken.size && taken.block <= longestPart));
  builder.SetInsertPoint(partNext);
  Value *partDone = builder.CreateAdd(done, count, "", true, true);
  builder.CreateBr(next);

  builder.SetInsertPoint(next);
  PHINode *both = builder.CreatePHI(builder.getInt64Ty(), 2);
  both->addIncoming(wholeDone, wholeNext);
  both->addIncoming(partDone, partNext);
  done->addIncoming(both, next);
  place->addIncoming(zero, next);
  builder.CreateCondBr(builder.CreateICmpNE(both, rounds), blocks, exit);

  if (staysToo) {
    // Of blocks whose size is a constant, only where numbers wrap around.
    loop.setLoopID(taken.size ? shortLoopId(*loop.getLoopID())
                              : rareLoopId(loop.getHeader()->getContext(),
                                           loop.getLoopID()));
    for (PHINode &phi : exit->phis())
      phi.addIncoming(phi.getIncomingValueForBlock(loop.getLoopLatch()), next);
    return;
  }
  SmallVector<BasicBlock *> old(loop.blocks());
  exit->replacePhiUsesWith(loop.getLoopLatch(), next);
  loops.erase(&loop);
  DeleteDeadBlocks(old);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// How often the loop that begins there has been split. In a block of planes,
/// there are blocks of rows.
using TimesSplit = SmallDenseMap<BasicBlock *, unsigned, 8>;
static constexpr unsigned mostSplits = 2;

static bool splitNext(Function &function, FunctionAnalysisManager &analyses,
                      TimesSplit &seen) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!isInstanceLoop(loop->getLoopID()) || hasInstanceLoop(*loop))
      continue;
    unsigned &times = seen[loop->getHeader()];
    unsigned timesBefore = std::exchange(times, mostSplits);
    if (timesBefore == mostSplits)
      continue;
    simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions,
                 /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
    if (!loop->isLoopSimplifyForm())
      continue;
    BlockSplitter splitter(*loop, loops, dominators, evolution, assumptions);
    if (!splitter.find())
      continue;
    remark(RemarkKind::Done, analyses, DEBUG_TYPE, *loop,
           "instances run in blocks in which the quotient of their number is "
           "the same");
    ++numSplitIntoBlocks;
    SmallVector<BasicBlock *> made;
    splitter.split(made);
    for (BasicBlock *header : made)
      seen[header] = timesBefore + 1;
    return true;
  }
  return false;
}

/// Cycles until a result is there, roughly.
static unsigned latencyOf(const Instruction &instruction) {
  if (isa<PHINode>(instruction) || instruction.isDebugOrPseudoInst())
    return 0;
  switch (instruction.getOpcode()) {
  case Instruction::FDiv:
    return 13;
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::Load:
    return 4;
  default:
    const auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return call && call->getType()->isFloatingPointTy() ? 4 : 1;
  }
}

/// Whether the operations of an instance mostly wait for each other, so that
/// one vector after another leaves the processor idle.
static bool isOneChain(const BasicBlock &body) {
  constexpr unsigned longChain = 64, fewAtOnce = 2;
  DenseMap<const Value *, unsigned> ends;
  unsigned all = 0, longest = 0;
  for (const Instruction &instruction : body) {
    unsigned start = 0;
    if (!isa<PHINode>(instruction))
      for (const Value *operand : instruction.operands())
        start = std::max(start, ends.lookup(operand));
    const unsigned latency = latencyOf(instruction);
    ends[&instruction] = start + latency;
    longest = std::max(longest, start + latency);
    all += latency;
  }
  return longest >= longChain && all < fewAtOnce * longest;
}

/// LLVM runs several vectors of a loop at once if it adds up, but the sums of a
/// block lie in memory. So here it is asked to.
static void interleaveChains(Function &function,
                             FunctionAnalysisManager &analyses) {
  constexpr unsigned mostVectors = 4;
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  const uint64_t bits =
      analyses.getResult<TargetIRAnalysis>(function)
          .getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
          .getFixedValue();
  for (Loop *loop : loops.getLoopsInPreorder()) {
    const BasicBlock &body = *loop->getHeader();
    if (!isInstanceLoop(loop->getLoopID()) || loop->getNumBlocks() != 1 ||
        !isOneChain(body))
      continue;
    unsigned widest = 8;
    for (const Instruction &instruction : body)
      if (isa<LoadInst, StoreInst>(instruction))
        widest = std::max<unsigned>(
            widest, getLoadStoreType(&instruction)->getScalarSizeInBits());
    const uint64_t numVectors =
        evolution.getSmallConstantTripCount(loop) * widest / bits;
    if (numVectors > 1)
      addStringMetadataToLoop(
          loop, "llvm.loop.interleave.count",
          static_cast<unsigned>(std::min<uint64_t>(numVectors, mostVectors)));
  }
}

PreservedAnalyses SplitIntoBlocks::run(Function &function,
                                       FunctionAnalysisManager &analyses) {
  TimesSplit seen;
  bool hasSplit = false;
  while (splitNext(function, analyses, seen)) {
    hasSplit = true;
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  if (hasSplit)
    interleaveChains(function, analyses);
  return seen.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
