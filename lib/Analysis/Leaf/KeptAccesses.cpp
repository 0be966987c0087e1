//===- KeptAccesses.cpp - Accesses that no pass removes -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls write memory that nothing else reaches, so they stay, and hinder
// neither loads nor stores.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/KeptAccesses.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

bool sluice::isOwnVariable(const Value &pointer) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(&pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return all_of(objects,
                [](const Value *object) { return isa<AllocaInst>(object); });
}

//===----------------------------------------------------------------------===//
// Calls beside accesses
//===----------------------------------------------------------------------===//

Function *KeptAccesses::standIn(Function *&known, StringRef name,
                                bool hasPlace) {
  if (known)
    return known;
  LLVMContext &context = function.getContext();
  SmallVector<Type *> parameters;
  if (hasPlace)
    parameters = {PointerType::getUnqual(context), Type::getInt64Ty(context)};
  known = Function::Create(FunctionType::get(Type::getVoidTy(context),
                                             parameters, /*isVarArg=*/true),
                           GlobalValue::ExternalLinkage, name,
                           function.getParent());
  known->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  known->setDoesNotThrow();
  known->setWillReturn();
  known->setNoSync();
  known->setDoesNotFreeMemory();
  if (hasPlace)
    known->addParamAttr(
        0, Attribute::getWithCaptureInfo(context, CaptureInfo::none()));
  return known;
}

/// Arguments of a call: the place, the alignment, and what is stored or a value
/// of the type that is loaded.
void KeptAccesses::note(Instruction &access) {
  IRBuilder<> builder(&access);
  if (isa<LoadInst, StoreInst>(access)) {
    auto *store = dyn_cast<StoreInst>(&access);
    Value *place = getLoadStorePointerOperand(&access);
    if (access.isAtomic() || access.isVolatile() ||
        place->getType()->getPointerAddressSpace() != 0 ||
        isa<ConstantData>(place) || isOwnVariable(*place))
      return;
    Function *callee = store ? standIn(writes, "sluice.kept.write", true)
                             : standIn(reads, "sluice.kept.read", true);
    Value *value =
        store ? store->getValueOperand() : PoisonValue::get(access.getType());
    Value *align = builder.getInt64(getLoadStoreAlignment(&access).value());
    builder.CreateCall(callee, {place, align, value});
    return;
  }
  // A function that only reads is called as often as its result is needed.
  auto *call = dyn_cast<CallInst>(&access);
  if (!call || isa<IntrinsicInst>(call) || call->doesNotAccessMemory() ||
      !call->onlyReadsMemory() || call->getType()->isVoidTy() ||
      call->getType()->isTokenTy())
    return;
  builder.SetInsertPoint(access.getNextNode());
  builder.SetCurrentDebugLocation(access.getDebugLoc());
  Value *result = &access;
  builder.CreateCall(standIn(results, "sluice.kept.result", false), result);
}

KeptAccesses::KeptAccesses(Function &function,
                           function_ref<bool(const Instruction &)> isKept)
    : function(function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (!isKept || isKept(instruction))
      note(instruction);
}

//===----------------------------------------------------------------------===//
// Accesses that are put back
//===----------------------------------------------------------------------===//

/// Whether an instance may wait here for others, or let others go on.
static bool mayOrder(const Instruction &instruction) {
  if (instruction.isAtomic() || isa<FenceInst>(instruction))
    return true;
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call || !call->mayWriteToMemory())
    return false;
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(call);
      intrinsic &&
      (intrinsic->isAssumeLikeIntrinsic() || isa<MemIntrinsic>(intrinsic)))
    return false;
  return !call->hasFnAttr(Attribute::NoSync) || !call->doesNotThrow();
}

/// Whether an instance that is at `from` always comes to `to`, which is later
/// in the block, and nothing orders it on the way.
static bool goesOn(const Instruction &from, const Instruction &to) {
  for (const Instruction *on = from.getNextNode(); on && on != &to;
       on = on->getNextNode())
    if (mayOrder(*on) || !isGuaranteedToTransferExecutionToSuccessor(on))
      return false;
  return true;
}

namespace {
/// Finds accesses that stand for those which passes have removed.
class StandingAccesses {
public:
  explicit StandingAccesses(Function &function)
      : dominators(function),
        hasOrder(any_of(instructions(function), mayOrder)) {}

  bool contain(const CallInst &removed, bool isWrite);

private:
  bool standsFor(const Instruction &access, const CallInst &removed) const;
  bool comesFrom(const Instruction &before, const Instruction &after) const;

  DominatorTree dominators;
  bool hasOrder;
};
} // namespace

/// Whether nothing orders an instance on its way from `before`, by which it
/// always comes, to `after`.
bool StandingAccesses::comesFrom(const Instruction &before,
                                 const Instruction &after) const {
  if (!hasOrder)
    return true;
  for (const Instruction *at = &after;;) {
    if (const Instruction *previous = at->getPrevNode()) {
      at = previous;
    } else {
      const BasicBlock *above = at->getParent()->getSinglePredecessor();
      if (!above || above == after.getParent())
        return false;
      at = above->getTerminator();
    }
    if (at == &before)
      return true;
    if (mayOrder(*at))
      return false;
  }
}

bool StandingAccesses::standsFor(const Instruction &access,
                                 const CallInst &removed) const {
  if (dominators.dominates(&access, &removed))
    return comesFrom(access, removed);
  return access.getParent() == removed.getParent() && goesOn(removed, access);
}

bool StandingAccesses::contain(const CallInst &removed, bool isWrite) {
  constexpr unsigned mostUsers = 1000;
  const DataLayout &layout = removed.getDataLayout();
  const Value *place = removed.getArgOperand(0);
  const TypeSize size =
      layout.getTypeStoreSize(removed.getArgOperand(2)->getType());
  unsigned numUsers = 0;
  for (const User *user : place->users()) {
    if (++numUsers == mostUsers)
      return false;
    const auto *access = dyn_cast<Instruction>(user);
    if (!access || access->getFunction() != removed.getFunction() ||
        access->isAtomic() || access->isVolatile() ||
        getLoadStorePointerOperand(access) != place ||
        (isWrite && !isa<StoreInst>(access)))
      continue;
    if (TypeSize::isKnownGE(layout.getTypeStoreSize(getLoadStoreType(access)),
                            size) &&
        standsFor(*access, removed))
      return true;
  }
  return false;
}

KeptAccesses::~KeptAccesses() {
  if (results)
    for (User *user : make_early_inc_range(results->users()))
      cast<Instruction>(user)->eraseFromParent();
  if (reads || writes) {
    StandingAccesses standing(function);
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<CallInst>(&instruction);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || (callee != reads && callee != writes))
        continue;
      const bool isWrite = callee == writes;
      if (!standing.contain(*call, isWrite)) {
        IRBuilder<> builder(call);
        Value *place = call->getArgOperand(0), *value = call->getArgOperand(2);
        const Align align(
            cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
        if (isWrite)
          builder.CreateAlignedStore(value, place, align);
        else
          builder.CreateAlignedLoad(value->getType(), place, align);
      }
      call->eraseFromParent();
    }
  }
  for (Function *known : {reads, writes, results})
    if (known)
      known->eraseFromParent();
}
