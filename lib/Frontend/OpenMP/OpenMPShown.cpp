//===- OpenMPShown.cpp - Whether copies of reductions show ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread has in its copy of a reduced variable depends on what
// iterations it has run before. The code of an iteration begins with a new
// copy, so nothing but the copy may depend on it: no memory, no branch, and no
// address.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"

#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

#include <functional>

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

/// The variable or parameter that a pointer leads to.
static const Value *objectBehind(const Value *pointer) {
  constexpr unsigned furthest = 8;
  for (unsigned i = 0; i != furthest; ++i) {
    const Value *object = variableBehind(getUnderlyingObject(pointer));
    if (object == pointer)
      break;
    pointer = object;
  }
  return pointer;
}

/// Whether a call changes nothing that is in memory, and reads nothing.
static bool isQuietCall(const CallBase &called) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&called);
  return called.doesNotAccessMemory() ||
         (intrinsic && intrinsic->isAssumeLikeIntrinsic());
}

namespace {
/// Looks at functions that get what is made of a copy.
class CalledCode {
public:
  /// What they change, in the code that calls them.
  SmallPtrSet<const Value *, 4> changed;

  /// Whether a function only uses its own variables and those that its caller
  /// passes, and reads of others only what it reads each time.
  bool staysInside(const CallBase &called) {
    return staysInside(
        called, [](const Value *object) { return object; },
        /*isAlways=*/true, 0);
  }

private:
  using Outside = std::function<const Value *(const Value *)>;
  bool staysInside(const CallBase &called, const Outside &outside,
                   bool isAlways, unsigned depth);
};
} // namespace

/// `outside`: what an object of the caller is in the code that is looked at.
bool CalledCode::staysInside(const CallBase &called, const Outside &outside,
                             bool isAlways, unsigned depth) {
  constexpr unsigned deepest = 4;
  const Function *callee = called.getCalledFunction();
  if (!callee || callee->isDeclaration() || callee->isVarArg() ||
      callee->arg_size() > called.arg_size() || depth > deepest)
    return false;
  auto outsideOf = [&](const Value *object) -> const Value * {
    const auto *parameter = dyn_cast<Argument>(object);
    return parameter ? outside(objectBehind(
                           called.getArgOperand(parameter->getArgNo())))
                     : nullptr;
  };
  return all_of(instructions(*callee), [&](const Instruction &instruction) {
    bool isFirst =
        isAlways && instruction.getParent() == &callee->getEntryBlock();
    if (const auto *write = dyn_cast<StoreInst>(&instruction)) {
      const Value *object = objectBehind(write->getPointerOperand());
      if (isa<AllocaInst>(object))
        return !write->isAtomic();
      object = outsideOf(object);
      if (!object || !isa<AllocaInst>(object) || write->isAtomic())
        return false;
      changed.insert(object);
      return true;
    }
    if (const auto *read = dyn_cast<LoadInst>(&instruction)) {
      const Value *pointer = read->getPointerOperand();
      const Value *object = objectBehind(pointer);
      if (isa<AllocaInst>(object))
        return !read->isAtomic();
      const Value *other = outsideOf(object);
      bool isFixed = isFirst && variableBehind(pointer) == object;
      return other && (isFixed || isa<AllocaInst>(other)) && !read->isAtomic();
    }
    const auto *inner = dyn_cast<CallBase>(&instruction);
    if (!inner)
      return !instruction.mayReadOrWriteMemory();
    return isQuietCall(*inner) ||
           staysInside(
               *inner,
               [&](const Value *object) {
                 return isa<AllocaInst>(object) ? object : outsideOf(object);
               },
               isFirst, depth + 1);
  });
}

