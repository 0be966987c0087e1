//===- EqualValues.cpp - Values that are computed alike -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares instructions with their operands, before LLVM simplifies the code.
//
//===----------------------------------------------------------------------===//

#include "EqualValues.h"
#include "sluice/Analysis/BarrierCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;

namespace {
/// `condition ? ifTrue : ifFalse`
struct Ternary {
  const Value *condition, *ifTrue, *ifFalse;
};
} // namespace

/// The values between which a phi selects by one branch, if each arm is at most
/// one block.
static std::optional<Ternary> ternaryOf(const PHINode &phi) {
  if (phi.getNumIncomingValues() != 2)
    return std::nullopt;
  const BasicBlock *ways[] = {phi.getIncomingBlock(0), phi.getIncomingBlock(1)};
  for (const BasicBlock *start :
       {ways[0]->getSinglePredecessor(), ways[0], ways[1]}) {
    const auto *branch =
        start ? dyn_cast<BranchInst>(start->getTerminator()) : nullptr;
    if (!branch || !branch->isConditional())
      continue;
    auto leadsTo = [&](const BasicBlock *next, const BasicBlock *way) {
      return way == start ? next == phi.getParent()
                          : next == way && way->getSinglePredecessor() == start;
    };
    for (unsigned first : {0, 1})
      if (leadsTo(branch->getSuccessor(0), ways[first]) &&
          leadsTo(branch->getSuccessor(1), ways[1 - first]))
        return Ternary{branch->getCondition(), phi.getIncomingValue(first),
                       phi.getIncomingValue(1 - first)};
  }
  return std::nullopt;
}

/// Whether a function returns the same result for the same arguments and has no
/// visible effect: it takes numbers, and is a library function or uses only its
/// own variables.
static bool isOfNumbers(const Function &callee, unsigned depth = 4) {
  auto isNumber = [](const Type *type) {
    return type->isFloatingPointTy() || type->isIntegerTy();
  };
  if (depth == 0 || callee.isVarArg() || !isNumber(callee.getReturnType()) ||
      !all_of(callee.getFunctionType()->params(), isNumber))
    return false;
  if (callee.isDeclaration()) {
    const TargetLibraryInfoImpl library(callee.getParent()->getTargetTriple());
    LibFunc known;
    return callee.getReturnType()->isFloatingPointTy() && callee.arg_size() &&
           library.getLibFunc(callee, known);
  }
  auto isOwn = [](const Value *address) { return isa<AllocaInst>(address); };
  return !callee.isInterposable() &&
         all_of(instructions(callee), [&](const Instruction &one) {
           if (const auto *store = dyn_cast<StoreInst>(&one))
             return isOwn(store->getPointerOperand());
           if (const auto *load = dyn_cast<LoadInst>(&one))
             return isOwn(load->getPointerOperand());
           const auto *call = dyn_cast<CallBase>(&one);
           if (!call)
             return !one.mayReadOrWriteMemory();
           const Function *inner = call->getCalledFunction();
           return call->doesNotAccessMemory() || call->isLifetimeStartOrEnd() ||
                  (inner && isOfNumbers(*inner, depth - 1));
         });
}

bool sluice::areEqualValues(const Value &a, const Value &b) {
  if (&a == &b)
    return true;
  const auto *first = dyn_cast<Instruction>(&a);
  const auto *second = dyn_cast<Instruction>(&b);
  const auto *phi = dyn_cast<PHINode>(&a), *otherPhi = dyn_cast<PHINode>(&b);
  if (phi && otherPhi) {
    std::optional<Ternary> one = ternaryOf(*phi), other = ternaryOf(*otherPhi);
    return one && other && areEqualValues(*one->condition, *other->condition) &&
           areEqualValues(*one->ifTrue, *other->ifTrue) &&
           areEqualValues(*one->ifFalse, *other->ifFalse);
  }
  if (!first || !second || !first->isSameOperationAs(second) ||
      isa<PHINode, AllocaInst>(first))
    return false;
  if (const auto *call = dyn_cast<CallBase>(first);
      call && !call->doesNotAccessMemory() &&
      !hpvmIntrinsicName(*first).starts_with("get") &&
      !(call->getCalledFunction() && isOfNumbers(*call->getCalledFunction())))
    return false;
  return all_of(zip(first->operands(), second->operands()), [](auto pair) {
    return areEqualValues(*std::get<0>(pair), *std::get<1>(pair));
  });
}
