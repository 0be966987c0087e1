//===- BlockLoops.cpp - Loops over blocks of neighbouring instances -------===//
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
// the latter case the loop as it was stays, for blocks that are short.
//
//===----------------------------------------------------------------------===//

#include "BlockLoops.h"

#include "Group/InstanceLoops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace sluice::codegen {

/// A vector of so many instances would gather as many elements in each access
/// that depends on a division. Shorter blocks make several rounds instead,
/// which pays where there is more than one such access.
static constexpr uint64_t usualVector = 8;
/// Longer blocks are no better. Shorter ones stay as they are where their size
/// is not known when the leaf is compiled.
static constexpr uint64_t longVector = 16;
static constexpr uint64_t longestBlock = uint64_t(1) << 30;
/// A division by what is not a power of two costs as much as some accesses.
static constexpr unsigned costOfDivision = 4;
/// Accesses that are worth a third copy.
static constexpr unsigned fewestForUnknown = 2;
/// Instructions that are worth being there twice.
static constexpr unsigned mostInstructions = 300;

namespace {

/// What a leaf does with its number `i`: `(i << shift) op constant`, or `i op
/// n` with an `n` that does not change in the loop.
struct Division {
  Instruction *instruction;
  PHINode *number;
  unsigned shift;
  uint64_t block;   ///< instances in a row with the same quotient; 0: `size`
  bool isRemainder; ///< it counts in a block, else it is the same
  const SCEV *size = nullptr;
  bool isMask = false; ///< `size` must be a power of two
};

/// Takes one loop apart.
class BlockSplitter {
public:
  BlockSplitter(Loop &loop, LoopInfo &loops, DominatorTree &dominators,
                ScalarEvolution &evolution, AssumptionCache &assumptions)
      : loop(loop), loops(loops), dominators(dominators), evolution(evolution),
        assumptions(assumptions), builder(loop.getHeader()->getContext()),
        before(loop.getLoopPreheader()), exit(loop.getExitBlock()) {}

  /// Whether it can be split, and that pays.
  bool find();
  /// Adds the headers of the loops over the instances of a block to `made`.
  void split(SmallPtrSetImpl<BasicBlock *> &made);

private:
  Loop &loop;
  LoopInfo &loops;
  DominatorTree &dominators;
  ScalarEvolution &evolution;
  AssumptionCache &assumptions;
  IRBuilder<> builder;
  BasicBlock *before, *exit;
  MapVector<PHINode *, int64_t> steps;
  SmallVector<Division> divisions;
  PHINode *number = nullptr; ///< the one that is divided
  uint64_t block = 0;
  const SCEV *size = nullptr; ///< if `block` is 0: known before the loop

