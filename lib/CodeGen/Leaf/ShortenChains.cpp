//===- ShortenChains.cpp - Shorter chains of loop-carried minima ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Let v be the value from the previous round. Every intermediate value on the
// way to the next round is min(v + c, q), where c and q do not depend on v:
//
//   min(..., a)   makes q min(q, a)
//   ... + b       makes c c + b, and q q + b
//
// Sums of 32-bit numbers do not overflow in 64 bits. Where a sum would have
// overflowed in 32 bits, its result was undefined.
//
//===----------------------------------------------------------------------===//

#include "ShortenChains.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

#define DEBUG_TYPE "sluice-shorten-chains"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numShortened,
                         "Chains of minima and maxima made shorter");

namespace sluice::codegen {

namespace {

/// An operation between the value of a round and that of the next.
struct Link {
  Instruction *instruction;
  unsigned operand; ///< The operand that comes from the previous round.
};

/// A loop-carried value.
class SumChain {
public:
  SumChain(Loop &loop, LoopInfo &loops, PHINode &phi)
      : loop(loop), loops(loops), phi(phi),
        last(phi.getIncomingValueForBlock(loop.getLoopLatch())),
        builder(phi.getContext()) {}

  /// Whether the chain can be shortened.
  bool find();
  void shorten();

private:
  static constexpr unsigned mostVisited = 200;
  static constexpr size_t mostLinks = 64;

  Loop &loop;
  LoopInfo &loops;
  PHINode &phi;
  Value *last;
  IRBuilder<> builder;
  SmallVector<Link> links; ///< in order
  unsigned numVisited = 0;
  bool isSigned = true;

  /// The combined effect of the links since `base`.
  Value *base = nullptr, *added = nullptr, *limit = nullptr;
  Intrinsic::ID kind = Intrinsic::not_intrinsic;

  static bool isMinMax(const Instruction &instruction) {
    return isa<MinMaxIntrinsic>(instruction);
  }
  bool findLinks(Value *value);
  bool areUniform();
  bool isShorter() const;
  Value *wide(Value *value) {
    return isSigned ? builder.CreateSExt(value, builder.getInt64Ty())
                    : builder.CreateZExt(value, builder.getInt64Ty());
  }
  void append(const Link &link);
  void finishPart();
};

} // namespace

/// Whether only the next link uses this one.
static bool isInner(const Link &link) { return link.instruction->hasOneUse(); }

/// Finds the path from the phi to `value`.
bool SumChain::findLinks(Value *value) {
  if (value == &phi)
    return true;
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || ++numVisited > mostVisited ||
      loops.getLoopFor(instruction->getParent()) != &loop)
    return false;
  unsigned opcode = instruction->getOpcode();
  bool isSum = opcode == Instruction::Add || opcode == Instruction::Sub;
  if (!isSum && !isMinMax(*instruction))
    return false;
  unsigned numWays = opcode == Instruction::Sub ? 1 : 2;
  for (unsigned operand = 0; operand < numWays; ++operand)
    if (findLinks(instruction->getOperand(operand))) {
      links.push_back({instruction, operand});
      return true;
    }
  return false;
}

/// Unsigned minima are also signed if one operand is known not to be negative.
static bool isSignedToo(const MinMaxIntrinsic &minMax) {
  SimplifyQuery query(minMax.getDataLayout(), &minMax);
  return minMax.isSigned() || (isKnownNonNegative(minMax.getLHS(), query) &&
                               isKnownNonNegative(minMax.getRHS(), query));
}

/// Whether either all links are signed or none is, and none overflows.
bool SumChain::areUniform() {
  bool hasMinMax = false;
  isSigned = false;
  for (const Link &link : links)
    if (const auto *minMax = dyn_cast<MinMaxIntrinsic>(link.instruction)) {
      hasMinMax = true;
      isSigned |= minMax->isSigned();
    }
  return hasMinMax && all_of(links, [&](const Link &link) {
           if (const auto *minMax = dyn_cast<MinMaxIntrinsic>(link.instruction))
             return !isSigned || isSignedToo(*minMax);
           const auto *sum = cast<OverflowingBinaryOperator>(link.instruction);
           return isSigned ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap();
         });
}

