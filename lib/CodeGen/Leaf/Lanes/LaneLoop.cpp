//===- LaneLoop.cpp - Loops over instances that lanes may run -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes can run the instructions that are listed here; all others are refused.
//
//===----------------------------------------------------------------------===//

#include "LaneLoop.h"

#include "LoopRounds.h"
#include "PrivateMemory.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace sluice::codegen {

/// Whether vectors of the type compute the same bits as scalar code.
static bool isNumber(Type *type) {
  return type->isFloatTy() || type->isDoubleTy() || type->isPointerTy() ||
         (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

/// Bytes that vectors hold as memory does.
static bool isElement(Type *type, const DataLayout &layout) {
  return isNumber(type) &&
         layout.getTypeSizeInBits(type) == layout.getTypeAllocSizeInBits(type);
}

/// Memory that instances share: what leaves get, perhaps as a pointer loaded
/// before the loop. They may read it without a mark, which passes of LLVM's may
/// have lost, as long as all writes have one.
static bool isShared(const Value *pointer, const Loop &loop) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(pointer, objects);
  return all_of(objects, [&](const Value *object) {
    const auto *variable = dyn_cast<GlobalVariable>(object);
    const auto *loaded = dyn_cast<LoadInst>(object);
    return isa<Argument>(object) || (variable && !variable->isThreadLocal()) ||
           (loaded && !loop.contains(loaded));
  });
}

/// The loop's accesses that are marked to be independent.
static bool isMarked(const Instruction &access, ArrayRef<MDNode *> groups) {
  const MDNode *own = access.getMetadata(LLVMContext::MD_access_group);
  if (!own)
    return false;
  if (own->getNumOperands() == 0)
    return is_contained(groups, own);
  return any_of(own->operands(), [&](const MDOperand &group) {
    return is_contained(groups, group.get());
  });
}

static SmallVector<MDNode *> independentGroups(const Loop &loop) {
  SmallVector<MDNode *> groups;
  if (MDNode *property = findOptionMDForLoop(&loop, "llvm.loop.parallel_"
                                                    "accesses"))
    for (const MDOperand &group : drop_begin(property->operands()))
      groups.push_back(cast<MDNode>(group.get()));
  return groups;
}

/// Whether each instance has an element of its own at the address of `access`,
/// a load or store: the address moves by at least its size, all others in that
/// memory are the same, and what else the loop accesses is apart from it.
static bool isOwnElement(const Instruction &access, const Loop &loop,
                         ScalarEvolution &evolution, AAResults &aliases) {
  auto addressOf = [&](const Instruction &other) -> const SCEV * {
    const Value *pointer = getLoadStorePointerOperand(&other);
    return pointer ? evolution.getSCEV(const_cast<Value *>(pointer)) : nullptr;
  };
  auto *address = dyn_cast<SCEVAddRecExpr>(addressOf(access));
  if (!address || address->getLoop() != &loop || !address->isAffine())
    return false;
  auto *step = dyn_cast<SCEVConstant>(address->getStepRecurrence(evolution));
  if (!step)
    return false;
  const APInt distance = step->getAPInt().abs();
  auto fits = [&](const Instruction &other) {
    return distance.uge(
        access.getDataLayout().getTypeStoreSize(getLoadStoreType(&other)));
  };
  BatchAAResults apart(aliases);
  apart.enableCrossIterationMode();
  const auto whole = MemoryLocation::getBeforeOrAfter(
      getLoadStorePointerOperand(&access), access.getAAMetadata());
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &other : *block) {
      const auto *call = dyn_cast<IntrinsicInst>(&other);
      if (!other.mayReadOrWriteMemory() ||
          (call && call->isAssumeLikeIntrinsic()))
        continue;
      if (addressOf(other) == address
              ? !fits(other)
              : isModOrRefSet(apart.getModRefInfo(&other, whole)))
        return false;
    }
  return true;
}

Function *variantFor(const CallInst &call, unsigned numLanes) {
  return VFDatabase(const_cast<CallInst &>(call))
      .getVectorizedFunction(VFShape::get(call.getFunctionType(),
                                          ElementCount::getFixed(numLanes),
                                          /*HasGlobalPred=*/false));
}

/// Whether the call is of a function of numbers that has vector variants.
static bool isVectorFunction(const CallInst &call) {
  return call.doesNotAccessMemory() && !call.hasOperandBundles() &&
         !VFDatabase::getMappings(call).empty() && isNumber(call.getType()) &&
         all_of(call.args(),
                [](const Use &use) { return isNumber(use->getType()); });
}

static bool isPlainCall(const CallInst &call) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (!intrinsic)
    return isVectorFunction(call);
  if (intrinsic->isAssumeLikeIntrinsic())
    return true;
  Intrinsic::ID id = intrinsic->getIntrinsicID();
  return isTriviallyVectorizable(id) && isNumber(call.getType()) &&
         all_of(call.args(),
                [](const Use &use) { return isNumber(use->getType()); }) &&
         call.doesNotAccessMemory() && !call.hasOperandBundles();
}

