//===- OpenMPShown.cpp - Whether copies of reductions show ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread has in its copy of a reduced variable depends on what
// iterations it has run before. The code of an iteration begins with a new
// copy, so nothing but the copy may depend on it: no memory, no branch, and no
// address. What the thread has in variables of its own may, like what functions
// return that use nothing else.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"

#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

//===----------------------------------------------------------------------===//
// What is made of a copy
//===----------------------------------------------------------------------===//

namespace {
/// How a value has to do with what is in the copy.
enum CopyTrace : unsigned {
  /// Depends on it: a number that was computed from it, or a pointer that was
  /// chosen by it.
  dependsOnCopy,
  /// Is a pointer to memory that has something that depends on it.
  pointsToDependent,
  /// Is a pointer to memory that has pointers to such.
  pointsToPointers
};

/// Where a branch goes for a new copy whenever it does for what a thread has in
/// its copy, since the copy is compared with another number, if any.
struct SideOfNew {
  unsigned index;
  const Value *other;
};

/// Follows what is made of a copy.
class ShownValues {
public:
  ShownValues(const Reduction &reduction, const Value &own,
              const CallInst &join, const DominatorTree &dominators)
      : reduction(reduction), own(own), join(join), dominators(dominators),
        library(join.getModule()->getTargetTriple()) {}

  bool run();

private:
  void add(const Value &value, CopyTrace trace) {
    values.insert({&value, trace});
  }
  void addResult(const Value &result, CopyTrace trace) {
    add(result, result.getType()->isPointerTy() ? trace : dependsOnCopy);
  }
  /// What is read where the copy decides may be all of it.
  void addRead(const Value &value) {
    add(value, dependsOnCopy);
    if (!value.getType()->isPointerTy())
      return;
    add(value, pointsToDependent);
    add(value, pointsToPointers);
  }
  bool isDependent(const Value *value) const {
    return values.contains({value, dependsOnCopy});
  }
  bool change(const Value *pointer, CopyTrace trace);
  bool followPlace(const Use &use, CopyTrace trace);
  bool followValue(const Use &use);
  bool followCall(const CallBase &called, const Use &use, CopyTrace trace);
  bool followCopy(const AnyMemIntrinsic &copy, const Use &use, CopyTrace trace);
  bool staysInside(const CallBase &called);
  bool readsShown(const LoadInst &load);
  bool followChoice(const Instruction &branch, const Value &value);
  bool followWay(const Instruction &branch, unsigned way,
                 const BasicBlock *after, bool mayRead);
  void addChosen(const PHINode &phi, const Instruction &branch,
                 const std::optional<SideOfNew> &side);
  bool isCopy(const Value *number, unsigned &cast) const;
  std::optional<SideOfNew> sideOfNew(const Value &value) const;
  bool keepsOrder(const StoreInst &store) const;
  bool keepsOrder(const Value *stored) const;
  bool isBetter(const Value *value, const SideOfNew &side,
                const BasicBlock &block) const;
  bool hasOrder() const;
  void relyOn(const SideOfNew &side, const Value *pointer = nullptr) {
    needsOrder = true;
    if (side.other)
      independent.push_back(side.other);
    if (pointer)
      independent.push_back(pointer);
  }

  const Reduction &reduction;
  const Value &own;
  const CallInst &join;
  const DominatorTree &dominators;
  const TargetLibraryInfoImpl library;
  std::optional<PostDominatorTree> afters;
  SmallSetVector<std::pair<const Value *, unsigned>, 16> values;
  /// Where copies are joined.
  DenseMap<const Value *, const CallInst *> joins;

  /// Which branches that depend on the copy lead to a block, and how.
  DenseMap<const BasicBlock *,
           SmallVector<std::pair<const Instruction *, unsigned>, 1>>
      ways;
  /// Which branch decides on a value; null: several.
  DenseMap<const PHINode *, const Instruction *> deciders;
  /// Pointers to memory of others which a new copy chooses whenever the thread
  /// does, and the pointer that is chosen then.
  DenseMap<const Value *, std::pair<SideOfNew, const Value *>> readable;
  /// What must not depend on the copy, since sides count on it; and whether the
  /// thread's copy must never fall behind a new one.
  SmallVector<const Value *, 4> independent;
  bool needsOrder = false;
};
} // namespace