  std::optional<Division> divisionOf(Instruction &instruction);
  std::optional<Division> maskOf(Instruction &instruction, Value *value,
                                 const APInt &mask);
  std::optional<Division> unknownMask(Instruction &instruction);
  std::optional<Division> unknownDivision(Instruction &instruction);
  std::optional<Division> withSize(Division division);
  bool mayDivide(const PHINode &phi, bool isUnsigned);
  bool isServedBy(const Division &division, const Division &wanted) const {
    return division.number == wanted.number && division.size == wanted.size &&
           (wanted.size || division.block % wanted.block == 0);
  }
  unsigned gainOf(const Division &wanted) const;
  bool choose(unsigned least);
  Value *emitSize();
  Value *isUsable(Value *blockSize);
  bool findSteps();
  bool mayCopy() const;
  bool mayExpand();
  Value *inRound(PHINode &phi, Value *round);
  BasicBlock *emitInstances(Value *round, Value *place, Value *end,
                            BasicBlock *next);
  BasicBlock *addBlock(const Twine &name) {
    return BasicBlock::Create(builder.getContext(), name,
                              loop.getHeader()->getParent(), loop.getHeader());
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// What is divided
//===----------------------------------------------------------------------===//

/// `(i << shift) & mask`, maybe of the low bits of `i` only.
std::optional<Division> BlockSplitter::maskOf(Instruction &instruction,
                                              Value *value, const APInt &mask) {
  KnownBits known = computeKnownBits(value, instruction.getDataLayout(),
                                     &assumptions, &instruction, &dominators);
  uint64_t shift = 0;
  match(value, m_Trunc(m_Value(value)));
  match(value, m_Shl(m_Value(value), m_ConstantInt(shift)));
  match(value, m_Trunc(m_Value(value)));
  auto *phi = dyn_cast<PHINode>(value);
  unsigned bits = mask.getBitWidth();
  if (!phi || !steps.contains(phi) || shift >= bits)
    return std::nullopt;
  APInt low = mask | APInt::getLowBitsSet(bits, shift);
  // LLVM drops bits of masks that are zero anyway.
  APInt high =
      ~(mask | APInt::getHighBitsSet(bits, known.countMinLeadingZeros()));
  bool isRemainder = low.isMask() && !low.isAllOnes();
  if (!isRemainder && !high.isMask())
    return std::nullopt;
  unsigned end = (isRemainder ? low : high).countr_one();
  if (end <= shift || end - shift >= 31)
    return std::nullopt;
  return Division{&instruction, phi, unsigned(shift),
                  uint64_t(1) << (end - shift), isRemainder};
}

static bool isUnsigned(const Instruction &division) {
  unsigned opcode = division.getOpcode();
  return opcode == Instruction::URem || opcode == Instruction::UDiv;
}
static bool isRemainder(const Instruction &division) {
  unsigned opcode = division.getOpcode();
  return opcode == Instruction::URem || opcode == Instruction::SRem;
}

std::optional<Division> BlockSplitter::divisionOf(Instruction &instruction) {
  Value *value;
  const APInt *constant;
  if (match(&instruction, m_And(m_Value(value), m_APInt(constant))))
    return maskOf(instruction, value, *constant);
  bool isShift = match(&instruction, m_Shr(m_Value(value), m_APInt(constant)));
  if (!isShift &&
      !match(&instruction, m_IDiv(m_Value(value), m_APInt(constant))) &&
      !match(&instruction, m_IRem(m_Value(value), m_APInt(constant))))
    return std::nullopt;
  auto *phi = dyn_cast<PHINode>(value);
  if (!phi || !steps.contains(phi) || constant->getActiveBits() > 31)
    return std::nullopt;
  uint64_t own = constant->getZExtValue();
  if (isShift)
    return own > 0 && own < 31
               ? std::optional(
                     Division{&instruction, phi, 0, uint64_t(1) << own, false})
               : std::nullopt;
  if (own == 0 || !mayDivide(*phi, isUnsigned(instruction)))
    return std::nullopt;
  return Division{&instruction, phi, 0, own, isRemainder(instruction)};
}

/// Blocks would not be whole where numbers begin anew, nor around zero.
bool BlockSplitter::mayDivide(const PHINode &phi, bool isUnsigned) {
  const auto *count =
      cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<PHINode *>(&phi)));
  auto startsAboveZero = [&] {
    return evolution.isLoopEntryGuardedByCond(
        &loop, ICmpInst::ICMP_SGE, count->getStart(),
        evolution.getZero(count->getType()));
  };
  return (isUnsigned && count->hasNoUnsignedWrap()) ||
         evolution.isKnownNonNegative(count) ||
         (count->hasNoSignedWrap() && startsAboveZero());
}

/// -n, or -n - 1, of something.
static bool isNegated(const SCEV *value) {
  if (const auto *sum = dyn_cast<SCEVAddExpr>(value))
    return all_of(sum->operands(), isNegated);
  if (const auto *product = dyn_cast<SCEVMulExpr>(value))
    value = product->getOperand(0);
  const auto *constant = dyn_cast<SCEVConstant>(value);
  return constant && constant->getAPInt().isNegative();
}

/// `i & n` is the remainder of n + 1, or `i` without the remainder of -n. One
/// of them is looked for when the program runs: the one that n looks like.
std::optional<Division> BlockSplitter::unknownMask(Instruction &instruction) {
  for (unsigned operand : {0, 1}) {
    auto *phi = dyn_cast<PHINode>(instruction.getOperand(operand));
    Value *mask = instruction.getOperand(1 - operand);
    if (!phi || !steps.contains(phi) || !loop.isLoopInvariant(mask))
      continue;
    const SCEV *own = evolution.getSCEV(mask);
    const SCEV *above =
        evolution.getAddExpr(own, evolution.getOne(own->getType()));
    bool isQuotient = isNegated(own);
    return withSize({&instruction, phi, 0, 0, !isQuotient,
                     isQuotient ? evolution.getNegativeSCEV(own) : above,
                     /*isMask=*/true});
  }
  return std::nullopt;
}

std::optional<Division>
BlockSplitter::unknownDivision(Instruction &instruction) {
  if (instruction.getOpcode() == Instruction::And)
    return unknownMask(instruction);
  if (!instruction.isIntDivRem())
    return std::nullopt;
  auto *phi = dyn_cast<PHINode>(instruction.getOperand(0));
  Value *divisor = instruction.getOperand(1);
  if (!phi || !steps.contains(phi) || !loop.isLoopInvariant(divisor) ||
      !mayDivide(*phi, isUnsigned(instruction)))
    return std::nullopt;
  return withSize({&instruction, phi, 0, 0, isRemainder(instruction),
                   evolution.getSCEV(divisor)});
}

/// If the size can be computed before the loop.
std::optional<Division> BlockSplitter::withSize(Division division) {
  bool isKnown = division.number->getType()->getIntegerBitWidth() <= 64 &&
                 !isa<SCEVConstant>(division.size) &&
                 SCEVExpander(evolution, "blocks")
                     .isSafeToExpandAt(division.size, before->getTerminator());
  return isKnown ? std::optional(division) : std::nullopt;
}

/// What blocks as those of `wanted` save: accesses that depend on quotients and
/// remainders, and divisions that are none of powers of two.
unsigned BlockSplitter::gainOf(const Division &wanted) const {
  SmallSetVector<Instruction *, 16> reached;
  unsigned cost = 0;
  for (const Division &division : divisions)
    if (isServedBy(division, wanted)) {
      reached.insert(division.instruction);
      cost += division.instruction->isIntDivRem() ? costOfDivision : 0;
    }
  for (unsigned i = 0; i != reached.size(); ++i)
    for (User *user : reached[i]->users()) {
      auto *instruction = cast<Instruction>(user);
      if (getLoadStorePointerOperand(instruction) == reached[i])
        ++cost;
      else if (isa<BinaryOperator, CastInst, SelectInst, GetElementPtrInst>(
                   instruction))
        reached.insert(instruction);
    }
  return cost * (wanted.size ? longVector : std::min(wanted.block, longVector));
}

bool BlockSplitter::findSteps() {
  for (PHINode &phi : loop.getHeader()->phis()) {
    InductionDescriptor induction;
    if (!evolution.isSCEVable(phi.getType()) ||
        !InductionDescriptor::isInductionPHI(&phi, &loop, &evolution,
                                             induction))
      return false;
    const ConstantInt *step = induction.getConstIntStepValue();
    if (!step || step->getBitWidth() > 64)
      return false;
    steps[&phi] = step->getSExtValue();
  }
  return !steps.empty();
}

/// Loops that leave nothing behind. What has an element for each instance of a
/// group is to be unrolled as a whole.
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

/// The number of rounds is known before the loop.
bool BlockSplitter::mayExpand() {
  const SCEV *lastRound = evolution.getBackedgeTakenCount(&loop);
  return !isa<SCEVCouldNotCompute>(lastRound) &&
         evolution.getTypeSizeInBits(lastRound->getType()) <= 64 &&
         SCEVExpander(evolution, "blocks")
             .isSafeToExpandAt(lastRound, before->getTerminator());
}

bool BlockSplitter::find() {
  auto *end = dyn_cast<BranchInst>(loop.getLoopLatch()->getTerminator());
  if (!end || !end->isConditional() || !exit ||
      loop.getExitingBlock() != loop.getLoopLatch() || !mayCopy() ||
      !findSteps() || !mayExpand())
    return false;
  for (BasicBlock *own : loop.blocks())
    for (Instruction &instruction : *own)
      if (std::optional<Division> found = divisionOf(instruction))
        if (found->block > 1 && steps[found->number] == 1)
          divisions.push_back(*found);
  if (choose(usualVector))
    return true;
  divisions.clear();
  for (BasicBlock *own : loop.blocks())
    for (Instruction &instruction : *own)
      if (std::optional<Division> found = unknownDivision(instruction))
        if (steps[found->number] == 1)
          divisions.push_back(*found);
  return choose(fewestForUnknown * longVector);
}

/// The divisions that save the most together, `least` or more.
bool BlockSplitter::choose(unsigned least) {
  unsigned best = least - 1;
  Division chosen{};
  for (const Division &division : divisions) {
    unsigned gain = gainOf(division);
    if (gain > best || (gain == best && division.block < chosen.block)) {
      best = gain;
      chosen = division;
    }
  }
  number = chosen.number;
  block = chosen.block;
  size = chosen.size;
  if (number)
    erase_if(divisions, [&](const Division &division) {
      return !isServedBy(division, chosen);
    });
  return number;
}

//===----------------------------------------------------------------------===//
// The new loops
//===----------------------------------------------------------------------===//

/// What a phi of the header is in round `round`.
Value *BlockSplitter::inRound(PHINode &phi, Value *round) {
  Value *start = phi.getIncomingValueForBlock(before);
  Value *offset = builder.CreateMul(
      round, ConstantInt::getSigned(round->getType(), steps[&phi]));
  if (start->getType()->isPointerTy())
    return builder.CreateGEP(builder.getInt8Ty(), start, offset);
  return builder.CreateAdd(start,
                           builder.CreateSExtOrTrunc(offset, start->getType()));
}

/// Copies the loop for instances of one block, which lie at the places from
/// `place` to `end` in it; the first one belongs to round `round`. Returns the
/// header of the copy.
BasicBlock *BlockSplitter::emitInstances(Value *round, Value *place, Value *end,
                                         BasicBlock *next) {
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
  for (auto [phi, step] : steps)
    starts[phi] = inRound(*phi, round);
  Type *type = number->getType();
  Value *first = builder.CreateSub(starts[number],
                                   builder.CreateTrunc(place, type), "first");
  SmallVector<Value *> quotients; // or the remainder of the block's first
  for (const Division &division : divisions) {
    if (division.isRemainder && division.block == block) { // `first` has none
      quotients.push_back(nullptr);
      continue;
    }
    Instruction *own = division.instruction;
    Instruction *copy = own->clone();
    copy->dropPoisonGeneratingFlags();
    Value *shifted = builder.CreateShl(first, division.shift);
    unsigned operand = division.size && own->getOperand(1) == number ? 1 : 0;
    copy->setOperand(operand, builder.CreateTrunc(shifted, own->getType()));
    quotients.push_back(builder.Insert(copy));
  }
  auto *header = cast<BasicBlock>(map[loop.getHeader()]);
  auto *latch = cast<BasicBlock>(map[loop.getLoopLatch()]);
  map[before] = entry;
  map[exit] = next;
  builder.CreateBr(header);

  remapInstructionsInBlocks(copies, map);
  for (auto [phi, step] : steps)
    cast<PHINode>(map[phi])->setIncomingValueForBlock(entry, starts[phi]);
  PHINode *at =
      PHINode::Create(builder.getInt64Ty(), 2, "place", header->begin());
  for (auto [division, quotient] : zip(divisions, quotients)) {
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
  return header;
}

/// Before the loop; what is undefined does not matter there.
Value *BlockSplitter::emitSize() {
  if (!size)
    return builder.getInt64(block);
  SCEVExpander expander(evolution, "blocks");
  Instruction *end = before->getTerminator();
  Value *own = expander.expandCodeFor(size, size->getType(), end);
  builder.SetInsertPoint(end);
  own = builder.CreateFreeze(own, "block");
  bool isSigned = any_of(divisions, [](const Division &division) {
    return division.instruction->isIntDivRem() &&
           !isUnsigned(*division.instruction);
  });
  return isSigned ? builder.CreateSExt(own, builder.getInt64Ty())
                  : builder.CreateZExt(own, builder.getInt64Ty());
}

/// Whether blocks of a size that was not known are long, and what masks take
/// them to be.
Value *BlockSplitter::isUsable(Value *blockSize) {
  Value *result = builder.CreateAnd(
      builder.CreateICmpUGE(blockSize, builder.getInt64(longVector)),
      builder.CreateICmpULE(blockSize, builder.getInt64(longestBlock)));
  if (none_of(divisions, [](const Division &own) { return own.isMask; }))
    return result;
  Value *low = builder.CreateSub(blockSize, builder.getInt64(1));
  Value *rest = builder.CreateAnd(blockSize, low);
  return builder.CreateAnd(result,
                           builder.CreateICmpEQ(rest, builder.getInt64(0)));
}

void BlockSplitter::split(SmallPtrSetImpl<BasicBlock *> &made) {
  Instruction *end = before->getTerminator();
  SCEVExpander expander(evolution, "blocks");
  const SCEV *lastRound = evolution.getBackedgeTakenCount(&loop);
  Value *last = expander.expandCodeFor(lastRound, lastRound->getType(), end);
  builder.SetInsertPoint(end);
  builder.SetCurrentDebugLocation(end->getDebugLoc());
  Value *zero = builder.getInt64(0), *blockSize = emitSize();
  Value *rounds =
      builder.CreateAdd(builder.CreateZExtOrTrunc(last, builder.getInt64Ty()),
                        builder.getInt64(1), "rounds");
  BasicBlock *entry = before;
  if (size) {
    entry = addBlock("blocks.begin");
    builder.CreateCondBr(isUsable(blockSize), entry, loop.getHeader());
    builder.SetInsertPoint(entry);
  }
  Value *start = number->getIncomingValueForBlock(before);
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
  made.insert(emitInstances(round, zero, blockSize, wholeNext));
  builder.SetInsertPoint(wholeNext);
  Value *wholeDone = builder.CreateAdd(round, blockSize, "", true, true);
  round->addIncoming(wholeDone, wholeNext);
  builder.CreateCondBr(
      builder.CreateICmpUGE(builder.CreateSub(rounds, wholeDone), blockSize),
      whole, next);

  builder.SetInsertPoint(part);
  Value *count = builder.CreateBinaryIntrinsic(
      Intrinsic::umin, left, builder.CreateSub(blockSize, place));
  made.insert(
      emitInstances(done, place, builder.CreateAdd(place, count), partNext));
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

  if (size) {
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

static bool splitNext(Function &function, FunctionAnalysisManager &analyses,
                      SmallPtrSetImpl<BasicBlock *> &seen) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!isInstanceLoop(loop->getLoopID()) || hasInstanceLoop(*loop) ||
        !seen.insert(loop->getHeader()).second)
      continue;
    simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions,
                 /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
    if (!loop->isLoopSimplifyForm())
      continue;
    BlockSplitter splitter(*loop, loops, dominators, evolution, assumptions);
    if (!splitter.find())
      continue;
    splitter.split(seen);
    return true;
  }
  return false;
}

PreservedAnalyses SplitIntoBlocks::run(Function &function,
                                       FunctionAnalysisManager &analyses) {
  SmallPtrSet<BasicBlock *, 8> seen;
  while (splitNext(function, analyses, seen))
    analyses.invalidate(function, PreservedAnalyses::none());
  return seen.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace sluice::codegen
