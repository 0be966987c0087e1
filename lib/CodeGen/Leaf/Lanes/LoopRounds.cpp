//===- LoopRounds.cpp - Trip counts of loops ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopRounds.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <optional>

using namespace llvm;

namespace sluice::codegen {

namespace {
/// A loop that counts by one until it meets its end.
struct CountedEnd {
  Value *begin, *end;
};
} // namespace

static std::optional<CountedEnd> countedEnd(const Loop &loop) {
  using namespace PatternMatch;
  BasicBlock *latch = loop.getLoopLatch();
  const auto *branch = dyn_cast<BranchInst>(latch->getTerminator());
  CmpPredicate predicate;
  Value *next, *end;
  if (!branch || !branch->isConditional() ||
      !match(branch->getCondition(),
             m_ICmp(predicate, m_Value(next), m_Value(end))))
    return std::nullopt;
  if (loop.isLoopInvariant(next))
    std::swap(next, end);
  const bool staysIfTrue = branch->getSuccessor(0) == loop.getHeader();
  Value *counter;
  if (!loop.isLoopInvariant(end) ||
      predicate != (staysIfTrue ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ) ||
      !match(next, m_c_Add(m_Value(counter), m_One())))
    return std::nullopt;
  auto *phi = dyn_cast<PHINode>(counter);
  if (!phi || phi->getParent() != loop.getHeader() ||
      phi->getIncomingValueForBlock(latch) != next)
    return std::nullopt;
  return CountedEnd{phi->getIncomingValueForBlock(loop.getLoopPreheader()),
                    end};
}

static bool canExpand(const Loop &loop, ScalarEvolution &evolution) {
  SCEVExpander expander(evolution, "rounds");
  return expander.isSafeToExpandAt(evolution.getBackedgeTakenCount(&loop),
                                   loop.getLoopPreheader()->getTerminator());
}

bool knowsLastRound(const Loop &loop, ScalarEvolution &evolution) {
  const SCEV *count = evolution.getBackedgeTakenCount(&loop);
  return !isa<SCEVCouldNotCompute>(count) &&
         evolution.getTypeSizeInBits(count->getType()) <= 64 &&
         loop.getExitingBlock() == loop.getLoopLatch() &&
         (canExpand(loop, evolution) || countedEnd(loop));
}

Value *emitLastRound(const Loop &loop, ScalarEvolution &evolution) {
  Instruction *place = loop.getLoopPreheader()->getTerminator();
  const SCEV *count = evolution.getBackedgeTakenCount(&loop);
  if (canExpand(loop, evolution)) {
    SCEVExpander expander(evolution, "rounds");
    return expander.expandCodeFor(count, count->getType(), place);
  }
  IRBuilder<> b(place);
  const CountedEnd counted = *countedEnd(loop);
  return b.CreateSub(b.CreateSub(counted.end, counted.begin),
                     ConstantInt::get(counted.end->getType(), 1));
}

} // namespace sluice::codegen