bool ShownValues::run() {
  for (const CallInst *call :
       reductionCalls(*const_cast<Function *>(join.getFunction())))
    for (const Value *copy : copiesIn(*call))
      joins.insert({copy, call});
  add(own, pointsToDependent);
  for (unsigned i = 0; i != values.size(); ++i) {
    auto [value, trace] = values[i];
    // Behind that, copies have what all iterations have left.
    const CallInst *end = trace == dependsOnCopy
                              ? nullptr
                              : joins.lookup(getUnderlyingObject(value));
    for (const Use &use : value->uses()) {
      const auto *user = dyn_cast<Instruction>(use.getUser());
      if (user && end && dominators.dominates(end, user))
        continue;
      if (!user ||
          (trace == dependsOnCopy ? followValue(use)
                                  : followPlace(use, CopyTrace(trace))))
        return true;
    }
  }
  return any_of(independent,
                [&](const Value *value) { return isDependent(value); }) ||
         (needsOrder && !hasOrder());
}

/// What a pointer leads to now has something that depends on the copy. Returns
/// whether others see it.
bool ShownValues::change(const Value *pointer, CopyTrace trace) {
  SmallPtrSet<const Value *, 4> variables;
  if (!findOwnPlaces(pointer, variables))
    return true;
  for (const Value *variable : variables)
    if (!isReductionList(*variable))
      add(*variable, trace);
  return false;
}

/// Whether a function changes nothing but variables of the code here, of which
/// it notes that they depend on the copy.
bool ShownValues::staysInside(const CallBase &called) {
  SmallPtrSet<const Value *, 4> places;
  if (!openmp::staysInside(called, library, places))
    return false;
  for (const Value *variable : places)
    if (const auto *changed = dyn_cast<AllocaInst>(variable);
        changed && changed->getFunction() == called.getFunction()) {
      add(*variable, pointsToDependent);
      add(*variable, pointsToPointers);
    }
  return true;
}

/// A function gets what is made of a copy, or its address.
bool ShownValues::followCall(const CallBase &called, const Use &use,
                             CopyTrace trace) {
  if (const auto *copy = dyn_cast<AnyMemIntrinsic>(&called))
    return followCopy(*copy, use, trace);
  if (isQuietCall(called)) {
    if (!called.getType()->isVoidTy())
      addResult(called, trace);
    return !called.getCalledFunction();
  }
  const Function *callee = called.getCalledFunction();
  if (!callee || !called.isArgOperand(&use) ||
      (trace == dependsOnCopy && use->getType()->isPointerTy() &&
       !isOwnPlace(use.get())))
    return true;
  if (callee->isDeclaration()) {
    // It may read as much as it likes, and return where.
    bool isKnown = isCalculation(called, library) &&
                   all_of(called.args(), [&](const Use &argument) {
                     return !argument->getType()->isPointerTy() ||
                            (called.onlyReadsMemory()
                                 ? isOwnPlace(argument.get())
                                 : !change(argument.get(), pointsToDependent));
                   });
    if (!isKnown)
      return true;
  } else if (!staysInside(called)) {
    return true;
  }
  bool isSame = false;
  const Use *passed = returnedArgument(called, isSame);
  if (passed && isSame) {
    if (passed == &use)
      addResult(called, trace);
  } else if (!called.getType()->isVoidTy()) {
    addRead(called);
  }
  return false;
}

/// Memory is copied or set.
bool ShownValues::followCopy(const AnyMemIntrinsic &copy, const Use &use,
                             CopyTrace trace) {
  const auto *transfer = dyn_cast<AnyMemTransferInst>(&copy);
  const Value *from = transfer ? transfer->getRawSource() : nullptr;
  if (trace == dependsOnCopy) {
    if (from && !isOwnPlace(from))
      return true;
    return change(copy.getRawDest(), pointsToDependent) ||
           (from && change(copy.getRawDest(), pointsToPointers));
  }
  return transfer && &transfer->getRawSourceUse() == &use &&
         change(copy.getRawDest(), trace);
}

