//===- MachineRun.cpp - Leaf code, executed at compile time ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine marks values that depend on arguments or on memory. So it is
// known afterwards for which other arguments the run would have been the same.
// If an unknown value decides a branch, the machine follows one of the ways,
// and events that only happen there do not count. The run ends if the program
// does something undefined.
//
//===----------------------------------------------------------------------===//

#include "MachineRun.h"
#include "../Effects/LeafCode.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafAtomics.h"
#include "sluice/Analysis/LeafLocks.h"
#include "sluice/Analysis/LeafMemory.h"
#include "sluice/Analysis/LibraryCalls.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

/// What a function of the C library is passed, as far as its size is known, and
/// what it keeps.
void Machine::Run::touchLibrary(const CallBase &call,
                                const LibraryCall &known) {
  uint8_t origin = Nothing;
  auto numberAt = [&](int argument) -> std::optional<int64_t> {
    Datum datum = valueOf(call.getArgOperand(argument));
    origin |= datum.origin;
    const auto *number = dyn_cast_or_null<ConstantInt>(datum.constant);
    return number && number->getValue().isIntN(46)
               ? std::optional(int64_t(number->getZExtValue()))
               : std::nullopt;
  };
  for (const LibraryUse &use : known.uses) {
    std::optional<int64_t> bytes;
    origin = Nothing;
    if (use.size == LibraryUse::Size::Text) {
      if (uint64_t length = GetStringLength(call.getArgOperand(use.count)))
        bytes = length;
    } else if (use.size == LibraryUse::Size::Counted) {
      bytes = numberAt(use.count);
      std::optional<int64_t> unit =
          use.unit < 0 ? std::optional<int64_t>(1) : numberAt(use.unit);
      if (!bytes || !unit || llvm::MulOverflow(*bytes, *unit, *bytes))
        bytes.reset();
    }
    if (!bytes || *bytes == 0)
      continue;
    Datum pointer = valueOf(call.getArgOperand(use.argument));
    pointer.origin |= origin;
    touch(call, pointer, *bytes, use.isWritten,
          /*isSizeOpen=*/(origin & Arguments) != 0);
  }
  for (const LibraryState &kept : known.states) {
    if (kept.isLocked || !kept.isCertain)
      continue;
    Datum state;
    state.object = addObject({MemoryObject{
        MemoryObject::Kind::Global, 0, nullptr, libraryStateName(kept.name)}});
    touch(call, state, 1, kept.isWritten);
  }
}

