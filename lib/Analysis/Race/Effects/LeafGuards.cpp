//===- LeafGuards.cpp - What instances do one at a time -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A forward analysis: a fact holds in a block if it holds at the end of all
// blocks before it. Facts about statics begin on edges, since it is a branch
// that asks whether this instance initialises.
//
//===----------------------------------------------------------------------===//

#include "LeafGuards.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafLocks.h"
#include "sluice/Analysis/LibraryCalls.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;
using namespace sluice::races;
using Kind = LeafGuard::Kind;

static bool isLock(Kind kind) {
  return kind == Kind::Held || kind == Kind::Shared;
}

static bool isConstant(const LeafGuard &guard) {
  return guard.offset.asConstant().has_value();
}

std::optional<LeafGuard> LeafGuards::guardAt(Kind kind, const Value &pointer,
                                             const BasicBlock &block) const {
  const DataLayout &layout = block.getDataLayout();
  APInt constant(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
  const Value *base = pointer.stripAndAccumulateConstantOffsets(
      layout, constant, /*AllowNonInbounds=*/true);
  LeafGuard guard;
  guard.kind = kind;
  guard.offset = Polynomial(constant.getSExtValue());
  if (isLock(kind) && !isa<Argument, GlobalVariable>(base)) {
    base = getUnderlyingObject(&pointer, /*MaxLookup=*/0);
    std::string reason;
    std::optional<Polynomial> offset = values.offset(
        const_cast<Value *>(&pointer), base, block, reason, Follow::Loads);
    if (!offset || !offset->isValid())
      return std::nullopt;
    guard.offset = *offset;
  }
  if (const auto *argument = dyn_cast<Argument>(base))
    guard.memory = {LeafMemory::Kind::Parameter, argument->getArgNo(), ""};
  else if (const auto *global = dyn_cast<GlobalVariable>(base);
           global && !global->isThreadLocal())
    guard.memory = {LeafMemory::Kind::Global, 0, global->getName().str()};
  else
    return std::nullopt;
  return guard;
}

std::optional<unsigned> LeafGuards::find(Kind kind, const Value &pointer,
                                         const BasicBlock &block) const {
  std::optional<LeafGuard> guard = guardAt(kind, pointer, block);
  auto found = guard ? llvm::find(guards, *guard) : guards.end();
  if (found == guards.end())
    return std::nullopt;
  return found - guards.begin();
}

/// A function whose code is not known gives back any lock, and so does one that
/// was not looked into, unless it belongs to a library.
bool LeafGuards::mayUnlock(const CallBase &call) const {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return true;
  LibFunc known;
  StringRef name = callee->getName();
  if (callee->isIntrinsic() || !hpvmIntrinsicName(call).empty() ||
      name.starts_with("sluice.") || call.doesNotAccessMemory() ||
      call.onlyReadsMemory() || library.getLibFunc(*callee, known) ||
      libraryCallOf(call))
    return false;
  return none_of(ArrayRef<StringRef>{"_ZNSt", "_ZNKSt", "_ZSt", "__cxa_",
                                     "__gxx_", "_Unwind", "__errno_location",
                                     "__clang_call_terminate"},
                 [&](StringRef prefix) { return name.starts_with(prefix); });
}

void LeafGuards::forgetLocks(BitVector &facts) const {
  for (unsigned i = 0; i != guards.size(); ++i)
    if (isLock(guards[i].kind))
      facts.reset(i);
}

/// Gives back the lock that was taken with the same address. If none was, it
/// may be any whose place is not known.
void LeafGuards::unlock(const CallBase &call, BitVector &facts) const {
  const Value &pointer = *call.getArgOperand(0);
  bool wasHeld = false, isKnown = false;
  for (Kind kind : {Kind::Held, Kind::Shared}) {
    std::optional<LeafGuard> guard = guardAt(kind, pointer, *call.getParent());
    if (!guard)
      return forgetLocks(facts);
    isKnown = isConstant(*guard);
    auto found = llvm::find(guards, *guard);
    if (found == guards.end())
      continue;
    wasHeld |= facts.test(found - guards.begin());
    facts.reset(found - guards.begin());
  }
  if (wasHeld)
    return;
  for (unsigned i = 0; i != guards.size(); ++i)
    if (isLock(guards[i].kind) && (!isKnown || !isConstant(guards[i])))
      facts.reset(i);
}

/// A turn of a loop begins: what was said with the number of the one before is
/// no longer so.
void LeafGuards::forgetTurns(const BasicBlock &header, BitVector &facts) const {
  const Loop *loop = values.loops.getLoopFor(&header);
  if (!loop || loop->getHeader() != &header)
    return;
  for (const Loop *inner : loop->getLoopsInPreorder())
    for (unsigned i = 0; i != guards.size(); ++i)
      if (guards[i].offset.containsAny([&](const Symbol &symbol) {
            return symbol.kind == Symbol::Kind::Turn &&
                   symbol.index == loopNumber(*inner, values.loops);
          }))
        facts.reset(i);
}

void LeafGuards::step(const Instruction &instruction, BitVector &facts) const {
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call)
    return;
  auto numberOf = [&](Kind kind) {
    return find(kind, *call->getArgOperand(0), *call->getParent());
  };
  switch (lockCallOf(*call)) {
  case LockCall::Lock:
    if (auto number = numberOf(Kind::Held))
      facts.set(*number);
    break;
  case LockCall::LockShared:
    if (auto number = numberOf(Kind::Shared))
      facts.set(*number);
    break;
  case LockCall::Unlock:
    unlock(*call, facts);
    break;
  case LockCall::TryLock:
  case LockCall::Wait:
  case LockCall::OnceBegin:
    break;
  case LockCall::OnceEnd:
    if (auto number = numberOf(Kind::Once))
      facts.reset(*number);
    if (call->getCalledFunction()->getName() == "__cxa_guard_release")
      if (auto number = numberOf(Kind::Done))
        facts.set(*number);
    break;
  case LockCall::None:
    if (mayUnlock(*call))
      forgetLocks(facts);
    break;
  }
}

