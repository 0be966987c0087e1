//===- ValuePlacement.cpp - Placement of a leaf's values ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. A value escapes if a use is in another fragment than its definition. A
//    phi in a node uses its incoming values at the end of the edge's fragment.
// 2. Private memory is expanded if several fragments use it, or if one fragment
//    uses it that runs again and finds its earlier contents.
// 3. Shared values: a greatest fixed point over pure uniform instructions in
//    blocks that all instances run equally often, so that loop counters and
//    their increments support each other.
// 4. The remaining escaping values are recomputed if that is cheap, are scalars
//    if all instances agree, and otherwise get one array element per instance.
//
// In SSA form, if a path redefines an operand before a use, it redefines the
// user as well. So recomputing from the latest operands is correct.
//
//===----------------------------------------------------------------------===//

#include "ValuePlacement.h"
#include "../Debug/KeepVariables.h"

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace sluice::codegen {

/// The maximum number of instructions for recomputing one value.
static constexpr unsigned recomputeBudget = 10;

ValuePlacement::ValuePlacement(Function &item, const Skeleton &skeleton,
                               const InstanceUniformity &uniformity,
                               function_ref<bool(const Value *)> isOwnId)
    : item(item), skeleton(skeleton), uniformity(uniformity), isOwnId(isOwnId) {
  findEscaping();
  findExpanded();
  findShared();
  placeEscaping();
}

static const Fragment *fragmentOfDefinition(const Instruction &instruction,
                                            const Skeleton &skeleton) {
  const BasicBlock *block = instruction.getParent();
  return skeleton.isNode(block) ? nullptr : skeleton.fragmentOf(block);
}

static const Fragment *fragmentOfUse(const Use &use, const Skeleton &skeleton) {
  const auto *user = cast<Instruction>(use.getUser());
  const BasicBlock *block = user->getParent();
  if (const auto *phi = dyn_cast<PHINode>(user)) {
    const BasicBlock *incoming = phi->getIncomingBlock(use);
    if (skeleton.isNode(block) || skeleton.isNode(incoming))
      return skeleton.fragmentOfEdge(incoming, block);
    return skeleton.fragmentOf(incoming);
  }
  return skeleton.isNode(block) ? nullptr : skeleton.fragmentOf(block);
}

void ValuePlacement::findEscaping() {
  for (Instruction &instruction : instructions(item)) {
    const Fragment *home = fragmentOfDefinition(instruction, skeleton);
    for (const Use &use : instruction.uses())
      if (!home || fragmentOfUse(use, skeleton) != home) {
        escaping.insert(&instruction);
        break;
      }
  }
}

/// The fragments that may read or write `alloca`; false if they are unknown.
static bool findUsers(const AllocaInst &alloca, const Skeleton &skeleton,
                      SmallPtrSetImpl<const Fragment *> &fragments) {
  SmallVector<const Instruction *> worklist{&alloca};
  SmallPtrSet<const Instruction *, 16> visited;
  while (!worklist.empty())
    for (const Use &use : worklist.pop_back_val()->uses()) {
      auto *user = cast<Instruction>(use.getUser());
      if (user->isLifetimeStartOrEnd())
        continue;
      fragments.insert(fragmentOfUse(use, skeleton));
      if (user->getType()->isPointerTy() && visited.insert(user).second)
        worklist.push_back(user);
    }
  return !PointerMayBeCaptured(&alloca, /*ReturnCaptures=*/true);
}

/// True if `fragment` may run again after it ended.
static bool repeats(const Fragment &fragment, const Skeleton &skeleton) {
  SmallVector<const BasicBlock *> worklist{fragment.next};
  SmallPtrSet<const BasicBlock *, 16> visited;
  while (!worklist.empty()) {
    const BasicBlock *node = worklist.pop_back_val();
    if (!node || !visited.insert(node).second)
      continue;
    for (const Fragment &other : skeleton.fragments)
      if (other.from == node) {
        if (&other == &fragment)
          return true;
        worklist.push_back(other.next);
      }
  }
  return false;
}

/// True if in `fragment` every use of `alloca` comes after a marker of the
/// start of its lifetime.
static bool beginsInside(const AllocaInst &alloca, const Fragment &fragment,
                         const Skeleton &skeleton,
                         const DominatorTree &dominators) {
  SmallVector<const Instruction *> starts, users, worklist{&alloca};
  SmallPtrSet<const Instruction *, 16> visited;
  while (!worklist.empty())
    for (const User *each : worklist.pop_back_val()->users()) {
      auto *user = cast<Instruction>(each);
      const auto *intrinsic = dyn_cast<IntrinsicInst>(user);
      if (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::lifetime_start)
        starts.push_back(user);
      else if (!user->isLifetimeStartOrEnd() && visited.insert(user).second) {
        users.push_back(user);
        if (user->getType()->isPointerTy())
          worklist.push_back(user);
      }
    }
  return any_of(starts, [&](const Instruction *start) {
    return !skeleton.isNode(start->getParent()) &&
           skeleton.fragmentOf(start->getParent()) == &fragment &&
           all_of(users, [&](const Instruction *user) {
             return dominators.dominates(start, user);
           });
  });
}

void ValuePlacement::findExpanded() {
  unsigned numWorking = count_if(
      skeleton.fragments, [](const Fragment &f) { return !f.blocks.empty(); });
  DominatorTree dominators(item);
  for (Instruction &instruction : item.getEntryBlock()) {
    auto *alloca = dyn_cast<AllocaInst>(&instruction);
    if (!alloca)
      continue;
    SmallPtrSet<const Fragment *, 4> fragments;
    bool isKnown = findUsers(*alloca, skeleton, fragments);
    auto outlivesItsFragment = [&](const Fragment *fragment) {
      return !fragment ||
             (repeats(*fragment, skeleton) &&
              !beginsInside(*alloca, *fragment, skeleton, dominators));
    };
    if (numWorking > 1 &&
        (!isKnown || fragments.size() > 1 || holdsVariable(*alloca) ||
         any_of(fragments, outlivesItsFragment)))
      expanded.insert(alloca);
    else if (!isKnown)
      capturedPrivateMemory = true;
  }
}

bool ValuePlacement::isSharedCandidate(const Instruction &instruction) const {
  const BasicBlock *block = instruction.getParent();
  if (!skeleton.isUniformBlock(block) || !uniformity.isUniform(&instruction) ||
      instruction.getType()->isVoidTy() || instruction.getType()->isTokenTy())
    return false;
  if (isa<PHINode>(instruction))
    return skeleton.isNode(block);
  if (isa<AllocaInst, FreezeInst>(instruction) || instruction.isTerminator() ||
      instruction.mayReadOrWriteMemory())
    return false;
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    if (call->isConvergent() || !isa<IntrinsicInst>(call))
      return false;
  return isSafeToSpeculativelyExecute(&instruction);
}

bool ValuePlacement::hasSharedOperands(const Instruction &instruction) const {
  auto isAvailable = [&](const Value *operand) {
    if (isa<Instruction>(operand))
      return isShared(operand);
    return !isOwnId(operand);
  };
  const auto *phi = dyn_cast<PHINode>(&instruction);
  if (!phi)
    return all_of(instruction.operands(), isAvailable);
  DenseMap<const Fragment *, const Value *> incoming;
  for (const Use &use : phi->incoming_values()) {
    const Fragment *fragment = fragmentOfUse(use, skeleton);
    auto [known, isNew] = incoming.try_emplace(fragment, use.get());
    if (!isAvailable(use.get()) || (!isNew && known->second != use.get()))
      return false;
  }
  return true;
}

void ValuePlacement::findShared() {
  for (Instruction &instruction : instructions(item))
    if (isSharedCandidate(instruction))
      placements[&instruction] = PlacementKind::Shared;
  bool changed = true;
  while (changed) {
    changed = false;
    for (Instruction &instruction : instructions(item))
      if (isShared(&instruction) && !hasSharedOperands(instruction)) {
        placements.erase(&instruction);
        changed = true;
      }
  }
}

bool ValuePlacement::isRecomputable(const Value *value,
                                    unsigned &budget) const {
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return !isa<UndefValue>(value) || isa<PoisonValue>(value);
  if (isShared(instruction))
    return true;
  if (const auto *alloca = dyn_cast<AllocaInst>(instruction))
    return alloca->isStaticAlloca();
  if (budget == 0)
    return false;
  --budget;
  if (!isa<CastInst, GetElementPtrInst, ICmpInst, SelectInst>(instruction)) {
    const auto *binary = dyn_cast<BinaryOperator>(instruction);
    if (!binary || binary->isIntDivRem() ||
        !binary->getType()->isIntOrIntVectorTy())
      return false;
  }
  return all_of(instruction->operands(), [&](const Value *operand) {
    return isRecomputable(operand, budget);
  });
}

static bool isUniformEverywhere(const Instruction &instruction,
                                const InstanceUniformity &uniformity) {
  return uniformity.isUniform(&instruction) &&
         all_of(instruction.uses(),
                [&](const Use &use) { return uniformity.isUniformUse(use); });
}

void ValuePlacement::placeEscaping() {
  for (Instruction &instruction : instructions(item)) {
    if (isShared(&instruction) || isa<AllocaInst>(instruction))
      continue;
    // A phi of a node lives between fragments even if it has no uses.
    bool isNodePhi =
        isa<PHINode>(instruction) && skeleton.isNode(instruction.getParent());
    if (!isNodePhi && !leavesFragment(&instruction))
      continue;
    unsigned budget = recomputeBudget;
    if (isRecomputable(&instruction, budget))
      placements[&instruction] = PlacementKind::Recomputed;
    else if (isUniformEverywhere(instruction, uniformity))
      placements[&instruction] = PlacementKind::Scalar;
    else
      placements[&instruction] = PlacementKind::PerInstance;
  }
}

} // namespace sluice::codegen