Datum Machine::Run::call(const CallBase &call) {
  StringRef name = hpvmIntrinsicName(call);
  Datum unknown;
  unknown.origin = Memory;
  if (std::optional<Symbol> symbol = symbolOfQuery(call))
    return query(*symbol, call.getType());
  if (name == "barrier") {
    ++barriers;
    forgetShared();
  }
  if (name == "order.begin")
    hasWaited = true;
  if (name == "order.end")
    for (Touch &touch : result.touches)
      touch.isAwaited = true;
  if (name == "malloc") {
    Datum memory;
    memory.object = addObject(
        {MemoryObject{MemoryObject::Kind::Malloc, 0, &machine.leaf, ""}});
    return memory;
  }
  if (std::optional<HPVMAtomic> atomic = hpvmAtomicOf(call)) {
    Datum pointer = valueOf(atomic->address);
    int64_t size = layout.getTypeStoreSize(atomic->type);
    touch(call, pointer, size, atomic->isWritten);
    Datum old = load(pointer, atomic->type);
    old.origin |= Memory | Atomic;
    if (pointer.isPointer())
      forget(pointer, size);
    return old;
  }
  if (!name.empty())
    return unknown;
  const Function *callee = call.getCalledFunction();
  if (callee && canConstantFoldCallTo(&call, callee)) {
    Datum result;
    SmallVector<Constant *, 4> operands;
    bool isKnown = true;
    for (const Value *operand : call.args()) {
      Datum datum = valueOf(operand);
      result.origin |= datum.origin;
      isKnown &= datum.constant != nullptr;
      operands.push_back(datum.constant);
    }
    if (isKnown)
      result.constant =
          ConstantFoldCall(&call, const_cast<Function *>(callee), operands);
    if (result.constant && result.constant->containsUndefOrPoisonElement())
      result.constant = nullptr;
    if (result.constant && isa<UndefValue>(result.constant))
      result.constant = nullptr;
    return result;
  }
  if (isa<IntrinsicInst>(call) && call.doesNotAccessMemory())
    for (const Value *operand : call.args())
      unknown.origin |= valueOf(operand).origin;
  if (call.doesNotAccessMemory() || call.onlyAccessesInaccessibleMemory())
    return unknown;
  mayBeOrdered |= machine.unknownCalls.contains(&call);
  if (std::optional<LibraryCall> known = libraryCallOf(call))
    touchLibrary(call, *known);
  LockCall kind = lockCallOf(call);
  switch (kind) {
  case LockCall::Lock:
  case LockCall::LockShared:
    lock(call, kind == LockCall::LockShared);
    // Who waits for a lock gets it.
    if (call.getType()->isIntegerTy())
      unknown = {ConstantInt::get(call.getType(), 0)};
    break;
  case LockCall::Unlock:
    unlock(call);
    break;
  case LockCall::TryLock:
    unknown.origin |= Atomic;
    break;
  case LockCall::Wait:
    mayBeOrdered = true;
    break;
  case LockCall::None:
  case LockCall::OnceBegin:
  case LockCall::OnceEnd:
    // Whatever it does, nothing is known any more of what it can reach.
    depend(Memory);
    bytes.clear();
    pointers.clear();
    return unknown;
  }
  // Others may have been at work.
  result.isAlways = false;
  forgetShared();
  return unknown;
}

/// Whether the pointer is the guard of a static variable, which orders only the
/// initialisation.
static bool isGuardOfStatic(const Value &pointer) {
  const auto *global = dyn_cast<GlobalVariable>(&pointer);
  return global && any_of(global->users(), [](const User *user) {
           return lockCallOf(*user) == LockCall::OnceBegin;
         });
}

