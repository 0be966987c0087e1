//===- AloneUpdates.cpp - Atomics where nobody else runs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//     r = atomicrmw add p, x    =>    if (invocation->isAlone)
//                                       r = load atomic p; store atomic r + x
//                                     else r = atomicrmw add p, x
//
//     range(...)  =>  if (invocation->isAlone) { range.alone(...); return; }
//
//===----------------------------------------------------------------------===//

#include "AloneUpdates.h"

#include "sluice-c/Plan.h"
#include "sluice/CodeGen/RangeFunction.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

#include <cstddef>

#define DEBUG_TYPE "sluice-alone-updates"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numAloneUpdates, "Atomics with a twin for one worker");

namespace sluice::codegen {

/// Marks atomics that never run alone.
static constexpr StringLiteral sharedMark = "sluice.shared";

/// Whether the atomic is one instruction; a wider one may be a call.
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
                          Align align, AtomicOrdering ordering) {
  LoadInst *old = builder.CreateAlignedLoad(type, pointer, align, "old");
  old->setAtomic(ordering);
  return old;
}

static void emitStore(IRBuilderBase &builder, Value *value, Value *pointer,
                      Align align, AtomicOrdering ordering) {
  builder.CreateAlignedStore(value, pointer, align)->setAtomic(ordering);
}

static Value *emitPlain(IRBuilderBase &builder, AtomicRMWInst &update,
                        AtomicOrdering ordering) {
  Value *pointer = update.getPointerOperand();
  Align align = update.getAlign();
  Value *old = emitLoad(builder, update.getType(), pointer, align, ordering);
  emitStore(builder,
            buildAtomicRMWValue(update.getOperation(), builder, old,
                                update.getValOperand()),
            pointer, align, ordering);
  return old;
}

/// Stores what was there where it is not what is expected.
static Value *emitPlain(IRBuilderBase &builder, AtomicCmpXchgInst &exchange,
                        AtomicOrdering ordering) {
  Value *pointer = exchange.getPointerOperand();
  Value *expected = exchange.getCompareOperand();
  Align align = exchange.getAlign();
  Value *old = emitLoad(builder, expected->getType(), pointer, align, ordering);
  Value *isExpected = builder.CreateICmpEQ(old, expected);
  emitStore(builder,
            builder.CreateSelect(isExpected, exchange.getNewValOperand(), old),
            pointer, align, ordering);
  Value *result =
      builder.CreateInsertValue(PoisonValue::get(exchange.getType()), old, 0);
  return builder.CreateInsertValue(result, isExpected, 1);
}

static Value *emitPlain(IRBuilderBase &builder, Instruction &atomic,
                        AtomicOrdering ordering) {
  builder.SetCurrentDebugLocation(atomic.getDebugLoc());
  if (auto *update = dyn_cast<AtomicRMWInst>(&atomic))
    return emitPlain(builder, *update, ordering);
  return emitPlain(builder, cast<AtomicCmpXchgInst>(atomic), ordering);
}

static void choose(Instruction &atomic, Value *isAlone) {
  Instruction *alone, *shared;
  SplitBlockAndInsertIfThenElse(isAlone, atomic.getIterator(), &alone, &shared);
  IRBuilder<> builder(alone);
  Value *plain = emitPlain(builder, atomic, AtomicOrdering::Monotonic);
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

static Argument *invocationOf(Function &function) {
  for (Argument &argument : function.args())
    if (argument.hasAttribute(invocationAttribute))
      return &argument;
  return nullptr;
}

static SmallVector<Instruction *> findAtomics(Function &function) {
  SmallVector<Instruction *> found;
  for (Instruction &instruction : instructions(function))
    if (mayBePlain(instruction) && !instruction.getMetadata(sharedMark))
      found.push_back(&instruction);
  return found;
}

static Value *emitIsAlone(IRBuilderBase &builder, Argument &invocation) {
  Value *place = builder.CreateConstInBoundsGEP1_64(
      builder.getInt8Ty(), &invocation, offsetof(SluiceInvocation, isAlone));
  return builder.CreateIsNotNull(
      builder.CreateLoad(builder.getInt32Ty(), place), "alone");
}

Function *copyForAlone(Function &range) {
  if (!invocationOf(range))
    return nullptr;
  SmallVector<Instruction *> found = findAtomics(range);
  DominatorTree dominators(range);
  LoopInfo loops(dominators);
  if (none_of(found, [&](const Instruction *atomic) {
        return loops.getLoopFor(atomic->getParent());
      }))
    return nullptr;
  ValueToValueMapTy map;
  Function *alone = CloneFunction(&range, map);
  alone->setName(range.getName() + ".alone");
  alone->setLinkage(GlobalValue::InternalLinkage);
  return alone;
}

/// The loops over instances state of accesses with a mark that they are
/// independent; these have none.
static void makePlain(Function &alone) {
  for (Instruction *atomic : findAtomics(alone)) {
    IRBuilder<> builder(atomic);
    atomic->replaceAllUsesWith(
        emitPlain(builder, *atomic, AtomicOrdering::NotAtomic));
    atomic->eraseFromParent();
  }
}

void chooseAlone(Function &range, Function &alone) {
  makePlain(alone);
  LLVMContext &context = range.getContext();
  for (Instruction *atomic : findAtomics(range))
    atomic->setMetadata(sharedMark, MDNode::get(context, {}));
  BasicBlock &entry = range.getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  DebugLoc place;
  if (DISubprogram *program = range.getSubprogram())
    place = DILocation::get(context, program->getLine(), 0, program);
  builder.SetCurrentDebugLocation(place);
  Value *isAlone = emitIsAlone(builder, *invocationOf(range));
  Instruction *next = SplitBlockAndInsertIfThen(
      isAlone, builder.GetInsertPoint(), /*Unreachable=*/false);
  builder.SetInsertPoint(next);
  builder.SetCurrentDebugLocation(place);
  SmallVector<Value *> arguments(make_pointer_range(range.args()));
  builder.CreateCall(&alone, arguments);
  builder.CreateRetVoid();
  next->eraseFromParent();
}

PreservedAnalyses AloneUpdates::run(Function &function,
                                    FunctionAnalysisManager &) {
  Argument *invocation = invocationOf(function);
  SmallVector<Instruction *> found = findAtomics(function);
  if (!invocation || found.empty())
    return PreservedAnalyses::all();
  BasicBlock &entry = function.getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  Value *isAlone = emitIsAlone(builder, *invocation);
  for (Instruction *atomic : found)
    choose(*atomic, isAlone);
  numAloneUpdates += found.size();
  return PreservedAnalyses::none();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
