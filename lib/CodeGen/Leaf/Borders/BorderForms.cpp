//===- BorderForms.cpp - What has one value inside ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms that programs, and LLVM's simplifications, give to what depends on
// the place of an instance: minima and maxima, remainders, and comparisons that
// stand for several.
//
//===----------------------------------------------------------------------===//

#include "BorderCuts.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace sluice::codegen {

std::optional<BorderFinding> BorderCuts::findMinMax(IntrinsicInst &call) {
  bool isDifference = call.getIntrinsicID() == Intrinsic::usub_sat;
  if (!isa<MinMaxIntrinsic>(call) && !isDifference)
    return std::nullopt;
  if (!call.getType()->isIntegerTy())
    return std::nullopt;
  ICmpInst::Predicate predicate =
      isDifference ? ICmpInst::ICMP_UGE
                   : ICmpInst::getNonStrictPredicate(
                         cast<MinMaxIntrinsic>(call).getPredicate());
  Value *left = call.getArgOperand(0), *right = call.getArgOperand(1);
  std::optional<BorderCondition> condition =
      compare(evolution.getSCEV(left), predicate, evolution.getSCEV(right));
  if (!condition)
    return std::nullopt;
  // Of `left predicate right`, as it was before the sides were exchanged.
  BorderFinding finding{&call, {*condition}, nullptr, nullptr};
  if (!isDifference)
    finding.simpler = condition->truth ? left : right;
  else if (condition->truth)
    finding = {&call, {*condition}, left, right};
  else
    finding.simpler = ConstantInt::get(call.getType(), 0);
  return finding;
}

/// Adds what must hold inside; the border where it does not is at the start or
/// at the end of the rounds.
bool BorderCuts::demand(BorderFinding &finding, const SCEV *left,
                        ICmpInst::Predicate predicate, const SCEV *right,
                        bool isAtStart) {
  std::optional<BorderCondition> condition = compare(left, predicate, right);
  if (!condition)
    return false;
  condition->isAtStart = isAtStart;
  condition->truth = true;
  settleEnd(*condition);
  if (condition->idBound)
    condition->isShort = isShort(*condition->idBound, isAtStart);
  finding.conditions.push_back(*condition);
  return true;
}

/// Remainders of divisors that are constants: the dividend less the multiple of
/// the divisor that is right for most ids.
std::optional<BorderFinding>
BorderCuts::findConstantRemainder(BinaryOperator &remainder,
                                  const APInt &divisor) {
  Value *left = remainder.getOperand(0);
  const SCEVAddRecExpr *dividend = movingValue(evolution.getSCEV(left));
  bool isMask = remainder.getOpcode() == Instruction::And;
  // With room for sums, so that numbers below do not wrap around.
  if (!dividend || divisor.isZero() ||
      divisor.getActiveBits() + 2 > std::min(divisor.getBitWidth(), 62u) ||
      !evolution.isKnownPositive(dividend->getStepRecurrence(evolution)))
    return std::nullopt;
  int64_t by = divisor.getZExtValue();
  std::optional<int64_t> beyond = beyondId(*dividend);
  int64_t multiple = 0;
  if (beyond) {
    if (std::abs(*beyond) >= by)
      return std::nullopt;
    multiple = *beyond > by / 2 ? by : *beyond < -(by / 2) ? -by : 0;
    if (!isMask && multiple < 0)
      multiple = 0;
    int64_t first = std::max<int64_t>(multiple - *beyond, 0);
    int64_t behind = multiple - *beyond + by;
    if (constantLimit &&
        std::min(behind, *constantLimit) - first < *constantLimit / 2)
      return std::nullopt;
  }
  // Masks serve other ends as well.
  if (isMask && (!beyond || !constantLimit))
    return std::nullopt;
  Type *type = left->getType();
  const SCEV *result = evolution.getMinusSCEV(
      dividend, evolution.getConstant(type, multiple, /*isSigned=*/true));
  const SCEV *zero = evolution.getZero(type);
  BorderFinding finding{&remainder,
                        {},
                        left,
                        multiple ? ConstantInt::getSigned(type, multiple)
                                 : nullptr};
  if (!demand(finding, result, ICmpInst::ICMP_SGE, zero, /*isAtStart=*/true) ||
      !demand(finding, result, ICmpInst::ICMP_SLT,
              evolution.getConstant(divisor),
              /*isAtStart=*/false))
    return std::nullopt;
  return finding;
}