/// Returns false if the execution cannot go on.
bool Machine::Run::step(const Instruction &instruction) {
  Datum value;
  if (auto *loaded = dyn_cast<LoadInst>(&instruction)) {
    Datum pointer = valueOf(loaded->getPointerOperand());
    touch(instruction, pointer, layout.getTypeStoreSize(loaded->getType()),
          false);
    value = load(pointer, loaded->getType());
    if (loaded->isAtomic())
      value.origin |= isGuardOfStatic(*loaded->getPointerOperand())
                          ? Memory
                          : Memory | Atomic;
  } else if (auto *stored = dyn_cast<StoreInst>(&instruction)) {
    Datum pointer = valueOf(stored->getPointerOperand());
    Type *type = stored->getValueOperand()->getType();
    touch(instruction, pointer, layout.getTypeStoreSize(type), true);
    if (!pointer.isPointer()) {
      bytes.clear();
      pointers.clear();
    }
    store(pointer, valueOf(stored->getValueOperand()), type);
  } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction)) {
    auto *update = dyn_cast<AtomicRMWInst>(&instruction);
    auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction);
    Datum pointer = valueOf(update ? update->getPointerOperand()
                                   : exchange->getPointerOperand());
    Type *type =
        update ? update->getType() : exchange->getNewValOperand()->getType();
    int64_t size = layout.getTypeStoreSize(type);
    touch(instruction, pointer, size, true);
    if (update)
      value = load(pointer, type);
    value.origin |= Memory | Atomic;
    if (pointer.isPointer())
      forget(pointer, size);
  } else if (auto *slot = dyn_cast<AllocaInst>(&instruction)) {
    ReachableMemory object;
    if (auto size = slot->getAllocationSize(layout);
        size && !size->isScalable())
      object.size = size->getFixedValue();
    value.object = objectFor(slot, std::move(object));
  } else if (auto *gep = dyn_cast<GEPOperator>(&instruction)) {
    value = address(*gep);
  } else if (auto *select = dyn_cast<SelectInst>(&instruction)) {
    Datum condition = valueOf(select->getCondition());
    auto *known = dyn_cast_or_null<ConstantInt>(condition.constant);
    Datum yes = valueOf(select->getTrueValue());
    Datum no = valueOf(select->getFalseValue());
    if (known)
      value = known->isOne() ? yes : no;
    else
      value.origin = yes.origin | no.origin;
    value.origin |= condition.origin;
    value.isPoison |= condition.isPoison;
  } else if (isa<FreezeInst>(instruction)) {
    value = valueOf(instruction.getOperand(0));
    value.isPoison = false;
  } else if (auto *transferred = dyn_cast<MemIntrinsic>(&instruction)) {
    if (!transfer(*transferred))
      return false;
  } else if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
             intrinsic && (intrinsic->isAssumeLikeIntrinsic() ||
                           isa<DbgInfoIntrinsic>(intrinsic))) {
    if (intrinsic->getIntrinsicID() == Intrinsic::expect)
      value = valueOf(intrinsic->getArgOperand(0));
    if (intrinsic->getIntrinsicID() == Intrinsic::assume) {
      Datum condition = valueOf(intrinsic->getArgOperand(0));
      if (condition.constant && condition.constant->isNullValue())
        stop(condition.origin);
    }
  } else if (auto *called = dyn_cast<CallBase>(&instruction)) {
    value = call(*called);
  } else if (instruction.getType()->isPointerTy() &&
             isa<BitCastInst, AddrSpaceCastInst>(instruction)) {
    value = valueOf(instruction.getOperand(0));
  } else {
    value = fold(instruction);
  }
  value.origin |= joined();
  values[&instruction] = value;
  return true;
}

/// Where memory decides, but nothing else that others may know of; else the
/// execution ends, and is not complete.
const BasicBlock *Machine::Run::goSomeWay(const Instruction &terminator,
                                          const Datum &condition) {
  if (!isa<BranchInst>(terminator) || !(condition.origin & Memory) ||
      (condition.origin & (Unknown | Atomic)))
    return nullptr;
  unsigned number = result.numWays++;
  bool isFirst = number < numbers.ways->size() && (*numbers.ways)[number];
  return cast<BranchInst>(terminator).getSuccessor(isFirst ? 0 : 1);
}

/// The block that comes next; null if the execution ends here.
const BasicBlock *Machine::Run::branch(const Instruction &terminator) {
  const BasicBlock &block = *terminator.getParent();
  const Value *condition = nullptr;
  if (auto *branch = dyn_cast<BranchInst>(&terminator)) {
    if (branch->isUnconditional())
      return branch->getSuccessor(0);
    condition = branch->getCondition();
  } else if (auto *choice = dyn_cast<SwitchInst>(&terminator)) {
    condition = choice->getCondition();
  } else if (auto *invoke = dyn_cast<InvokeInst>(&terminator)) {
    values[invoke] = call(*invoke);
    return invoke->getNormalDest();
  } else {
    result.isComplete = isa<ReturnInst>(terminator);
    if (isa<UnreachableInst>(terminator))
      stop(Nothing);
    else if (!result.isComplete)
      depend(Memory);
    return nullptr;
  }
  Datum datum = valueOf(condition);
  depend(datum.origin);
  mayBeOrdered |= (datum.origin & Atomic) != 0;
  if (datum.origin & Arguments) {
    openIds |= datum.origin & AllIds;
    openLoops(terminator);
  }
  if (datum.isPoison) {
    stop(datum.origin);
    return nullptr;
  }
  auto *known = dyn_cast_or_null<ConstantInt>(datum.constant);
  if (numbers.ways && !known)
    return goSomeWay(terminator, datum);
  if (!known) {
    depend(Memory);
    datum.origin |= Memory | Unknown;
  }
  if (datum.origin & Memory) {
    auto *node =
        machine.postDominators.getNode(const_cast<BasicBlock *>(&block));
    auto *after = node ? node->getIDom() : nullptr;
    const BasicBlock *join = after ? after->getBlock() : nullptr;
    auto same = find_if(joins, [&](Join &x) { return x.block == join; });
    if (same == joins.end())
      same = joins.insert(same, {join, Nothing});
    same->origin |= datum.origin & (Memory | Unknown);
  }
  // It goes one way or the other: what comes after the join is the same.
  if (!known)
    return block.getTerminator()->getSuccessor(
        (numbers.contents + 1 + (numbers.contents > 1 ? guesses++ : 0)) % 2);
  if (auto *branch = dyn_cast<BranchInst>(&terminator))
    return branch->getSuccessor(known->isOne() ? 0 : 1);
  return cast<SwitchInst>(terminator).findCaseValue(known)->getCaseSuccessor();
}