/// Where a branch goes for a new copy whenever it does for what a thread has in
/// its copy: where some number is better than the copy, or not yet decided.
static std::optional<unsigned>
sideOfNew(const Value &value, const Reduction &reduction, const Value &own) {
  auto isCopy = [&](const Value *number) {
    // What is larger remains so.
    if (isa<SExtInst, ZExtInst, FPExtInst, SIToFPInst, UIToFPInst>(number))
      number = cast<CastInst>(number)->getOperand(0);
    const auto *read = dyn_cast<LoadInst>(number);
    return read && variableBehind(read->getPointerOperand()) == &own;
  };
  constexpr unsigned least = 2, most = 3, all = 4;
  const auto *comparison = dyn_cast<CmpInst>(&value);
  if (reduction.isLogical) {
    const auto *truth = dyn_cast<TruncInst>(&value);
    bool isTruth =
        comparison
            ? comparison->getPredicate() == CmpInst::ICMP_NE &&
                  isCopy(comparison->getOperand(0)) &&
                  match(comparison->getOperand(1), PatternMatch::m_Zero())
            : truth && truth->getType()->isIntegerTy(1) &&
                  isCopy(truth->getOperand(0));
    return isTruth ? std::optional<unsigned>(reduction.op == all ? 0 : 1)
                   : std::nullopt;
  }
  if (!comparison || (reduction.op != least && reduction.op != most) ||
      isCopy(comparison->getOperand(0)) == isCopy(comparison->getOperand(1)))
    return std::nullopt;
  CmpInst::Predicate predicate = comparison->getPredicate();
  if (isCopy(comparison->getOperand(1)))
    predicate = CmpInst::getSwappedPredicate(predicate);
  switch (predicate) {
  case CmpInst::ICMP_SGT:
  case CmpInst::ICMP_SGE:
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_UGE:
  case CmpInst::FCMP_OGT:
  case CmpInst::FCMP_OGE:
  case CmpInst::FCMP_UGT:
  case CmpInst::FCMP_UGE:
    return reduction.op == least ? 0 : 1;
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_SLE:
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_ULE:
  case CmpInst::FCMP_OLT:
  case CmpInst::FCMP_OLE:
  case CmpInst::FCMP_ULT:
  case CmpInst::FCMP_ULE:
    return reduction.op == most ? 0 : 1;
  default:
    return std::nullopt;
  }
}

namespace {
/// Follows what is made of a copy.
class ShownValues {
public:
  ShownValues(const Reduction &reduction, const Value &own,
              const CallInst &join, const DominatorTree &dominators)
      : reduction(reduction), own(own), join(join), dominators(dominators) {}

  bool run();

private:
  bool followPlace(const Value &place);
  bool followNumber(const Value &value);
  bool followCall(const CallBase &called, const Use &use);
  bool staysInside(const CallBase &called);
  bool followChoice(const Instruction &branch, const Value &value);
  bool followWay(const BasicBlock *first, const BasicBlock *after,
                 bool mayRead);
  bool addChosen(const Instruction &made, bool isKnown);
  bool isJoined(const User &user) const {
    return dominators.dominates(&join, cast<Instruction>(&user));
  }

  const Reduction &reduction;
  const Value &own;
  const CallInst &join;
  const DominatorTree &dominators;
  std::optional<PostDominatorTree> afters;
  SmallSetVector<const Value *, 16> values;
};
} // namespace

bool ShownValues::run() {
  values.insert(&own);
  for (unsigned i = 0; i != values.size(); ++i)
    if (values[i]->getType()->isPointerTy() ? followPlace(*values[i])
                                            : followNumber(*values[i]))
      return true;
  return false;
}

/// Whether a function changes nothing but variables of the code here, of which
/// it notes that they depend on the copy.
bool ShownValues::staysInside(const CallBase &called) {
  CalledCode code;
  if (!code.staysInside(called))
    return false;
  values.insert_range(code.changed);
  return true;
}

/// A function gets what is made of a copy, or its address.
bool ShownValues::followCall(const CallBase &called, const Use &use) {
  const Function *callee = called.getCalledFunction();
  bool isAddress = use->getType()->isPointerTy();
  if (isQuietCall(called) || (isAddress && callee && callee->isDeclaration())) {
    if (!called.getType()->isVoidTy())
      values.insert(&called);
    return false;
  }
  if (!callee || !called.isArgOperand(&use))
    return true;
  if (callee->isDeclaration()) {
    if (!called.onlyReadsMemory() && !called.getType()->isFloatingPointTy())
      return true;
  } else if (!staysInside(called)) {
    return true;
  }
  if (!called.getType()->isVoidTy())
    values.insert(&called);
  return false;
}