/// True if nothing is called between `call` and the end of `block`.
static bool isLastCallOf(const CallBase &call, const BasicBlock &block) {
  const Instruction *current = block.getTerminator();
  while (current != &call) {
    if (isa<CallBase>(current) && !isa<IntrinsicInst>(current))
      return false;
    if (const Instruction *before = current->getPrevNode()) {
      current = before;
      continue;
    }
    const BasicBlock *above = current->getParent()->getSinglePredecessor();
    if (!above)
      return false;
    current = above->getTerminator();
  }
  return true;
}

/// Adds the facts about statics and about requested locks that hold on the way
/// from one block to another.
void LeafGuards::cross(const BasicBlock &from, const BasicBlock &to,
                       BitVector &facts) const {
  const auto *branch = dyn_cast<BranchInst>(from.getTerminator());
  CmpPredicate predicate;
  Value *asked;
  if (!branch || !branch->isConditional() ||
      branch->getSuccessor(0) == branch->getSuccessor(1))
    return;
  Value *condition = branch->getCondition();
  bool holds = branch->getSuccessor(0) == &to;
  for (Value *opposite = nullptr; match(condition, m_Not(m_Value(opposite)));
       condition = opposite)
    holds = !holds;
  if (!match(condition, m_ICmp(predicate, m_Value(asked), m_ZeroInt())) ||
      !ICmpInst::isEquality(predicate))
    return;
  bool isZero = (predicate == ICmpInst::ICMP_EQ) == holds;
  auto learn = [&](Kind kind, const Value &pointer) {
    if (auto number = find(kind, pointer, from))
      facts.set(*number);
  };
  const auto *load = dyn_cast<LoadInst>(asked);
  LockCall call = lockCallOf(*asked);
  if (load && load->isAtomic() && !isZero)
    learn(Kind::Done, *load->getPointerOperand());
  else if (call == LockCall::OnceBegin)
    learn(isZero ? Kind::Done : Kind::Once,
          *cast<CallBase>(asked)->getArgOperand(0));
  else if (call == LockCall::TryLock && isZero &&
           isLastCallOf(*cast<CallBase>(asked), from))
    learn(Kind::Held, *cast<CallBase>(asked)->getArgOperand(0));
}

/// True for the other way of a branch on a constant: the library of C++ asks
/// whether a program has threads at all.
static bool isDead(const BasicBlock &from, const BasicBlock &to) {
  const auto *branch = dyn_cast<BranchInst>(from.getTerminator());
  const auto *known = branch && branch->isConditional()
                          ? dyn_cast<ConstantInt>(branch->getCondition())
                          : nullptr;
  return known && branch->getSuccessor(known->isZero() ? 1 : 0) != &to;
}

LeafGuards::LeafGuards(const Function &leaf, LeafValues &values,
                       const TargetLibraryInfo &library)
    : values(values), library(library) {
  auto add = [&](Kind kind, const CallBase &call) {
    std::optional<LeafGuard> guard =
        guardAt(kind, *call.getArgOperand(0), *call.getParent());
    if (guard && !is_contained(guards, *guard))
      guards.push_back(*guard);
  };
  for (const Instruction &instruction : instructions(leaf)) {
    LockCall kind = lockCallOf(instruction);
    if (kind == LockCall::None)
      continue;
    const auto &call = cast<CallBase>(instruction);
    if (kind == LockCall::Lock || kind == LockCall::TryLock) {
      add(Kind::Held, call);
    } else if (kind == LockCall::LockShared) {
      add(Kind::Shared, call);
    } else if (kind == LockCall::OnceBegin) {
      add(Kind::Once, call);
      add(Kind::Done, call);
    }
  }
  if (guards.empty())
    return;
  ReversePostOrderTraversal<const Function *> blocks(&leaf);
  atStart[&leaf.getEntryBlock()] = BitVector(guards.size());
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const BasicBlock *block : blocks) {
      BitVector end = atStart.lookup(block);
      if (end.empty())
        continue;
      for (const Instruction &instruction : *block)
        step(instruction, end);
      for (const BasicBlock *next : successors(block)) {
        if (isDead(*block, *next))
          continue;
        BitVector facts = end;
        cross(*block, *next, facts);
        forgetTurns(*next, facts);
        auto [known, isNew] = atStart.try_emplace(next, facts);
        if (isNew) {
          isChanged = true;
          continue;
        }
        BitVector both = known->second;
        both &= facts;
        isChanged |= both != known->second;
        known->second = std::move(both);
      }
    }
  }
}

std::vector<LeafGuard> LeafGuards::at(const Instruction &instruction) const {
  std::vector<LeafGuard> result;
  auto found = atStart.find(instruction.getParent());
  if (found == atStart.end())
    return result;
  BitVector facts = found->second;
  for (const Instruction &before : *instruction.getParent()) {
    if (&before == &instruction)
      break;
    step(before, facts);
  }
  for (unsigned number : facts.set_bits())
    result.push_back(guards[number]);
  return result;
}
