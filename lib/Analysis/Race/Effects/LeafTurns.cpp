//===- LeafTurns.cpp - Values of a leaf that depend on loops --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inside a loop, a value depends on the iteration. LLVM's scalar evolution
// describes it as a recurrence. This file makes it a polynomial in the
// iteration number, and finds the limits of that number.
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

unsigned races::loopNumber(const Loop &loop, LoopInfo &info) {
  SmallVector<Loop *, 4> all = info.getLoopsInPreorder();
  return std::distance(all.begin(), find(all, &loop));
}

Polynomial races::turnOf(const Loop &loop, LoopInfo &loops) {
  Symbol turn;
  turn.kind = Symbol::Kind::Turn;
  turn.index = loopNumber(loop, loops);
  return Polynomial::of(turn);
}

std::optional<Fact> FactBuilder::of(const SCEV *expression) {
  auto *type = dyn_cast<IntegerType>(expression->getType());
  if (!type || type->getBitWidth() > 64 || type->getBitWidth() == 63 ||
      depth > 60)
    return unknown();
  ++depth;
  std::optional<Fact> fact = build(expression, type->getBitWidth());
  fact = unlessVague(fact, expression, type->getBitWidth());
  --depth;
  return fact;
}

std::optional<Fact> FactBuilder::recurrence(const SCEVAddRecExpr &expression,
                                            unsigned bits) {
  if (!expression.isAffine() || !expression.getLoop()->contains(&block))
    return unknown();
  bool isSigned = expression.hasNoSignedWrap();
  bool isUnsigned = expression.hasNoUnsignedWrap();
  std::optional<Polynomial> start =
      number(expression.getStart(), isSigned || !isUnsigned);
  std::optional<Polynomial> step =
      number(expression.getOperand(1), isSigned || !isUnsigned);
  if (!start || !step)
    return std::nullopt;
  return make(*start + *step * turnOf(*expression.getLoop(), values.loops),
              bits, isSigned, !isSigned && isUnsigned);
}

std::optional<Fact> FactBuilder::build(const SCEV *expression, unsigned bits) {
  if (auto *constant = dyn_cast<SCEVConstant>(expression))
    return of(constant->getValue());
  if (auto *value = dyn_cast<SCEVUnknown>(expression)) {
    if (isa<PHINode>(value->getValue())) {
      Value *yes, *no;
      auto *phi = cast<PHINode>(value->getValue());
      const Loop *around = values.loops.getLoopFor(phi->getParent());
      BranchInst *branch =
          around && around->getHeader() == phi->getParent()
              ? nullptr
              : decidingBranch(*phi, values.dominators, yes, no);
      return branch ? chosen(branch->getCondition(), yes, no, bits) : unknown();
    }
    return of(value->getValue());
  }
  if (auto *recurring = dyn_cast<SCEVAddRecExpr>(expression))
    return recurrence(*recurring, bits);
  if (auto *cast = dyn_cast<SCEVCastExpr>(expression)) {
    const SCEV *operand = cast->getOperand();
    if (isa<SCEVTruncateExpr>(cast)) {
      std::optional<Fact> wide = of(operand);
      return wide ? make(wide->value, bits) : std::nullopt;
    }
    if (!isa<SCEVZeroExtendExpr, SCEVSignExtendExpr>(cast))
      return unknown();
    std::optional<Polynomial> narrow =
        number(operand, isa<SCEVSignExtendExpr>(cast));
    return narrow ? make(*narrow, bits) : std::nullopt;
  }
  if (auto *ratio = dyn_cast<SCEVUDivExpr>(expression)) {
    auto *divisor = dyn_cast<SCEVConstant>(ratio->getRHS());
    std::optional<Polynomial> value = number(ratio->getLHS(), false);
    if (!divisor || divisor->getAPInt().getActiveBits() > 62 || !value ||
        divisor->getAPInt().isZero() || (bits >= 64 && mayBeHuge(*value)))
      return unknown();
    return quotient(*value, false, divisor->getAPInt().getZExtValue(), bits);
  }
  auto *operands = dyn_cast<SCEVNAryExpr>(expression);
  if (!operands)
    return unknown();
  SCEVTypes kind = expression->getSCEVType();
  bool isSum = kind == scAddExpr, isProduct = kind == scMulExpr;
  bool isSigned = isSum || isProduct
                      ? operands->hasNoSignedWrap() || bits >= 64 ||
                            !operands->hasNoUnsignedWrap()
                      : kind == scSMaxExpr || kind == scSMinExpr;
  bool isLess = kind == scSMinExpr || kind == scUMinExpr;
  if (kind == scSequentialUMinExpr)
    return unknown();
  std::optional<Polynomial> all;
  for (const SCEV *operand : operands->operands()) {
    std::optional<Polynomial> value = number(operand, isSigned);
    if (!value)
      return std::nullopt;
    if (!isSum && !isProduct && !isSigned && bits >= 64 && mayBeHuge(*value))
      return unknown();
    Polynomial sign(isLess ? -1 : 1);
    all = !all        ? *value
          : isSum     ? *all + *value
          : isProduct ? *all * *value
                      : maximum(*all * sign, *value * sign) * sign;
  }
  bool isExact =
      (!isSum && !isProduct) ||
      (isSigned ? operands->hasNoSignedWrap() : operands->hasNoUnsignedWrap());
  return make(*all, bits, isExact && isSigned, isExact && !isSigned);
}

std::vector<Condition> LeafValues::turnLimits(const BasicBlock &block,
                                              Follow follow) {
  std::vector<Condition> limits;
  for (const Loop *loop = loops.getLoopFor(&block); loop;
       loop = loop->getParentLoop()) {
    const SCEV *most = scalars.getSymbolicMaxBackedgeTakenCount(loop);
    if (isa<SCEVCouldNotCompute>(most))
      continue;
    std::string reason;
    std::optional<Polynomial> limit =
        number(most, /*isSigned=*/false, block, reason, follow);
    if (!limit || !limit->isValid() || mayBeHuge(*limit))
      continue;
    limits.push_back({Condition::Kind::NotPositive,
                      turnOf(*loop, loops) - *limit,
                      static_cast<int>(loopNumber(*loop, loops))});
  }
  return limits;
}