/// Memory that is the copy's, or that has been chosen by what is in it.
bool ShownValues::followPlace(const Value &place) {
  bool isOwn = isa<AllocaInst>(getUnderlyingObject(&place));
  for (const Use &use : place.uses()) {
    const User &user = *use.getUser();
    if (isJoined(user))
      continue;
    if (const auto *store = dyn_cast<StoreInst>(&user)) {
      const Value *object = objectBehind(store->getPointerOperand());
      if (use.getOperandNo() == 1) {
        // An element that it has chosen.
        if (!isOwn)
          return true;
      } else if (!isa<AllocaInst>(object)) {
        return true;
      } else if (!isReductionList(*object)) {
        values.insert(object);
      }
    } else if (isa<LoadInst, GetElementPtrInst>(user)) {
      values.insert(&user);
    } else if (const auto *called = dyn_cast<CallBase>(&user)) {
      if (followCall(*called, use))
        return true;
    } else if (isa<PHINode, SelectInst, CastInst>(user)) {
      values.insert(&user);
    }
  }
  return false;
}

bool ShownValues::followNumber(const Value &value) {
  for (const Use &use : value.uses()) {
    const auto &user = *cast<Instruction>(use.getUser());
    if (isJoined(user))
      continue;
    if (const auto *store = dyn_cast<StoreInst>(&user)) {
      const Value *place = objectBehind(store->getPointerOperand());
      if (!isa<AllocaInst>(place))
        return true;
      values.insert(place);
    } else if (const auto *called = dyn_cast<CallBase>(&user)) {
      if (followCall(*called, use))
        return true;
    } else if (isa<GetElementPtrInst>(user)) {
      if (!isa<AllocaInst>(objectBehind(&user)))
        return true;
      values.insert(&user);
    } else if (isa<SelectInst>(user)) {
      bool isKnown = use.getOperandNo() == 0 &&
                     sideOfNew(value, reduction, own).has_value();
      if (addChosen(user, isKnown))
        return true;
    } else if (isa<IntToPtrInst, AtomicRMWInst, AtomicCmpXchgInst>(user)) {
      return true;
    } else if (user.isTerminator()) {
      if (followChoice(user, value))
        return true;
    } else if (!user.getType()->isVoidTy()) {
      values.insert(&user);
    }
  }
  return false;
}

/// One of several values. Returns whether that decides which memory of others
/// is used.
bool ShownValues::addChosen(const Instruction &made, bool isKnown) {
  values.insert(&made);
  return made.getType()->isPointerTy() && !isKnown &&
         any_of(made.operands(), [](const Use &operand) {
           return operand->getType()->isPointerTy() &&
                  !isa<AllocaInst>(objectBehind(operand.get()));
         });
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
  // Only the way of a new copy may read what others have.
  std::optional<unsigned> side = sideOfNew(value, reduction, own);
  for (unsigned i = 0; i != branch.getNumSuccessors(); ++i)
    if (followWay(branch.getSuccessor(i), after, /*mayRead=*/side == i))
      return true;
  return any_of(after->phis(), [&](const PHINode &phi) {
    return addChosen(phi, side.has_value());
  });
}

/// One way of a branch, up to where all come together.
bool ShownValues::followWay(const BasicBlock *first, const BasicBlock *after,
                            bool mayRead) {
  if (first == after)
    return false;
  SmallSetVector<const BasicBlock *, 8> chosen;
  chosen.insert(first);
  bool hasReads = false;
  for (unsigned i = 0; i != chosen.size(); ++i) {
    for (const Instruction &instruction : *chosen[i]) {
      if (const auto *write = dyn_cast<StoreInst>(&instruction)) {
        const Value *place = objectBehind(write->getPointerOperand());
        if (!isa<AllocaInst>(place) || write->isAtomic())
          return true;
        values.insert(place);
      } else if (const auto *read = dyn_cast<LoadInst>(&instruction)) {
        if (read->isAtomic())
          return true;
        hasReads |= !isa<AllocaInst>(objectBehind(read->getPointerOperand()));
      } else if (const auto *called = dyn_cast<CallBase>(&instruction)) {
        if (isQuietCall(*called))
          continue;
        if (!staysInside(*called))
          return true;
        hasReads |= any_of(called->args(), [](const Use &argument) {
          return argument->getType()->isPointerTy() &&
                 !isa<AllocaInst>(objectBehind(argument.get()));
        });
      } else if (instruction.mayReadOrWriteMemory()) {
        return true;
      }
    }
    for (const BasicBlock *next : successors(chosen[i]))
      if (next != after)
        chosen.insert(next);
  }
  return hasReads && !mayRead;
}

bool openmp::isShown(const Reduction &reduction, const Value &own,
                     const CallInst &join, const DominatorTree &dominators) {
  return ShownValues(reduction, own, join, dominators).run();
}
