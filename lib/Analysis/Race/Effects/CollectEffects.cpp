//===- CollectEffects.cpp - What a leaf reads and writes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the accesses of a prepared leaf to memory that others may see.
//
//===----------------------------------------------------------------------===//

#include "EffectsCollector.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafMemory.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

unsigned EffectsCollector::mallocNumber(const CallBase &call) {
  auto [found, isNew] = mallocs.try_emplace(&call, mallocs.size());
  if (isNew)
    effects.mallocs.push_back(call.getDebugLoc());
  return found->second;
}

/// Whether a call returns the memory of an exception that no other instance
/// has. One that the program kept may be thrown again by several.
static bool isExceptionOfInstance(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  StringRef name = callee ? callee->getName() : StringRef();
  if (name == "__cxa_allocate_exception")
    return true;
  return name == "__cxa_begin_catch" &&
         none_of(*call.getModule(), [](const Function &function) {
           return function.getName().contains("rethrow_exception");
         });
}

/// True if the result points into the library's state.
static bool pointsIntoState(const Value &call) {
  std::optional<LibraryCall> known = libraryCallOf(call);
  return known && known->returnsState;
}

/// The argument into whose memory the result points; null if none is known.
static const Value *returnedBy(const Value &call) {
  std::optional<LibraryCall> known = libraryCallOf(call);
  return known && known->returnedArgument >= 0
             ? cast<CallBase>(call).getArgOperand(known->returnedArgument)
             : nullptr;
}

/// Names what `object` is; false if it is private to the instance or constant.
bool EffectsCollector::nameMemory(const Value &object, LeafMemory &memory,
                                  std::string &reason) {
  if (isa<AllocaInst, ConstantPointerNull, UndefValue>(object))
    return false;
  if (const auto *argument = dyn_cast<Argument>(&object)) {
    memory = {LeafMemory::Kind::Parameter, argument->getArgNo(), ""};
    return !argument->hasByValAttr();
  }
  if (const auto *global = dyn_cast<GlobalVariable>(&object)) {
    memory = {LeafMemory::Kind::Global, 0, global->getName().str()};
    return !global->isConstant() && !isOfThread(object);
  }
  if (const auto *call = dyn_cast<CallBase>(&object)) {
    if (hpvmIntrinsicName(*call) == "malloc") {
      memory = {LeafMemory::Kind::Malloc, mallocNumber(*call), ""};
      return true;
    }
    if (isNoAliasCall(call) || isAllocationFn(call, &library) ||
        isOfThread(object) || isExceptionOfInstance(*call))
      return false;
    if (std::optional<LibraryCall> known = libraryCallOf(*call);
        known && known->returnsState) {
      memory = {LeafMemory::Kind::Global, 0,
                libraryStateName(known->states.back().name)};
      return true;
    }
    // The argument may be null, which does not restrict the result.
    if (const Value *argument = returnedBy(*call))
      if (const Value *into = getUnderlyingObject(argument, /*MaxLookup=*/0);
          !isa<ConstantPointerNull, UndefValue>(into))
        return nameMemory(*into, memory, reason);
    const Function *callee = call->getCalledFunction();
    StringRef name = callee ? callee->getName() : StringRef();
    reason = callee ? "through the pointer that '" + name.str() + "' returns"
                    : "through the pointer that an indirect call returns";
  } else if (isOfThread(object)) {
    return false;
  } else if (isa<LoadInst>(object)) {
    reason = "through a pointer that is loaded from memory";
  } else if (isa<IntToPtrInst>(object)) {
    reason = "through a pointer that is made from an integer";
  } else {
    reason = "through a pointer whose origin is not known";
  }
  memory = {};
  return true;
}

/// Names the memory that a pointer leads to by the place from which the pointer
/// was loaded; false if this place is unknown or not sufficient.
bool EffectsCollector::followPointer(const Value &object, LeafAccess &access) {
  constexpr unsigned maxDepth = 4;
  const auto *load = dyn_cast<LoadInst>(&object);
  if (!load || !load->isSimple() ||
      !leaf.hasFnAttribute(followsPointersAttribute))
    return false;
  auto *pointer = const_cast<Value *>(load->getPointerOperand());
  const Value *holder = getUnderlyingObject(pointer, /*MaxLookup=*/0);
  std::string ignored;
  if (!followPointer(*holder, access) &&
      (!nameMemory(*holder, access.memory, ignored) ||
       (access.memory.kind != LeafMemory::Kind::Parameter &&
        access.memory.kind != LeafMemory::Kind::Global)))
    return false;
  std::optional<Polynomial> offset =
      values.offset(pointer, holder, *load->getParent(), ignored);
  if (!offset || !offset->isValid() || access.memory.depth == maxDepth) {
    access.memory = {};
    return false;
  }
  access.pointers.push_back(*offset);
  ++access.memory.depth;
  return true;
}