static Intrinsic::ID signedKind(const MinMaxIntrinsic &minMax) {
  return ICmpInst::isLT(minMax.getPredicate()) ? Intrinsic::smin
                                               : Intrinsic::smax;
}

/// A minimum takes as long as two sums.
bool SumChain::isShorter() const {
  unsigned before = 0, after = 0;
  bool hasSum = false;
  Intrinsic::ID kind = Intrinsic::not_intrinsic;
  auto finish = [&] {
    after += (hasSum ? 1 : 0) + (kind ? 2 : 0);
    hasSum = false;
    kind = Intrinsic::not_intrinsic;
  };
  for (const Link &link : links) {
    const auto *minMax = dyn_cast<MinMaxIntrinsic>(link.instruction);
    before += minMax ? 2 : 1;
    if (minMax && kind && kind != signedKind(*minMax))
      finish();
    if (minMax)
      kind = signedKind(*minMax);
    else
      hasSum = true;
    if (!isInner(link))
      finish();
  }
  finish();
  return after < before;
}

/// Whether the incoming values are known before the end of a block: this
/// excludes the results of calls that may throw.
static bool mayConvert(const PHINode &phi) {
  return none_of(phi.incoming_values(), [](const Value *value) {
    const auto *instruction = dyn_cast<Instruction>(value);
    return instruction && instruction->isTerminator();
  });
}

bool SumChain::find() {
  Type *type = phi.getType();
  return type->isIntegerTy() && type->getIntegerBitWidth() <= 32 &&
         mayConvert(phi) && findLinks(last) && !links.empty() &&
         links.size() <= mostLinks && areUniform() && isShorter();
}

void SumChain::append(const Link &link) {
  Instruction &own = *link.instruction;
  builder.SetInsertPoint(&own);
  Value *other = wide(own.getOperand(1 - link.operand));
  if (const auto *minMax = dyn_cast<MinMaxIntrinsic>(&own)) {
    // Unsigned numbers are not negative here, but differences may be.
    Intrinsic::ID own = signedKind(*minMax);
    if (limit && own != kind)
      finishPart();
    limit = limit ? builder.CreateBinaryIntrinsic(own, limit, other) : other;
    kind = own;
    return;
  }
  if (own.getOpcode() == Instruction::Sub)
    other = builder.CreateNSWNeg(other);
  added = added ? builder.CreateNSWAdd(added, other) : other;
  if (limit)
    limit = builder.CreateNSWAdd(limit, other);
}

/// Recomputes `base` at the builder's position.
void SumChain::finishPart() {
  if (added)
    base = builder.CreateNSWAdd(base, added);
  if (limit)
    base = builder.CreateBinaryIntrinsic(kind, base, limit);
  added = limit = nullptr;
}

void SumChain::shorten() {
  BasicBlock *latch = loop.getLoopLatch();
  builder.SetInsertPoint(&phi);
  PHINode *own = builder.CreatePHI(builder.getInt64Ty(), 2, phi.getName());
  for (BasicBlock *from : phi.blocks()) {
    if (from == latch)
      continue;
    builder.SetInsertPoint(from->getTerminator());
    own->addIncoming(wide(phi.getIncomingValueForBlock(from)), from);
  }
  base = own;
  for (const Link &link : links) {
    append(link);
    if (isInner(link) && link.instruction != last)
      continue;
    finishPart();
    Value *narrow = builder.CreateTrunc(base, phi.getType());
    const Link *next = &link + 1;
    link.instruction->replaceUsesWithIf(narrow, [&](const Use &use) {
      return next == links.end() || use.getUser() != next->instruction ||
             use.getOperandNo() != next->operand;
    });
  }
  own->addIncoming(base, latch);
  RecursivelyDeleteTriviallyDeadInstructions(links.back().instruction);
}

PreservedAnalyses ShortenChains::run(Function &function,
                                     FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  bool hasChanged = false;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->getLoopLatch())
      continue;
    for (PHINode &phi : make_early_inc_range(loop->getHeader()->phis())) {
      SumChain chain(*loop, loops, phi);
      if (!chain.find())
        continue;
      chain.shorten();
      ++numShortened;
      hasChanged = true;
    }
  }
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
