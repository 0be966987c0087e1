//===- LeafChoices.cpp - Values of a leaf chosen by conditions ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of a phi or a select depends on a condition. As a polynomial it is
// `condition * a + (1 - condition) * b`; this file builds conditions and such
// sums.
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"

#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

Polynomial races::indicator(CmpInst::Predicate predicate,
                            const Polynomial &left, const Polynomial &right) {
  switch (predicate) {
  case CmpInst::ICMP_EQ:
    return Polynomial(1) - isNegative(left - right) - isNegative(right - left);
  case CmpInst::ICMP_NE:
    return isNegative(left - right) + isNegative(right - left);
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_ULT:
    return isNegative(left - right);
  case CmpInst::ICMP_SLE:
  case CmpInst::ICMP_ULE:
    return isNegative(left - right - 1);
  case CmpInst::ICMP_SGT:
  case CmpInst::ICMP_UGT:
    return isNegative(right - left);
  default:
    return isNegative(right - left - 1);
  }
}

/// 1 if `condition` holds, otherwise 0.
std::optional<Polynomial> FactBuilder::truth(Value *condition) {
  auto *comparison = dyn_cast<ICmpInst>(condition);
  if (!comparison)
    return number(condition, /*isSigned=*/false);
  Value *left = comparison->getOperand(0), *right = comparison->getOperand(1);
  if (!left->getType()->isIntegerTy())
    return unknown();
  bool isSigned = !comparison->isUnsigned();
  std::optional<Polynomial> a = number(left, isSigned);
  std::optional<Polynomial> b = number(right, isSigned);
  if (!a || !b)
    return std::nullopt;
  if (!isSigned && left->getType()->getIntegerBitWidth() >= 64 &&
      (mayBeHuge(*a) || mayBeHuge(*b)))
    return unknown();
  Polynomial result = indicator(comparison->getPredicate(), *a, *b);
  if (!result.isValid())
    return unknown();
  return result;
}

std::optional<Polynomial>
FactBuilder::pick(Value *condition, const std::optional<Polynomial> &yes,
                  const std::optional<Polynomial> &no) {
  if (!yes || !no)
    return std::nullopt;
  Polynomial difference = *yes - *no;
  if (difference.isZero())
    return yes;
  std::optional<Polynomial> holds = truth(condition);
  if (!holds)
    return std::nullopt;
  Polynomial result = *no + *holds * difference;
  if (!result.isValid() || result.getTerms().size() > 24)
    return unknown();
  return result;
}

std::optional<Fact> FactBuilder::chosen(Value *condition, Value *yes, Value *no,
                                        unsigned bits) {
  using namespace PatternMatch;
  // The maximum or minimum of two values.
  auto *comparison = dyn_cast<ICmpInst>(condition);
  if (comparison && comparison->isRelational() &&
      ((comparison->getOperand(0) == yes && comparison->getOperand(1) == no) ||
       (comparison->getOperand(0) == no && comparison->getOperand(1) == yes))) {
    bool isSigned = comparison->isSigned();
    bool isMore = (ICmpInst::isGT(comparison->getPredicate()) ||
                   ICmpInst::isGE(comparison->getPredicate())) ==
                  (comparison->getOperand(0) == yes);
    std::optional<Polynomial> a = number(yes, isSigned);
    std::optional<Polynomial> b = number(no, isSigned);
    if (!a || !b)
      return std::nullopt;
    if (isSigned || bits < 64 || (!mayBeHuge(*a) && !mayBeHuge(*b))) {
      Polynomial sign(isMore ? 1 : -1);
      return make(maximum(*a * sign, *b * sign) * sign, bits, isSigned,
                  !isSigned);
    }
  }
  bool isSigned = bits != 1;
  std::optional<Polynomial> result =
      pick(condition, number(yes, isSigned), number(no, isSigned));
  return result ? make(*result, bits, isSigned, !isSigned) : std::nullopt;
}

BranchInst *races::decidingBranch(PHINode &phi, DominatorTree &dominators,
                                  Value *&yes, Value *&no) {
  auto *node = dominators.getNode(phi.getParent());
  if (phi.getNumIncomingValues() != 2 || !node || !node->getIDom())
    return nullptr;
  BasicBlock *above = node->getIDom()->getBlock();
  auto *branch = dyn_cast<BranchInst>(above->getTerminator());
  if (!branch || !branch->isConditional() ||
      branch->getSuccessor(0) == branch->getSuccessor(1))
    return nullptr;
  auto comesFrom = [&](unsigned side, unsigned incoming) {
    BasicBlockEdge edge(above, branch->getSuccessor(side));
    BasicBlock *from = phi.getIncomingBlock(incoming);
    if (from == above)
      return branch->getSuccessor(side) == phi.getParent();
    return dominators.dominates(edge, from);
  };
  for (unsigned first : {0, 1})
    if (comesFrom(0, first) && comesFrom(1, 1 - first)) {
      yes = phi.getIncomingValue(first);
      no = phi.getIncomingValue(1 - first);
      return branch;
    }
  return nullptr;
}

std::optional<Fact> FactBuilder::merged(PHINode &phi, unsigned bits) {
  const SCEV *expression = values.scalars.getSCEV(&phi);
  if (bits > 1 && !isa<SCEVUnknown>(expression))
    if (std::optional<Fact> fact = of(expression))
      return fact;
  const Loop *around = values.loops.getLoopFor(phi.getParent());
  if (around && around->getHeader() == phi.getParent())
    return unknown();
  Value *yes, *no;
  if (BranchInst *branch = decidingBranch(phi, values.dominators, yes, no))
    return chosen(branch->getCondition(), yes, no, bits);
  return unknown();
}