/// A remainder is the dividend, or the dividend less one divisor, where this is
/// not negative and below the divisor. That of the number itself takes it apart
/// rather than wraps around: see BlockLoops.
std::optional<BorderFinding>
BorderCuts::findRemainder(BinaryOperator &remainder) {
  Value *left = remainder.getOperand(0), *right = remainder.getOperand(1);
  const APInt *constant;
  if (remainder.getOpcode() == Instruction::And) {
    if (!match(right, m_LowBitMask(constant)) || constant->isAllOnes())
      return std::nullopt;
    return findConstantRemainder(remainder, *constant + 1);
  }
  if (match(right, m_APInt(constant)))
    return constant->isNegative() ? std::nullopt
                                  : findConstantRemainder(remainder, *constant);
  const SCEV *value = evolution.getSCEV(left);
  const SCEVAddRecExpr *dividend = movingValue(value);
  const SCEV *divisor = evolution.getSCEV(right);
  if (!dividend)
    if (std::optional<BorderWindow> window = windowOf(value))
      dividend = window->lowest;
  if (!dividend || isa<PHINode>(left))
    return std::nullopt;
  const auto *sum = dyn_cast<SCEVAddExpr>(dividend->getStart());
  bool wraps = sum && is_contained(sum->operands(), divisor);
  const SCEV *result = wraps ? evolution.getMinusSCEV(value, divisor) : value;
  const SCEV *zero = evolution.getZero(left->getType());
  BorderFinding finding{&remainder, {}, left, wraps ? right : nullptr};
  bool isRising =
      evolution.isKnownPositive(dividend->getStepRecurrence(evolution));
  bool isSigned = remainder.getOpcode() == Instruction::SRem;
  if (!isRising ||
      !demand(finding, result, ICmpInst::ICMP_SGE, zero, /*isAtStart=*/true) ||
      !demand(finding, result, ICmpInst::ICMP_SLT, divisor,
              /*isAtStart=*/false) ||
      (wraps && isSigned &&
       !demand(finding, value, ICmpInst::ICMP_SGE, zero,
               /*isAtStart=*/true)))
    return std::nullopt;
  return finding;
}