void EffectsCollector::push(Instruction &instruction, LeafAccess access,
                            Use use) {
  conditions.describe(*instruction.getParent(), access);
  if (transferLength) {
    // Byte by byte, as a loop around the access.
    Symbol turn;
    turn.kind = Symbol::Kind::Turn;
    turn.index = 1000 + numTransfers;
    for (std::optional<Polynomial> *offset :
         {&access.offset, &access.followed, &access.within})
      if (*offset)
        **offset += Polynomial::of(turn);
    const Condition limit = {Condition::Kind::NotPositive,
                             Polynomial::of(turn) - *transferLength + 1,
                             static_cast<int>(turn.index)};
    access.conditions.push_back(limit);
    if (access.followedConditions)
      access.followedConditions->push_back(limit);
  }
  access.guards = guards.at(instruction);
  access.awaits = assumptions.awaits(instruction);
  access.isAwaited = assumptions.isAwaited(instruction);
  access.place = instruction.getDebugLoc();
  access.origin = &instruction;
  access.isAtomic = use.isAtomic;
  // A write stands for the read of the same place as well.
  access.isWrite = use.isWrite;
  access.update = use.update;
  if (access.memory.kind == LeafMemory::Kind::Unknown)
    effects.isComplete = false;
  effects.accesses.push_back(std::move(access));
  origins.push_back(&instruction);
}

void EffectsCollector::addPart(Instruction &instruction, Value *pointer,
                               const Value *object, Use use, bool isOnlyObject,
                               const LeafAccess &form) {
  LeafAccess access = form;
  std::string reason;
  if (!followPointer(*object, access)) {
    access.pointers.clear();
    if (!nameMemory(*object, access.memory, reason))
      return;
  }
  if (returnedBy(*object) || pointsIntoState(*object)) {
    isOnlyObject = false;
    access.reason = "a function of the library says where in it";
  }
  if (access.memory.kind != LeafMemory::Kind::Unknown && access.size > 0) {
    const BasicBlock &block = *instruction.getParent();
    if (isOnlyObject)
      access.offset = values.offset(pointer, object, block, reason);
    else
      reason = "it may point to one of several objects";
    std::string ignored;
    if (access.offset)
      reason.clear();
    else if (isOnlyObject) {
      access.followed =
          values.offset(pointer, object, block, ignored, Follow::Loads);
      access.within =
          values.offset(pointer, object, block, ignored, Follow::AnyNumber);
    }
  }
  if (access.reason.empty())
    access.reason = reason;
  push(instruction, std::move(access), use);
}

void EffectsCollector::addAccess(Instruction &instruction, Value *pointer,
                                 Use use, TypeSize size) {
  LeafAccess form;
  form.size = size.isScalable() ? 0 : size.getFixedValue();
  form.sides = assumptions.sidesOf(instruction, *pointer);
  form.vouches = assumptions.vouchesOf(instruction, *pointer);
  SmallVector<const Value *> objects;
  getUnderlyingObjects(pointer, objects, &values.loops, /*MaxLookup=*/0);
  for (const Value *object : objects) {
    LeafAccess part = form;
    if (objects.size() != 1) {
      // Assumptions about an object hold for pointers that lead to it.
      append_range(part.sides, assumptions.sidesOf(instruction, *object));
      append_range(part.vouches, assumptions.vouchesOf(instruction, *object));
    }
    addPart(instruction, pointer, object, use, objects.size() == 1, part);
  }
}

void EffectsCollector::addUnknown(Instruction &instruction,
                                  std::string reason) {
  LeafAccess access;
  access.isUnknownCode = true;
  access.reason = std::move(reason);
  push(instruction, std::move(access), {.isRead = true, .isWrite = true});
}

void EffectsCollector::visit(Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return addAccess(*load, load->getPointerOperand(),
                     {.isRead = true, .isAtomic = load->isAtomic()},
                     layout.getTypeStoreSize(load->getType()));
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return addAccess(
        *store, store->getPointerOperand(),
        {.isWrite = true, .isAtomic = store->isAtomic()},
        layout.getTypeStoreSize(store->getValueOperand()->getType()));
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
    return addAccess(*update, update->getPointerOperand(),
                     {.isRead = true,
                      .isWrite = true,
                      .isAtomic = true,
                      .update = operatorNamed(AtomicRMWInst::getOperationName(
                          update->getOperation()))},
                     layout.getTypeStoreSize(update->getType()));
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return addAccess(
        *exchange, exchange->getPointerOperand(),
        {.isRead = true, .isWrite = true, .isAtomic = true},
        layout.getTypeStoreSize(exchange->getNewValOperand()->getType()));
  if (auto *call = dyn_cast<CallBase>(&instruction))
    visitCall(*call);
}

LeafEffects EffectsCollector::run() {
  for (Instruction &instruction : instructions(leaf))
    if (values.dominators.isReachableFromEntry(instruction.getParent()))
      visit(instruction);
  collectOutputs();
  effects.vouches = assumptions.getVouches();
  effects.numDisjointCalls = assumptions.numDisjointCalls();
  effects.order = LeafOrder::of(leaf);
  effects.numParameters = leaf.arg_size();
  effects.counters = findCounters(leaf, values);
  effects.hasBarrier = mayExecuteBarrier(leaf);
  if (effects.hasBarrier)
    findIntervals(leaf, effects, origins, divergentArguments, analyses);
  return std::move(effects);
}

LeafEffects races::collectEffects(Function &leaf,
                                  ArrayRef<unsigned> divergentArguments,
                                  FunctionAnalysisManager &analyses) {
  return EffectsCollector(leaf, divergentArguments, analyses).run();
}