/// A use of a pointer to what depends on the copy. Its address does not.
bool ShownValues::followPlace(const Use &use, CopyTrace trace) {
  const User &user = *use.getUser();
  if (const auto *store = dyn_cast<StoreInst>(&user))
    return use.getOperandNo() == 0 &&
           change(store->getPointerOperand(), pointsToPointers);
  if (isa<LoadInst>(user)) {
    if (trace == pointsToPointers && user.getType()->isPointerTy()) {
      add(user, pointsToDependent);
      add(user, pointsToPointers);
    } else {
      add(user, dependsOnCopy);
    }
    return false;
  }
  if (const auto *called = dyn_cast<CallBase>(&user))
    return followCall(*called, use, trace);
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user)) {
    add(user, dependsOnCopy);
    return use.getOperandNo() != 0;
  }
  if (isa<GetElementPtrInst, PHINode, SelectInst, AddrSpaceCastInst,
          FreezeInst>(user)) {
    add(user, trace);
    return false;
  }
  // No number may become an address again if the copy has to do with it.
  if (isa<PtrToIntInst>(user)) {
    add(user, dependsOnCopy);
    return false;
  }
  return !isa<ICmpInst>(user);
}

/// Whether reading by a pointer that the copy has chosen shows it.
bool ShownValues::readsShown(const LoadInst &load) {
  const Value *pointer = load.getPointerOperand();
  if (isOwnPlace(pointer))
    return false;
  auto known = readable.find(pointer);
  if (known == readable.end())
    return true;
  relyOn(known->second.first, known->second.second);
  return false;
}

/// A use of what depends on the copy.
bool ShownValues::followValue(const Use &use) {
  const auto &user = *cast<Instruction>(use.getUser());
  if (const auto *store = dyn_cast<StoreInst>(&user))
    return change(store->getPointerOperand(), pointsToDependent);
  if (const auto *load = dyn_cast<LoadInst>(&user)) {
    addRead(user);
    return readsShown(*load);
  }
  if (const auto *called = dyn_cast<CallBase>(&user))
    return followCall(*called, use, dependsOnCopy);
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user)) {
    add(user, dependsOnCopy);
    return change(user.getOperand(0), pointsToDependent);
  }
  if (user.isTerminator())
    return followChoice(user, *use.get());
  if (isa<IntToPtrInst>(user) || user.mayReadOrWriteMemory())
    return true;
  add(user, dependsOnCopy);
  const auto *choice = dyn_cast<SelectInst>(&user);
  if (!choice || use.getOperandNo() != 0 || !user.getType()->isPointerTy())
    return false;
  if (std::optional<SideOfNew> side = sideOfNew(*use.get());
      side && isOwnPlace(side->index == 0 ? choice->getFalseValue()
                                          : choice->getTrueValue()))
    readable.insert({choice,
                     {*side, side->index == 0 ? choice->getTrueValue()
                                              : choice->getFalseValue()}});
  return false;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// From where one way of a branch comes to a block if that is all there is on
/// this way, or null.
static const BasicBlock *blockBefore(const BasicBlock &after,
                                     const Instruction &branch, unsigned way) {
  const BasicBlock *next = branch.getSuccessor(way);
  if (next == &after)
    return branch.getParent();
  return next->getSinglePredecessor() == branch.getParent() &&
                 next->getSingleSuccessor() == &after
             ? next
             : nullptr;
}

/// What a value is if one of two ways of a branch leads to it, or null.
static const Value *comingBy(const PHINode &phi, const Instruction &branch,
                             unsigned way) {
  if (branch.getNumSuccessors() != 2 || phi.getNumIncomingValues() != 2 ||
      branch.getSuccessor(0) == branch.getSuccessor(1))
    return nullptr;
  for (unsigned i : {0u, 1u})
    if (const BasicBlock *from = blockBefore(*phi.getParent(), branch, i))
      if (int index = phi.getBasicBlockIndex(from); index >= 0)
        return phi.getIncomingValue(i == way ? index : 1 - index);
  return nullptr;
}

/// One of several values, which a branch decides on.
void ShownValues::addChosen(const PHINode &phi, const Instruction &branch,
                            const std::optional<SideOfNew> &side) {
  add(phi, dependsOnCopy);
  if (auto [entry, isNew] = deciders.insert({&phi, &branch}); !isNew)
    entry->second = nullptr;
  if (!side || !phi.getType()->isPointerTy())
    return;
  const Value *chosen = comingBy(phi, branch, side->index);
  const Value *other = comingBy(phi, branch, 1 - side->index);
  if (chosen && other && isOwnPlace(other))
    readable.insert({&phi, {*side, chosen}});
}

