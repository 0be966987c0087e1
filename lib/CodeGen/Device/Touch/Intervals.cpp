//===- Intervals.cpp - Bounds of expressions, computed at run time --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes a share of a node's instances touches is only known at run time.
// This file emits code that computes lower and upper bounds of addresses, and
// says where they overflow.
//
//===----------------------------------------------------------------------===//

#include "Intervals.h"
#include "../NeutralForm.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// One operation on 64 bits; clears `isKnown` where it overflows.
Value *IntervalEmitter::checked(Intrinsic::ID operation, Value *x, Value *y,
                                Value *&isKnown) {
  Value *pair = b.CreateBinaryIntrinsic(operation, x, y);
  isKnown = b.CreateAnd(isKnown, b.CreateNot(b.CreateExtractValue(pair, {1})));
  return b.CreateExtractValue(pair, {0});
}

/// Known only where it fits into `width` bits.
Interval IntervalEmitter::within(Interval interval, unsigned width) {
  if (width >= 64)
    return interval;
  int64_t most = int64_t((uint64_t(1) << (width - 1)) - 1);
  Value *fits =
      b.CreateAnd(b.CreateICmpSGE(interval.low, b.getInt64(-most - 1)),
                  b.CreateICmpSLE(interval.high, b.getInt64(most)));
  interval.isKnown = b.CreateAnd(interval.isKnown, fits);
  return interval;
}

Interval IntervalEmitter::notNegative(Interval interval) {
  interval.isKnown = b.CreateAnd(interval.isKnown,
                                 b.CreateICmpSGE(interval.low, b.getInt64(0)));
  return interval;
}

Interval IntervalEmitter::sum(const Interval &x, const Interval &y,
                              unsigned width) {
  Interval result;
  result.isKnown = b.CreateAnd(x.isKnown, y.isKnown);
  result.low =
      checked(Intrinsic::sadd_with_overflow, x.low, y.low, result.isKnown);
  result.high =
      checked(Intrinsic::sadd_with_overflow, x.high, y.high, result.isKnown);
  return within(result, width);
}

Interval IntervalEmitter::product(const Interval &x, const Interval &y,
                                  unsigned width) {
  Interval result;
  result.isKnown = b.CreateAnd(x.isKnown, y.isKnown);
  for (Value *left : {x.low, x.high})
    for (Value *right : {y.low, y.high}) {
      Value *corner =
          checked(Intrinsic::smul_with_overflow, left, right, result.isKnown);
      result.low = result.low ? b.CreateBinaryIntrinsic(Intrinsic::smin,
                                                        result.low, corner)
                              : corner;
      result.high = result.high ? b.CreateBinaryIntrinsic(Intrinsic::smax,
                                                          result.high, corner)
                                : corner;
    }
  return within(result, width);
}

