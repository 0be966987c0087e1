//===- AloneUpdates.cpp - Atomics where nobody else runs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//     r = atomicrmw add p, x    =>    if (invocation->isAlone)
//                                       r = load atomic p; store atomic r + x
//                                     else r = atomicrmw add p, x
//
//===----------------------------------------------------------------------===//

#include "AloneUpdates.h"

#include "sluice-c/Plan.h"
#include "sluice/CodeGen/RangeFunction.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

#include <cstddef>

#define DEBUG_TYPE "sluice-alone-updates"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numAloneUpdates, "Atomics with a twin for one worker");

namespace sluice::codegen {

/// What is wider may be a call.
static bool isPlainWord(const Instruction &atomic, Type *type, Align align) {
  const DataLayout &layout = atomic.getDataLayout();
  uint64_t bits = layout.getTypeSizeInBits(type).getFixedValue();
  return isPowerOf2_64(bits) && bits >= 8 &&
         bits <= layout.getPointerSizeInBits() && align.value() * 8 >= bits;
}

static bool mayBePlain(const Instruction &instruction) {
  constexpr AtomicOrdering relaxed = AtomicOrdering::Monotonic;
  if (const auto *update = dyn_cast<AtomicRMWInst>(&instruction))
    return !update->isVolatile() && update->getOrdering() == relaxed &&
           update->getSyncScopeID() == SyncScope::System &&
           isPlainWord(*update, update->getType(), update->getAlign());
  const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction);
  return exchange && !exchange->isVolatile() &&
         exchange->getSuccessOrdering() == relaxed &&
         exchange->getFailureOrdering() == relaxed &&
         exchange->getSyncScopeID() == SyncScope::System &&
         isPlainWord(*exchange, exchange->getNewValOperand()->getType(),
                     exchange->getAlign());
}

static LoadInst *emitLoad(IRBuilderBase &builder, Type *type, Value *pointer,
                          Align align) {
  LoadInst *old = builder.CreateAlignedLoad(type, pointer, align, "old");
  old->setAtomic(AtomicOrdering::Monotonic);
  return old;
}

static void emitStore(IRBuilderBase &builder, Value *value, Value *pointer,
                      Align align) {
  builder.CreateAlignedStore(value, pointer, align)
      ->setAtomic(AtomicOrdering::Monotonic);
}

static Value *emitPlain(IRBuilderBase &builder, AtomicRMWInst &update) {
  Value *pointer = update.getPointerOperand();
  Align align = update.getAlign();
  Value *old = emitLoad(builder, update.getType(), pointer, align);
  emitStore(builder,
            buildAtomicRMWValue(update.getOperation(), builder, old,
                                update.getValOperand()),
            pointer, align);
  return old;
}

/// Stores what was there where it is not what is expected.
static Value *emitPlain(IRBuilderBase &builder, AtomicCmpXchgInst &exchange) {
  Value *pointer = exchange.getPointerOperand();
  Value *expected = exchange.getCompareOperand();
  Align align = exchange.getAlign();
  Value *old = emitLoad(builder, expected->getType(), pointer, align);
  Value *isExpected = builder.CreateICmpEQ(old, expected);
  emitStore(builder,
            builder.CreateSelect(isExpected, exchange.getNewValOperand(), old),
            pointer, align);
  Value *result =
      builder.CreateInsertValue(PoisonValue::get(exchange.getType()), old, 0);
  return builder.CreateInsertValue(result, isExpected, 1);
}

static void choose(Instruction &atomic, Value *isAlone) {
  Instruction *alone, *shared;
  SplitBlockAndInsertIfThenElse(isAlone, atomic.getIterator(), &alone, &shared);
  IRBuilder<> builder(alone);
  builder.SetCurrentDebugLocation(atomic.getDebugLoc());
  auto *update = dyn_cast<AtomicRMWInst>(&atomic);
  Value *plain = update ? emitPlain(builder, *update)
                        : emitPlain(builder, cast<AtomicCmpXchgInst>(atomic));
  BasicBlock *after = atomic.getParent();
  atomic.moveBefore(shared->getIterator());
  if (atomic.use_empty())
    return;
  PHINode *result = PHINode::Create(atomic.getType(), 2, "", after->begin());
  result->setDebugLoc(atomic.getDebugLoc());
  atomic.replaceAllUsesWith(result);
  result->addIncoming(plain, alone->getParent());
  result->addIncoming(&atomic, shared->getParent());
}

PreservedAnalyses AloneUpdates::run(Function &function,
                                    FunctionAnalysisManager &) {
  Argument *invocation = nullptr;
  for (Argument &argument : function.args())
    if (argument.hasAttribute(invocationAttribute))
      invocation = &argument;
  SmallVector<Instruction *> found;
  for (Instruction &instruction : instructions(function))
    if (invocation && mayBePlain(instruction))
      found.push_back(&instruction);
  if (found.empty())
    return PreservedAnalyses::all();
  BasicBlock &entry = function.getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  Value *place = builder.CreateConstInBoundsGEP1_64(
      builder.getInt8Ty(), invocation, offsetof(SluiceInvocation, isAlone));
  Value *isAlone = builder.CreateIsNotNull(
      builder.CreateLoad(builder.getInt32Ty(), place), "alone");
  for (Instruction *atomic : found)
    choose(*atomic, isAlone);
  numAloneUpdates += found.size();
  return PreservedAnalyses::none();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