/// A branch may only choose how copies and a thread's own variables change. It
/// may decide what is read only if a new copy would have it read, too.
bool ShownValues::followChoice(const Instruction &branch, const Value &value) {
  const BasicBlock &block = *branch.getParent();
  if (!afters)
    afters.emplace(*const_cast<Function *>(block.getParent()));
  const auto *node = afters->getNode(const_cast<BasicBlock *>(&block));
  const auto *dominator = node ? node->getIDom() : nullptr;
  const BasicBlock *after = dominator ? dominator->getBlock() : nullptr;
  if (!after)
    return true;
  std::optional<SideOfNew> side = sideOfNew(value);
  for (unsigned i = 0; i != branch.getNumSuccessors(); ++i) {
    bool isOfNew = side && side->index == i;
    if (followWay(branch, i, after, /*mayRead=*/false)) {
      // Only the way of a new copy may read what others have.
      if (!isOfNew || followWay(branch, i, after, /*mayRead=*/true))
        return true;
      relyOn(*side);
    }
  }
  for (const PHINode &phi : after->phis())
    addChosen(phi, branch, side);
  return false;
}

/// Whether two values are computed alike. The first of the instructions of
/// `block` that compute `one` is left in `first`.
static bool isSameValue(const Value *one, const Value *other,
                        const BasicBlock &block, const Instruction *&first,
                        unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  const auto *left = dyn_cast<Instruction>(one);
  const auto *right = dyn_cast<Instruction>(other);
  if (one == other)
    return true;
  if (!left || !right || depth > deepest || left->getParent() != &block ||
      !left->isSameOperationAs(right) || isa<PHINode, AllocaInst>(left) ||
      left->mayWriteToMemory() || left->isVolatile() || left->isAtomic() ||
      (isa<CallBase>(left) && left->mayReadFromMemory()))
    return false;
  if (!first || left->comesBefore(first))
    first = left;
  return all_of(zip(left->operands(), right->operands()), [&](auto pair) {
    return isSameValue(std::get<0>(pair).get(), std::get<1>(pair).get(), block,
                       first, depth + 1);
  });
}

/// The same for a value that the block decides on, and one behind it. Memory is
/// as it was, unless the latter depends on the copy.
static bool isSameBehind(const Value *one, const Value *other,
                         const BasicBlock &block) {
  const Instruction *first = nullptr;
  if (!isSameValue(one, other, block, first))
    return false;
  for (; first; first = first->getNextNode()) {
    const auto *called = dyn_cast<CallBase>(first);
    if (first->mayWriteToMemory() && !(called && isQuietCall(*called)))
      return false;
  }
  return true;
}

/// Whether a block has already read what is read behind it.
static bool wasRead(const LoadInst &load, const BasicBlock &block) {
  return any_of(block, [&](const Instruction &before) {
    const auto *read = dyn_cast<LoadInst>(&before);
    return read && read->getType() == load.getType() && !read->isVolatile() &&
           isSameBehind(read, &load, block);
  });
}