/// A window within numbers from 0 on: `x + t < width`, unsigned.
std::optional<BorderFinding> BorderCuts::findWindow(ICmpInst &test) {
  const SCEV *value = evolution.getSCEV(test.getOperand(0));
  const SCEV *bound = evolution.getSCEV(test.getOperand(1));
  ICmpInst::Predicate predicate = test.getPredicate();
  if (!evolution.isLoopInvariant(bound, loop.loop)) {
    std::swap(value, bound);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  if (!ICmpInst::isUnsigned(predicate) || !isWindow(value))
    return std::nullopt;
  bool truth = !ICmpInst::isGT(predicate) && !ICmpInst::isGE(predicate);
  if (!truth)
    predicate = ICmpInst::getInversePredicate(predicate);
  BorderFinding both{&test, {}, builder.getInt1(truth), nullptr};
  unsigned bits = evolution.getTypeSizeInBits(bound->getType());
  const SCEV *highest = evolution.getUMinExpr(
      bound, evolution.getConstant(APInt::getSignedMaxValue(bits)));
  if (!demand(both, value, ICmpInst::ICMP_SGE,
              evolution.getZero(value->getType()), /*isAtStart=*/true) ||
      !demand(both, value, ICmpInst::getSignedPredicate(predicate), highest,
              /*isAtStart=*/false))
    return std::nullopt;
  return both;
}

/// A comparison that changes twice: where bounds are constants LLVM makes
/// `id - 1 < 2046`, unsigned, of `id >= 1 && id < 2047`. Inside, the value lies
/// between two signed numbers.
std::optional<BorderFinding> BorderCuts::findRange(ICmpInst &test) {
  const SCEV *bound = evolution.getSCEV(test.getOperand(1));
  ICmpInst::Predicate predicate = test.getPredicate();
  const SCEVAddRecExpr *moving =
      movingValue(evolution.getSCEV(test.getOperand(0)));
  if (!moving) {
    moving = movingValue(bound);
    bound = evolution.getSCEV(test.getOperand(0));
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  if (!moving)
    return findWindow(test);
  std::optional<int64_t> beyond = beyondId(*moving);
  if (!beyond ||
      !evolution.isKnownPositive(moving->getStepRecurrence(evolution)))
    return std::nullopt;
  Type *type = moving->getType();
  unsigned bits = evolution.getTypeSizeInBits(type);
  bool truth = true;
  auto finding = [&](bool result) {
    return BorderFinding{&test, {}, builder.getInt1(result), nullptr};
  };
  BorderFinding both;
  const auto *constant = dyn_cast<SCEVConstant>(bound);
  if (!constant) {
    // Only values that begin below 0 change twice.
    if (!ICmpInst::isUnsigned(predicate) || *beyond >= 0)
      return std::nullopt;
    if (ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate)) {
      predicate = ICmpInst::getInversePredicate(predicate);
      truth = false;
    }
    both = finding(truth);
    const SCEV *highest = evolution.getUMinExpr(
        bound, evolution.getConstant(APInt::getSignedMaxValue(bits)));
    if (!demand(both, moving, ICmpInst::ICMP_SGE, evolution.getZero(type),
                /*isAtStart=*/true) ||
        !demand(both, moving, ICmpInst::getSignedPredicate(predicate), highest,
                /*isAtStart=*/false))
      return std::nullopt;
    return both;
  }
  ConstantRange region =
      ConstantRange::makeExactICmpRegion(predicate, constant->getAPInt());
  if (region.isSignWrappedSet()) {
    region = region.inverse();
    truth = false;
  }
  if (region.isEmptySet() || region.isFullSet() || region.isSignWrappedSet() ||
      region.isSingleElement() || region.inverse().isSingleElement() ||
      region.getLower().isMinSignedValue() ||
      region.getUpper().isMinSignedValue())
    return std::nullopt;
  int64_t low = region.getLower().getSExtValue();
  int64_t high = region.getUpper().getSExtValue(), firstInside, firstBehind;
  if (SubOverflow(low, *beyond, firstInside) || firstInside <= 0 ||
      SubOverflow(high, *beyond, firstBehind))
    return std::nullopt;
  auto number = [&](int64_t value) {
    return evolution.getConstant(type, value, /*isSigned=*/true);
  };
  bool isLate = constantLimit && firstInside >= *constantLimit / 2;
  bool hasFew = firstBehind - firstInside <= shortBorder &&
                (!constantLimit || firstInside > shortBorder ||
                 *constantLimit - firstBehind > shortBorder);
  if (hasFew) {
    // Most instances are outside of it.
    both = finding(!truth);
    if (!demand(both, moving, isLate ? ICmpInst::ICMP_SLT : ICmpInst::ICMP_SGE,
                number(isLate ? low : high), /*isAtStart=*/!isLate))
      return std::nullopt;
    return both;
  }
  both = finding(truth);
  if (!demand(both, moving, ICmpInst::ICMP_SGE, number(low),
              /*isAtStart=*/true) ||
      !demand(both, moving, ICmpInst::ICMP_SLT, number(high),
              /*isAtStart=*/false))
    return std::nullopt;
  return both;
}

/// LLVM compares several values, one by one below a power of two or equal to 0,
/// by one comparison of their union. Makes comparisons of both parts again.
bool BorderCuts::takeApart(ICmpInst &test) {
  const APInt *bound;
  Value *left, *right;
  if (!match(test.getOperand(0), m_Or(m_Value(left), m_Value(right))) ||
      !match(test.getOperand(1), m_APInt(bound)))
    return false;
  auto isBelow = [&](ICmpInst::Predicate predicate) {
    ConstantRange region =
        ConstantRange::makeExactICmpRegion(predicate, *bound);
    return !region.isEmptySet() && !region.isFullSet() &&
           region.getLower().isZero() && region.getUpper().isPowerOf2();
  };
  ICmpInst::Predicate predicate = test.getPredicate();
  bool isAnd = isBelow(predicate);
  if (!isAnd && !isBelow(ICmpInst::getInversePredicate(predicate)))
    return false;
  IRBuilder<> at(&test);
  Value *first = at.CreateICmp(predicate, left, test.getOperand(1));
  Value *second = at.CreateICmp(predicate, right, test.getOperand(1));
  Value *joined =
      isAnd ? at.CreateAnd(first, second) : at.CreateOr(first, second);
  evolution.forgetValue(&test);
  test.replaceAllUsesWith(joined);
  for (Value *part : {first, second})
    if (auto *inner = dyn_cast<ICmpInst>(part))
      takeApart(*inner);
  return true;
}

void BorderCuts::takeApart() {
  for (BasicBlock *block : loop.loop->blocks())
    for (Instruction &instruction : make_early_inc_range(*block))
      if (auto *test = dyn_cast<ICmpInst>(&instruction);
          test && test != loop.test && takeApart(*test))
        test->eraseFromParent();
}

} // namespace sluice::codegen