/// Arguments decide whether the loops go on that end at `terminator`.
void Machine::Run::openLoops(const Instruction &terminator) {
  for (LoopTurn &turn : turns)
    if (turn.loop->isLoopExiting(terminator.getParent())) {
      areTurnsKept &= turn.isOpen;
      turn.isOpen = true;
    }
}

void Machine::Run::turn(const BasicBlock &to) {
  size_t known = turns.size();
  while (!turns.empty() && !turns.back().loop->contains(&to))
    turns.pop_back();
  const Loop *loop = machine.loops.getLoopFor(&to);
  bool isHeader = loop && loop->getHeader() == &to;
  if (isHeader && !turns.empty() && turns.back().loop == loop)
    ++turns.back().count;
  else if (isHeader)
    turns.push_back({loop});
  areTurnsKept &= known == turns.size() && !isHeader;
}

void Machine::Run::enter(const BasicBlock &from, const BasicBlock &to) {
  turn(to);
  std::vector<std::pair<const PHINode *, Datum>> merged;
  uint8_t origin = joined();
  for (const PHINode &phi : to.phis()) {
    Datum value = valueOf(phi.getIncomingValueForBlock(&from));
    value.origin |= origin;
    merged.push_back({&phi, value});
  }
  for (const auto &[phi, value] : merged)
    values[phi] = value;
  llvm::erase_if(joins, [&](const Join &join) { return join.block == &to; });
}

Execution Machine::Run::execute() {
  const BasicBlock *block = &machine.code.getEntryBlock();
  while (block) {
    for (const Instruction &instruction : *block) {
      if (isa<PHINode>(instruction) || instruction.isTerminator())
        continue;
      if (++result.steps > maxSteps || !step(instruction)) {
        depend(Memory);
        return std::move(result);
      }
      if (result.isUndefined)
        return std::move(result);
    }
    const Instruction *terminator = block->getTerminator();
    const BasicBlock *next = branch(*terminator);
    if (next)
      enter(*block, *next);
    block = next;
    if (++result.steps > maxSteps) {
      depend(Memory);
      break;
    }
  }
  return std::move(result);
}

Machine::Machine(const TreeNode &leaf, Function &code)
    : leaf(leaf), code(code), postDominators(code), dominators(code),
      loops(dominators) {
  for (const LeafAccess &access : leaf.effects->accesses)
    if (access.isUnknownCode)
      unknownCalls.insert(access.origin);
}

Machine::~Machine() = default;

bool Machine::isLoop() const {
  return code.hasFnAttribute(followsPointersAttribute);
}

bool Machine::usesNot(unsigned input) const {
  return input < code.arg_size() && code.getArg(input)->use_empty();
}

Execution Machine::run(const InstanceNumbers &numbers, unsigned maxSteps) {
  return Run(*this, numbers, maxSteps).execute();
}