/// One way of a branch, up to where all come together.
bool ShownValues::followWay(const Instruction &branch, unsigned way,
                            const BasicBlock *after, bool mayRead) {
  const BasicBlock *first = branch.getSuccessor(way);
  if (first == after)
    return false;
  SmallSetVector<const BasicBlock *, 8> chosen;
  chosen.insert(first);
  for (unsigned i = 0; i != chosen.size(); ++i) {
    auto &known = ways[chosen[i]];
    if (!is_contained(known, std::pair(&branch, way)))
      known.push_back({&branch, way});
    for (const Instruction &instruction : *chosen[i]) {
      if (const auto *phi = dyn_cast<PHINode>(&instruction)) {
        // How often it comes by depends on the copy, or from where.
        add(*phi, dependsOnCopy);
        deciders[phi] = nullptr;
      } else if (const auto *write = dyn_cast<StoreInst>(&instruction)) {
        if (write->isAtomic() ||
            change(write->getPointerOperand(), pointsToDependent) ||
            (write->getValueOperand()->getType()->isPointerTy() &&
             change(write->getPointerOperand(), pointsToPointers)))
          return true;
      } else if (const auto *read = dyn_cast<LoadInst>(&instruction)) {
        if (read->isAtomic() ||
            (!mayRead && !isOwnPlace(read->getPointerOperand()) &&
             !wasRead(*read, *branch.getParent())))
          return true;
      } else if (const auto *copy = dyn_cast<AnyMemIntrinsic>(&instruction)) {
        const auto *transfer = dyn_cast<AnyMemTransferInst>(copy);
        if (change(copy->getRawDest(), pointsToDependent) ||
            (transfer && (change(copy->getRawDest(), pointsToPointers) ||
                          (!mayRead && !isOwnPlace(transfer->getRawSource())))))
          return true;
      } else if (const auto *called = dyn_cast<CallBase>(&instruction)) {
        if (isQuietCall(*called) ||
            (isCalculation(*called, library) && !hasPointers(*called)))
          continue;
        if (!staysInside(*called) ||
            (!mayRead && any_of(called->args(), [](const Use &argument) {
              return argument->getType()->isPointerTy() &&
                     !isOwnPlace(argument.get());
            })))
          return true;
      } else if (instruction.mayReadOrWriteMemory()) {
        return true;
      }
    }
    for (const BasicBlock *next : successors(chosen[i]))
      if (next != after)
        chosen.insert(next);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The greatest and the smallest so far
//===----------------------------------------------------------------------===//

/// Whether a number is what is in the copy, or is the greater the greater that
/// is: `cast` has converted it, or nothing (0).
bool ShownValues::isCopy(const Value *number, unsigned &cast) const {
  cast = 0;
  if (const auto *converted = dyn_cast<CastInst>(number)) {
    cast = converted->getOpcode();
    bool isRight =
        cast == Instruction::FPExt ||
        (reduction.isUnsigned
             ? cast == Instruction::ZExt || cast == Instruction::UIToFP
             : cast == Instruction::SExt || cast == Instruction::SIToFP);
    if (!isRight && !reduction.isLogical)
      return false;
    number = converted->getOperand(0);
  }
  const auto *read = dyn_cast<LoadInst>(number);
  return read && read->getType() == reduction.type &&
         variableBehind(read->getPointerOperand()) == &own;
}

static constexpr unsigned leastNumber = 2, mostNumber = 3, allTrue = 4;

/// Some number is better than the copy, or it is not yet decided.
std::optional<SideOfNew> ShownValues::sideOfNew(const Value &value) const {
  const auto *comparison = dyn_cast<CmpInst>(&value);
  unsigned cast = 0, otherCast = 0;
  if (reduction.isLogical) {
    const auto *truth = dyn_cast<TruncInst>(&value);
    bool isTruth =
        comparison
            ? comparison->getPredicate() == CmpInst::ICMP_NE &&
                  isCopy(comparison->getOperand(0), cast) &&
                  cast != Instruction::Trunc &&
                  match(comparison->getOperand(1), PatternMatch::m_Zero())
            : truth && truth->getType()->isIntegerTy(1) &&
                  isCopy(truth->getOperand(0), cast) && cast == 0;
    if (!isTruth)
      return std::nullopt;
    return SideOfNew{reduction.op == allTrue ? 0u : 1u, nullptr};
  }
  if (!comparison ||
      (reduction.op != leastNumber && reduction.op != mostNumber))
    return std::nullopt;
  bool isFirst = isCopy(comparison->getOperand(0), cast);
  if (isCopy(comparison->getOperand(1), otherCast) == isFirst)
    return std::nullopt;
  CmpInst::Predicate predicate = comparison->getPredicate();
  if (!isFirst) {
    predicate = CmpInst::getSwappedPredicate(predicate);
    cast = otherCast;
  }
  // Numbers without a sign that are extended are positive.
  if (comparison->isIntPredicate() && cast != Instruction::ZExt &&
      CmpInst::isUnsigned(predicate) != reduction.isUnsigned)
    return std::nullopt;
  bool isUnsigned = false;
  std::optional<unsigned> better = betterBy(
      comparison->isFPPredicate() ? CmpInst::getOrderedPredicate(predicate)
                                  : predicate,
      isUnsigned);
  if (!better)
    return std::nullopt;
  const unsigned index = reduction.op == *better ? 1 : 0;
  // With a copy that is no number at all, it goes the other way.
  if (comparison->isFPPredicate() &&
      CmpInst::isOrdered(predicate) != (index == 0))
    return std::nullopt;
  return SideOfNew{index, comparison->getOperand(isFirst ? 1 : 0)};
}

/// Whether what the way of a new copy stores is what the copy was compared
/// with, so that a copy for which that is not stored is no worse.
bool ShownValues::isBetter(const Value *value, const SideOfNew &side,
                           const BasicBlock &block) const {
  if (isDependent(value))
    return false;
  // Whether something is true is settled by any copy of the other way.
  if (!side.other)
    return true;
  if (isSameBehind(side.other, value, block))
    return true;
  const auto *wider = dyn_cast<CastInst>(side.other);
  return wider &&
         wider->getOpcode() == (reduction.type->isFloatingPointTy()
                                    ? Instruction::FPExt
                                : reduction.isUnsigned ? Instruction::ZExt
                                                       : Instruction::SExt) &&
         isSameBehind(wider->getOperand(0), value, block);
}

/// Whether what is stored in a copy never makes a thread's copy worse than a
/// new one, if it was not before.
bool ShownValues::keepsOrder(const Value *stored) const {
  unsigned cast = 0;
  if (!isDependent(stored))
    return true;
  if (reduction.isLogical)
    if (const auto *wider = dyn_cast<ZExtInst>(stored))
      stored = wider->getOperand(0);
  if ((isCopy(stored, cast) && cast == 0) ||
      (reduction.isLogical && sideOfNew(*stored)))
    return true;
  auto isKept = [&](const Value *other) {
    const auto *known = dyn_cast<ConstantInt>(other);
    unsigned cast = 0;
    return reduction.isLogical
               ? known && known->isZero() == (reduction.op == allTrue)
               : isCopy(other, cast) && cast == 0;
  };
  if (const auto *choice = dyn_cast<SelectInst>(stored)) {
    std::optional<SideOfNew> side = sideOfNew(*choice->getCondition());
    const Value *taken = choice->getTrueValue(),
                *other = choice->getFalseValue();
    if (side && side->index == 1)
      std::swap(taken, other);
    return side && isKept(other) &&
           isBetter(taken, *side, *choice->getParent());
  }
  const auto *phi = dyn_cast<PHINode>(stored);
  if (!phi)
    return false;
  auto decider = deciders.find(phi);
  if (decider == deciders.end())
    return all_of(phi->incoming_values(), [&](const Use &value) {
      return value.get() != phi && !isa<PHINode>(value.get()) &&
             keepsOrder(value.get());
    });
  const auto *branch = dyn_cast_or_null<BranchInst>(decider->second);
  std::optional<SideOfNew> side = branch && branch->isConditional()
                                      ? sideOfNew(*branch->getCondition())
                                      : std::nullopt;
  if (!side)
    return false;
  const Value *taken = comingBy(*phi, *branch, side->index);
  const Value *other = comingBy(*phi, *branch, 1 - side->index);
  return taken && other && isKept(other) &&
         isBetter(taken, *side, *branch->getParent());
}

bool ShownValues::keepsOrder(const StoreInst &store) const {
  auto found = ways.find(store.getParent());
  if (found == ways.end())
    return keepsOrder(store.getValueOperand());
  const auto *branch = found->second.size() == 1
                           ? dyn_cast<BranchInst>(found->second[0].first)
                           : nullptr;
  std::optional<SideOfNew> side = branch && branch->isConditional()
                                      ? sideOfNew(*branch->getCondition())
                                      : std::nullopt;
  return side && side->index == found->second[0].second &&
         isBetter(store.getValueOperand(), *side, *branch->getParent());
}

/// Whether a thread's copy is never worse than a new one.
bool ShownValues::hasOrder() const {
  return all_of(own.uses(), [&](const Use &use) {
    const auto *user = dyn_cast<Instruction>(use.getUser());
    if (!user)
      return false;
    if (dominators.dominates(&join, user) || isa<LoadInst>(user) ||
        user->isLifetimeStartOrEnd())
      return true;
    const auto *store = dyn_cast<StoreInst>(user);
    if (!store)
      return false;
    return use.getOperandNo() == 1 ? keepsOrder(*store) : isListed(*store);
  });
}

bool openmp::isShown(const Reduction &reduction, const Value &own,
                     const CallInst &join, const DominatorTree &dominators) {
  return ShownValues(reduction, own, join, dominators).run();
}