Interval IntervalEmitter::hull(const Interval &x, const Interval &y) {
  return {b.CreateBinaryIntrinsic(Intrinsic::smin, x.low, y.low),
          b.CreateBinaryIntrinsic(Intrinsic::smax, x.high, y.high),
          b.CreateAnd(x.isKnown, y.isKnown)};
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::optional<Interval> IntervalEmitter::of(const SCEV *expression) {
  if (auto found = done.find(expression); found != done.end())
    return found->second;
  if (depth == maxDepth || !expression->getType()->isIntegerTy() ||
      expression->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  ++depth;
  // A cycle through values meets this entry.
  done[expression] = std::nullopt;
  std::optional<Interval> result = compute(expression);
  --depth;
  done[expression] = result;
  return result;
}

std::optional<Interval>
IntervalEmitter::ofExtremes(const SCEVNAryExpr *expression,
                            Intrinsic::ID operation, bool isUnsigned) {
  std::optional<Interval> result;
  for (const SCEV *operand : expression->operands()) {
    std::optional<Interval> next = of(operand);
    if (!next)
      return std::nullopt;
    if (isUnsigned)
      next = notNegative(*next);
    if (!result) {
      result = next;
      continue;
    }
    result =
        Interval{b.CreateBinaryIntrinsic(operation, result->low, next->low),
                 b.CreateBinaryIntrinsic(operation, result->high, next->high),
                 b.CreateAnd(result->isKnown, next->isKnown)};
  }
  return result;
}

/// The interval of a quotient of numbers that are not negative, in signed or
/// unsigned arithmetic.
std::optional<Interval> IntervalEmitter::ofDivision(const SCEV *dividend,
                                                    const SCEV *by) {
  std::optional<Interval> left = of(dividend);
  std::optional<Interval> right = of(by);
  if (!left || !right)
    return std::nullopt;
  Interval number = notNegative(*left), divisor = *right;
  // A divisor of 0 must not trap here.
  Value *one = b.getInt64(1);
  Value *isPositive = b.CreateICmpSGE(divisor.low, one);
  Value *least = b.CreateBinaryIntrinsic(Intrinsic::smax, divisor.low, one);
  Value *most = b.CreateBinaryIntrinsic(Intrinsic::smax, divisor.high, one);
  Value *isKnown =
      b.CreateAnd(b.CreateAnd(number.isKnown, divisor.isKnown), isPositive);
  return Interval{b.CreateUDiv(number.low, most),
                  b.CreateUDiv(number.high, least), isKnown};
}

std::optional<Interval>
IntervalEmitter::ofRecurrence(const SCEVAddRecExpr *recurrence) {
  if (!recurrence->isAffine())
    return std::nullopt;
  const SCEV *rounds =
      evolution.getSymbolicMaxBackedgeTakenCount(recurrence->getLoop());
  if (isa<SCEVCouldNotCompute>(rounds))
    return std::nullopt;
  std::optional<Interval> start = of(recurrence->getStart());
  std::optional<Interval> step = of(recurrence->getStepRecurrence(evolution));
  std::optional<Interval> count = of(rounds);
  if (!start || !step || !count)
    return std::nullopt;
  unsigned width = recurrence->getType()->getIntegerBitWidth();
  // Ends of parts, as in `for (i = n * part / parts; i < n * (part + 1) /
  // parts;)`, may lie before starts of other parts, though no loop has fewer
  // rounds than 0. Nor does one of 2^63 or more ever end, which a negative
  // number of so many bits would mean, unless it has another end: `k != limit`
  // with a limit of -1 says nothing where a `break` ends the loop.
  const bool isExact = !isa<SCEVCouldNotCompute>(
      evolution.getBackedgeTakenCount(recurrence->getLoop()));
  const bool isLong = rounds->getType()->getIntegerBitWidth() == 64;
  Interval way = isLong && isExact ? *count : notNegative(*count);
  way.low = b.getInt64(0);
  way.high = b.CreateBinaryIntrinsic(Intrinsic::smax, way.high, b.getInt64(0));
  Interval result = sum(*start, product(*step, way, width), width);
  // Each instance goes from its start to its last value, which may be known
  // better than both ends of the way: that of `for (i = a; i < b; ++i)` is b
  // - 1.
  std::optional<Interval> last = of(evolution.getAddExpr(
      recurrence->getStart(),
      evolution.getMulExpr(
          recurrence->getStepRecurrence(evolution),
          evolution.getTruncateOrZeroExtend(rounds, recurrence->getType()))));
  if (!last)
    return result;
  const Interval ends = hull(*start, *last);
  result.low = b.CreateSelect(
      ends.isKnown,
      b.CreateBinaryIntrinsic(Intrinsic::smax, result.low, ends.low),
      result.low);
  result.high = b.CreateSelect(
      ends.isKnown,
      b.CreateBinaryIntrinsic(Intrinsic::smin, result.high, ends.high),
      result.high);
  return result;
}

std::optional<Interval> IntervalEmitter::compute(const SCEV *expression) {
  unsigned width = expression->getType()->getIntegerBitWidth();
  switch (expression->getSCEVType()) {
  case scConstant:
    return Interval::of(
        b.getInt64(cast<SCEVConstant>(expression)->getAPInt().getSExtValue()));
  case scTruncate: {
    std::optional<Interval> inner =
        of(cast<SCEVTruncateExpr>(expression)->getOperand());
    return inner ? std::optional(within(*inner, width)) : std::nullopt;
  }
  case scZeroExtend: {
    const SCEV *operand = cast<SCEVZeroExtendExpr>(expression)->getOperand();
    // Neighbours that are clamped to an array: x + (x < n - 1).
    if (operand->getType()->isIntegerTy(1))
      return Interval{b.getInt64(0), b.getInt64(1), b.getTrue()};
    std::optional<Interval> inner = of(operand);
    const unsigned bits = operand->getType()->getIntegerBitWidth();
    if (bits > 32)
      return inner ? std::optional(notNegative(*inner)) : std::nullopt;
    // Whatever it is, as in `table[i & 15]`.
    Interval result{b.getInt64(0),
                    b.getInt64(int64_t((uint64_t(1) << bits) - 1)),
                    b.getTrue()};
    if (inner) {
      const Interval known = notNegative(*inner);
      result.low = b.CreateSelect(known.isKnown, known.low, result.low);
      result.high = b.CreateSelect(known.isKnown, known.high, result.high);
    }
    return result;
  }
  case scSignExtend: {
    const SCEV *operand = cast<SCEVSignExtendExpr>(expression)->getOperand();
    if (operand->getType()->isIntegerTy(1))
      return Interval{b.getInt64(-1), b.getInt64(0), b.getTrue()};
    return of(operand);
  }
  case scAddExpr:
  case scMulExpr: {
    bool isSum = expression->getSCEVType() == scAddExpr;
    Interval result = Interval::of(b.getInt64(isSum ? 0 : 1));
    for (const SCEV *operand : expression->operands()) {
      std::optional<Interval> next = of(operand);
      if (!next)
        return std::nullopt;
      result =
          isSum ? sum(result, *next, width) : product(result, *next, width);
    }
    return result;
  }
  case scUDivExpr:
    return ofDivision(cast<SCEVUDivExpr>(expression)->getLHS(),
                      cast<SCEVUDivExpr>(expression)->getRHS());
  case scAddRecExpr:
    return ofRecurrence(cast<SCEVAddRecExpr>(expression));
  case scSMaxExpr:
    return ofExtremes(cast<SCEVNAryExpr>(expression), Intrinsic::smax, false);
  case scSMinExpr:
    return ofExtremes(cast<SCEVNAryExpr>(expression), Intrinsic::smin, false);
  case scUMaxExpr:
    return ofExtremes(cast<SCEVNAryExpr>(expression), Intrinsic::umax, true);
  case scUMinExpr:
  case scSequentialUMinExpr:
    return ofExtremes(cast<SCEVNAryExpr>(expression), Intrinsic::umin, true);
  case scUnknown:
    return ofValue(cast<SCEVUnknown>(expression)->getValue());
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<Interval> IntervalEmitter::ofBuiltin(const Value *value) {
  const std::pair<Builtin, const std::array<std::optional<Interval>, 3> *>
      builtins[] = {{Builtin::Group, &known.group},
                    {Builtin::Item, &known.item},
                    {Builtin::Items, &known.items},
                    {Builtin::Global, &known.global}};
  for (auto [builtin, intervals] : builtins)
    if (std::optional<unsigned> d = builtinDimension(value, builtin))
      return (*intervals)[*d];
  return std::nullopt;
}

/// Operations that are no expressions of scalar evolution.
std::optional<Interval>
IntervalEmitter::ofOperation(const BinaryOperator &operation) {
  const SCEV *left = evolution.getSCEV(operation.getOperand(0));
  const SCEV *right = evolution.getSCEV(operation.getOperand(1));
  switch (operation.getOpcode()) {
  case Instruction::SDiv:
    return ofDivision(left, right);
  case Instruction::SRem:
  case Instruction::URem: {
    // Below the divisor, and not above the number.
    std::optional<Interval> number = of(left), divisor = of(right);
    if (!number || !divisor)
      return std::nullopt;
    Value *isKnown =
        b.CreateAnd(notNegative(*number).isKnown,
                    b.CreateAnd(divisor->isKnown,
                                b.CreateICmpSGE(divisor->low, b.getInt64(1))));
    return Interval{
        b.getInt64(0),
        b.CreateBinaryIntrinsic(Intrinsic::smin, number->high,
                                b.CreateSub(divisor->high, b.getInt64(1))),
        isKnown};
  }
  case Instruction::And:
    // Whatever the other one is: `table[i & 15]`.
    for (const SCEV *mask : {left, right})
      if (auto *constant = dyn_cast<SCEVConstant>(mask);
          constant && constant->getAPInt().isNonNegative())
        return Interval{b.getInt64(0),
                        b.getInt64(constant->getAPInt().getSExtValue()),
                        b.getTrue()};
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<Interval> IntervalEmitter::ofValue(Value *value) {
  if (auto argument = known.arguments.find(value);
      argument != known.arguments.end())
    return argument->second;
  if (std::optional<Interval> builtin = ofBuiltin(value))
    return builtin;
  if (auto *operation = dyn_cast<BinaryOperator>(value))
    return ofOperation(*operation);
  SmallVector<Value *> choices;
  if (auto *select = dyn_cast<SelectInst>(value))
    choices = {select->getTrueValue(), select->getFalseValue()};
  else if (auto *phi = dyn_cast<PHINode>(value))
    choices.append(phi->op_begin(), phi->op_end());
  else if (auto *freeze = dyn_cast<FreezeInst>(value))
    choices = {freeze->getOperand(0)};
  std::optional<Interval> result;
  for (Value *choice : choices) {
    std::optional<Interval> next = of(evolution.getSCEV(choice));
    if (!next)
      return std::nullopt;
    result = result ? hull(*result, *next) : next;
  }
  return result;
}
