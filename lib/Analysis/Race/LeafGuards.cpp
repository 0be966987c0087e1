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

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;
using namespace sluice::races;
using Kind = LeafGuard::Kind;

/// The guard at `pointer`; none if it is no known place of an object that all
/// instances share.
static std::optional<LeafGuard> guardAt(Kind kind, const Value &pointer,
                                        const DataLayout &layout) {
  APInt offset(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
  const Value *base = pointer.stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  LeafGuard guard;
  guard.kind = kind;
  guard.offset = offset.getSExtValue();
  if (const auto *argument = dyn_cast<Argument>(base))
    guard.memory = {LeafMemory::Kind::Parameter, argument->getArgNo(), ""};
  else if (const auto *global = dyn_cast<GlobalVariable>(base);
           global && !global->isThreadLocal())
    guard.memory = {LeafMemory::Kind::Global, 0, global->getName().str()};
  else
    return std::nullopt;
  return guard;
}

std::optional<unsigned> LeafGuards::find(Kind kind,
                                         const Value &pointer) const {
  const DataLayout &layout = atStart.begin()->first->getDataLayout();
  std::optional<LeafGuard> guard = guardAt(kind, pointer, layout);
  auto found = guard ? llvm::find(guards, *guard) : guards.end();
  if (found == guards.end())
    return std::nullopt;
  return found - guards.begin();
}

/// A function whose code is not known gives back any lock, unless it belongs
/// to a library.
bool LeafGuards::mayUnlock(const CallBase &call) const {
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return true;
  LibFunc known;
  StringRef name = callee->getName();
  if (callee->isIntrinsic() || !hpvmIntrinsicName(call).empty() ||
      name.starts_with("sluice.") || call.doesNotAccessMemory() ||
      call.onlyReadsMemory() || library.getLibFunc(*callee, known))
    return false;
  return none_of(ArrayRef<StringRef>{"_ZNSt", "_ZNKSt", "_ZSt", "__cxa_",
                                     "__gxx_", "_Unwind", "__errno_location",
                                     "__clang_call_terminate"},
                 [&](StringRef prefix) { return name.starts_with(prefix); });
}

void LeafGuards::step(const Instruction &instruction, BitVector &facts) const {
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call)
    return;
  auto forget = [&](std::optional<unsigned> number) {
    for (unsigned i = 0; i != guards.size(); ++i)
      if (number ? i == *number : guards[i].kind == Kind::Held)
        facts.reset(i);
  };
  switch (lockCallOf(*call)) {
  case LockCall::Lock:
    if (auto number = find(Kind::Held, *call->getArgOperand(0)))
      facts.set(*number);
    break;
  case LockCall::Unlock:
    forget(find(Kind::Held, *call->getArgOperand(0)));
    break;
  case LockCall::OnceBegin:
    break;
  case LockCall::OnceEnd:
    if (auto number = find(Kind::Once, *call->getArgOperand(0)))
      facts.reset(*number);
    if (call->getCalledFunction()->getName() == "__cxa_guard_release")
      if (auto number = find(Kind::Done, *call->getArgOperand(0)))
        facts.set(*number);
    break;
  case LockCall::None:
    if (mayUnlock(*call))
      forget(std::nullopt);
    break;
  }
}

/// What the way from one block to another says of statics.
void LeafGuards::cross(const BasicBlock &from, const BasicBlock &to,
                       BitVector &facts) const {
  const auto *branch = dyn_cast<BranchInst>(from.getTerminator());
  CmpPredicate predicate;
  Value *asked;
  if (!branch || !branch->isConditional() ||
      branch->getSuccessor(0) == branch->getSuccessor(1) ||
      !match(branch->getCondition(),
             m_ICmp(predicate, m_Value(asked), m_ZeroInt())) ||
      !ICmpInst::isEquality(predicate))
    return;
  bool isZero =
      (predicate == ICmpInst::ICMP_EQ) == (branch->getSuccessor(0) == &to);
  const auto *load = dyn_cast<LoadInst>(asked);
  if (load && load->isAtomic() && !isZero) {
    if (auto number = find(Kind::Done, *load->getPointerOperand()))
      facts.set(*number);
  } else if (lockCallOf(*asked) == LockCall::OnceBegin) {
    if (auto number = find(isZero ? Kind::Done : Kind::Once,
                           *cast<CallBase>(asked)->getArgOperand(0)))
      facts.set(*number);
  }
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

LeafGuards::LeafGuards(const Function &leaf, const TargetLibraryInfo &library)
    : library(library) {
  auto add = [&](Kind kind, const Value &pointer) {
    std::optional<LeafGuard> guard =
        guardAt(kind, pointer, leaf.getDataLayout());
    if (guard && !is_contained(guards, *guard))
      guards.push_back(*guard);
  };
  for (const Instruction &instruction : instructions(leaf)) {
    LockCall kind = lockCallOf(instruction);
    if (kind == LockCall::None)
      continue;
    const Value &pointer = *cast<CallBase>(instruction).getArgOperand(0);
    if (kind == LockCall::Lock) {
      add(Kind::Held, pointer);
    } else if (kind == LockCall::OnceBegin) {
      add(Kind::Once, pointer);
      add(Kind::Done, pointer);
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