/// Whether lanes may access the other memory that a fill or copy of private
/// memory uses.
static bool touchesKnown(const CallInst &call, const Loop &loop,
                         const PrivateMemory &memory, ArrayRef<MDNode *> groups,
                         bool isOwn) {
  const auto &intrinsic = cast<MemIntrinsic>(call);
  bool isAny = isOwn || isMarked(call, groups);
  const auto *transfer = dyn_cast<MemTransferInst>(&intrinsic);
  return (isAny || memory.contains(intrinsic.getRawDest())) &&
         (isAny || !transfer || memory.contains(transfer->getRawSource()) ||
          isShared(transfer->getRawSource(), loop));
}

static bool isUnderstood(const Instruction &instruction, const Loop &loop,
                         const PrivateMemory &memory, ArrayRef<MDNode *> groups,
                         ScalarEvolution &evolution, AAResults &aliases,
                         bool isOwn) {
  const DataLayout &layout = instruction.getDataLayout();
  Type *type = instruction.getType();
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple() && isElement(type, layout) &&
           (isOwn || memory.contains(load->getPointerOperand()) ||
            isMarked(*load, groups) ||
            isShared(load->getPointerOperand(), loop) ||
            isOwnElement(*load, loop, evolution, aliases));
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return store->isSimple() &&
           isElement(store->getValueOperand()->getType(), layout) &&
           (isOwn || memory.contains(store->getPointerOperand()) ||
            isMarked(*store, groups) ||
            isOwnElement(*store, loop, evolution, aliases));
  if (const auto *call = dyn_cast<CallInst>(&instruction))
    return isPlainCall(*call) ||
           (memory.isCopy(*call) &&
            touchesKnown(*call, loop, memory, groups, isOwn));
  if (instruction.isTerminator())
    return isa<BranchInst, SwitchInst>(instruction);
  return isNumber(type) &&
         all_of(instruction.operands(),
                [](const Use &use) { return isNumber(use->getType()); }) &&
         isa<PHINode, BinaryOperator, UnaryOperator, CmpInst, CastInst,
             SelectInst, FreezeInst, GetElementPtrInst>(instruction);
}

/// Loops in loops have one latch each, and an exit of their own.
static bool isSimple(const Loop &loop) {
  return loop.isLoopSimplifyForm() &&
         all_of(loop, [](const Loop *inner) { return isSimple(*inner); });
}

static bool hasLiveOut(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      for (const User *user : instruction.users())
        if (!loop.contains(cast<Instruction>(user)))
          return true;
  return false;
}

static bool findSteps(LaneLoop &result, ScalarEvolution &evolution) {
  for (PHINode &phi : result.loop->getHeader()->phis()) {
    InductionDescriptor induction;
    if (!evolution.isSCEVable(phi.getType()) ||
        !InductionDescriptor::isInductionPHI(&phi, result.loop, &evolution,
                                             induction))
      return false;
    const ConstantInt *step = induction.getConstIntStepValue();
    if (!step || step->getBitWidth() > 64)
      return false;
    result.steps[&phi] = step->getSExtValue();
  }
  return !result.steps.empty();
}

/// Why `instruction`, which is not understood, has no counterpart in vectors.
static std::string reasonAgainst(const Instruction &instruction) {
  if (const auto *call = dyn_cast<CallBase>(&instruction)) {
    const Function *callee = call->getCalledFunction();
    return callee ? ("the function '" + callee->getName() +
                     "' has no form for vectors")
                        .str()
                  : "it calls a function through a pointer";
  }
  if (instruction.isAtomic() || instruction.isVolatile())
    return "this access is atomic or volatile";
  if (isa<LoadInst, StoreInst>(instruction)) {
    const Type *type = getLoadStoreType(&instruction);
    return isElement(const_cast<Type *>(type), instruction.getDataLayout())
               ? "this access may meet one of another instance"
               : "vectors have no elements of the type of this access";
  }
  return "vectors have no counterpart of this operation or of its type";
}

std::optional<LaneLoop> describeLaneLoop(Loop &loop, const LoopInfo &loops,
                                         const PrivateMemory &memory,
                                         ScalarEvolution &evolution,
                                         AAResults &aliases,
                                         LaneRefusal &refusal, bool isOwn) {
  auto refuse = [&](std::string reason, const Instruction *place = nullptr) {
    refusal = {std::move(reason), place};
    return std::nullopt;
  };
  LaneLoop result;
  result.loop = &loop;
  result.exit = loop.getExitBlock();
  if (!isSimple(loop) || !result.exit ||
      loop.getExitingBlock() != loop.getLoopLatch())
    return refuse("its loops have several ends");
  if (hasLiveOut(loop))
    return refuse("a value of the last instance is used after the loop");
  LoopBlocksRPO order(&loop);
  order.perform(&loops);
  if (containsIrreducibleCFG<BasicBlock *>(order, loops))
    return refuse("it jumps into the middle of a loop");
  if (loop.getHeader()->getParent()->hasFnAttribute(Attribute::StrictFP))
    return refuse("the program observes how numbers are rounded");
  SmallVector<MDNode *> groups = independentGroups(loop);
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (!isUnderstood(instruction, loop, memory, groups, evolution, aliases,
                        isOwn))
        return refuse(reasonAgainst(instruction), &instruction);
  if (!knowsLastRound(loop, evolution))
    return refuse("the number of instances is not known before the first one");
  if (!findSteps(result, evolution))
    return refuse("each instance uses a value of the one before it");
  return result;
}

} // namespace sluice::codegen
