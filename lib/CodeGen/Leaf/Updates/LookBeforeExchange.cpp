//===- LookBeforeExchange.cpp - Loads before exchanges that may fail ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//     r = cmpxchg p, e, n     =>     old = load atomic p
//                                    if (old == e) r = cmpxchg p, e, n
//                                    else          r = {old, false}
//
// By the memory models of LLVM and C, a failed exchange is a load with the
// exchange's failure ordering. It may return any value that the load may
// return.
//
//===----------------------------------------------------------------------===//

#include "LookBeforeExchange.h"

#include "sluice/CodeGen/RangeFunction.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#define DEBUG_TYPE "sluice-look-before-exchange"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numLooks,
                         "Exchanges after a load that finds what they expect");

namespace sluice::codegen {

/// Loads that are wider than a pointer may become calls.
static bool mayLook(const AtomicCmpXchgInst &exchange) {
  const Value *expected = exchange.getCompareOperand();
  const DataLayout &layout = exchange.getDataLayout();
  return !exchange.isVolatile() && isa<Constant, Argument>(expected) &&
         layout.getTypeSizeInBits(expected->getType()).getFixedValue() <=
             layout.getPointerSizeInBits();
}

static void lookBefore(AtomicCmpXchgInst &exchange) {
  BasicBlock *before = exchange.getParent();
  IRBuilder<> builder(&exchange);
  Value *expected = exchange.getCompareOperand();
  LoadInst *old = builder.CreateAlignedLoad(expected->getType(),
                                            exchange.getPointerOperand(),
                                            exchange.getAlign(), "found");
  old->setAtomic(exchange.getFailureOrdering(), exchange.getSyncScopeID());
  Value *isExpected = builder.CreateICmpEQ(old, expected);
  Value *failed =
      builder.CreateInsertValue(PoisonValue::get(exchange.getType()), old, 0);
  failed = builder.CreateInsertValue(failed, builder.getFalse(), 1);

  Instruction *end = SplitBlockAndInsertIfThen(
      isExpected, exchange.getIterator(), /*Unreachable=*/false);
  PHINode *result = PHINode::Create(exchange.getType(), 2, "exchanged");
  exchange.replaceAllUsesWith(result);
  result->insertBefore(exchange.getParent()->begin());
  result->setDebugLoc(exchange.getDebugLoc());
  exchange.moveBefore(end->getIterator());
  result->addIncoming(failed, before);
  result->addIncoming(&exchange, end->getParent());

  // Replaces both parts separately, so that branches see constants.
  for (User *user : make_early_inc_range(result->users())) {
    auto *part = dyn_cast<ExtractValueInst>(user);
    if (!part)
      continue;
    bool isOld = part->getIndices().front() == 0;
    IRBuilder<> inner(end);
    Value *own = inner.CreateExtractValue(&exchange, part->getIndices());
    PHINode *both = PHINode::Create(part->getType(), 2);
    both->addIncoming(isOld ? cast<Value>(old) : inner.getFalse(), before);
    both->addIncoming(own, end->getParent());
    both->insertBefore(result->getIterator());
    both->takeName(part);
    both->setDebugLoc(part->getDebugLoc());
    part->replaceAllUsesWith(both);
    part->eraseFromParent();
  }
}

PreservedAnalyses LookBeforeExchange::run(Function &function,
                                          FunctionAnalysisManager &) {
  if (!function.hasFnAttribute(collectsUpdatesAttribute))
    return PreservedAnalyses::all();
  SmallVector<AtomicCmpXchgInst *> found;
  for (Instruction &instruction : instructions(function))
    if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      if (mayLook(*exchange))
        found.push_back(exchange);
  for (AtomicCmpXchgInst *exchange : found)
    lookBefore(*exchange);
  numLooks += found.size();
  return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
