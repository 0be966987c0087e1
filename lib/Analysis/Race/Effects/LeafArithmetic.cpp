//===- LeafArithmetic.cpp - Sums, quotients and bits of a leaf ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses are often computed with shifts, masks and divisions. This file
// turns such instructions into polynomials if possible, and otherwise
// determines the power of two by whose multiples they may differ.
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

std::optional<Fact> FactBuilder::binary(BinaryOperator &operation,
                                        unsigned bits) {
  switch (operation.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
    return linear(operation, bits);
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return logic(operation, bits);
  default:
    return divided(operation, bits);
  }
}

/// A constant of a type up to 64 bits as a signed number; 1 << 63 does not
/// count.
static std::optional<int64_t> shiftFactor(const Value *amount, unsigned bits) {
  auto *constant = dyn_cast<ConstantInt>(amount);
  if (!constant || constant->getValue().uge(std::min(bits, 63u)))
    return std::nullopt;
  return int64_t(1) << constant->getZExtValue();
}

std::optional<Fact> FactBuilder::linear(BinaryOperator &operation,
                                        unsigned bits) {
  auto &flags = cast<OverflowingBinaryOperator>(operation);
  Value *left = operation.getOperand(0), *right = operation.getOperand(1);
  std::optional<Polynomial> factor;
  if (operation.getOpcode() == Instruction::Shl) {
    std::optional<int64_t> power = shiftFactor(right, bits);
    if (!power)
      return some(operation, bits, rangeOfType(bits, bits >= 64));
    factor = Polynomial(*power);
  }
  auto apply = [&](const Polynomial &a,
                   const Polynomial &b) -> std::optional<Polynomial> {
    Polynomial result = operation.getOpcode() == Instruction::Add   ? a + b
                        : operation.getOpcode() == Instruction::Sub ? a - b
                                                                    : a * b;
    if (!result.isValid())
      return unknown();
    return result;
  };
  bool isSigned = flags.hasNoSignedWrap();
  bool isUnsigned = flags.hasNoUnsignedWrap();
  std::optional<Polynomial> a, b;
  if (isSigned || isUnsigned) {
    a = number(left, isSigned);
    b = factor ? factor : number(right, isSigned);
  } else {
    std::optional<Fact> first = of(left);
    std::optional<Fact> second = factor ? std::nullopt : of(right);
    if (first)
      a = first->value;
    if (second)
      b = second->value;
    else
      b = factor;
  }
  std::optional<Polynomial> result = a && b ? apply(*a, *b) : std::nullopt;
  if (!result)
    return std::nullopt;
  return make(*result, bits, isSigned, !isSigned && isUnsigned);
}

/// `value` by `divisor`, rounded towards zero as the machine does.
std::optional<Fact> FactBuilder::quotient(const Polynomial &value,
                                          bool isSigned, int64_t divisor,
                                          unsigned bits) {
  if (divisor == 0 || divisor == INT64_MIN)
    return unknown();
  int64_t positive = std::abs(divisor);
  Polynomial result =
      isSigned ? truncatedQuotient(value, positive) : divide(value, positive);
  return make(result * Polynomial(divisor < 0 ? -1 : 1), bits, isSigned,
              !isSigned);
}

/// The value of a bit field: a left shift removes the bits above it, and a
/// right shift then moves it down.
std::optional<Fact> FactBuilder::bitField(BinaryOperator &moved,
                                          const ConstantInt &down,
                                          bool isSigned, unsigned bits) {
  auto *up = dyn_cast<ConstantInt>(moved.getOperand(1));
  if (!up || up->getValue().uge(bits) || down.getValue().uge(bits))
    return std::nullopt;
  uint64_t more = up->getZExtValue(), less = down.getZExtValue();
  std::optional<Fact> fact = of(moved.getOperand(0));
  if (!fact || less < more || bits - more >= 63)
    return std::nullopt;
  Polynomial field = wrap(fact->value, bits - more, isSigned);
  return make(divide(field, int64_t(1) << (less - more)), bits,
              isSigned || less > 0, !isSigned);
}

std::optional<Fact> FactBuilder::divided(BinaryOperator &operation,
                                         unsigned bits) {
  unsigned opcode = operation.getOpcode();
  bool isSigned = opcode == Instruction::SDiv || opcode == Instruction::SRem ||
                  opcode == Instruction::AShr;
  bool isRest = opcode == Instruction::SRem || opcode == Instruction::URem;
  IntegerRange range = rangeOfType(bits, isSigned);
  Value *left = operation.getOperand(0), *right = operation.getOperand(1);
  auto *constant = dyn_cast<ConstantInt>(right);
  if (!constant) {
    // A number that is not negative does not grow when it is divided.
    if (std::optional<Polynomial> value = number(left, isSigned);
        value && opcode != Instruction::SDiv)
      if (IntegerRange known = rangeOf(*value); known.least >= 0)
        range = {0, std::min(range.most, known.most)};
    return some(operation, bits, range);
  }
  if (auto *moved = dyn_cast<BinaryOperator>(left);
      moved && moved->getOpcode() == Instruction::Shl &&
      opcode != Instruction::UDiv && opcode != Instruction::SDiv && !isRest)
    if (std::optional<Fact> field = bitField(*moved, *constant, isSigned, bits))
      return field;
  if (opcode == Instruction::URem && constant->getValue().isPowerOf2())
    return masked(left, constant->getValue() - 1, bits);
  std::optional<Polynomial> value = number(left, isSigned);
  if (!value)
    return std::nullopt;
  if (!isSigned && bits >= 64 && mayBeHuge(*value))
    return some(operation, bits, {0, INT64_MAX});
  if (opcode == Instruction::LShr || opcode == Instruction::AShr) {
    std::optional<int64_t> power = shiftFactor(right, bits);
    return power ? make(divide(*value, *power), bits, isSigned || *power > 1,
                        !isSigned)
                 : unknown();
  }
  if (!isSigned && bits >= 64 && constant->isNegative())
    return unknown();
  int64_t divisor = isSigned ? constant->getSExtValue()
                             : static_cast<int64_t>(constant->getZExtValue());
  std::optional<Fact> ratio = quotient(*value, isSigned, divisor, bits);
  if (!ratio || !isRest)
    return ratio;
  Polynomial rest = *value - ratio->value * Polynomial(divisor);
  // The sum of both terms may appear larger than a remainder can be.
  return make(rest, bits,
              isSigned || bits >= 64 || divisor <= int64_t(1) << (bits - 1),
              !isSigned);
}

/// The bits of `value` that are set in `mask`.
std::optional<Fact> FactBuilder::masked(Value *value, const APInt &mask,
                                        unsigned bits) {
  std::optional<Fact> fact = of(value);
  if (!fact)
    return std::nullopt;
  Polynomial result;
  unsigned runs = 0;
  bool keepsTop = false;
  for (unsigned begin = 0; begin < bits;) {
    if (!mask[begin]) {
      ++begin;
      continue;
    }
    unsigned end = begin;
    while (end < bits && mask[end])
      ++end;
    if (begin == 0 && end == bits)
      return fact;
    if (++runs > 4 || begin > 61)
      return unknown();
    if (end == bits) {
      result += fact->value - wrap(fact->value, begin, /*isSigned=*/false);
      keepsTop = true;
    } else {
      result += wrap(divide(fact->value, int64_t(1) << begin), end - begin,
                     /*isSigned=*/false) *
                Polynomial(int64_t(1) << begin);
    }
    begin = end;
  }
  return make(result, bits,
              keepsTop ? fact->isSigned : bits > mask.getActiveBits(),
              keepsTop ? fact->isUnsigned : true);
}

std::optional<Fact> FactBuilder::logic(BinaryOperator &operation,
                                       unsigned bits) {
  using namespace PatternMatch;
  Value *left = operation.getOperand(0), *right = operation.getOperand(1);
  if (isa<ConstantInt>(left))
    std::swap(left, right);
  unsigned opcode = operation.getOpcode();
  if (auto *constant = dyn_cast<ConstantInt>(right)) {
    const APInt &mask = constant->getValue();
    if (opcode == Instruction::And)
      return masked(left, mask, bits);
    std::optional<Fact> fact = of(left);
    if (!fact)
      return std::nullopt;
    if (opcode == Instruction::Xor && bits == 1 && mask.isOne()) {
      std::optional<Polynomial> holds = number(left, /*isSigned=*/false);
      return holds ? make(Polynomial(1) - *holds, bits, false, true)
                   : std::nullopt;
    }
    if (opcode == Instruction::Xor && mask.isAllOnes())
      return make(Polynomial(-1) - fact->value, bits, fact->isSigned);
    std::optional<Fact> common = masked(left, mask, bits);
    if (!common)
      return std::nullopt;
    Polynomial twice = opcode == Instruction::Xor ? common->value : 0;
    bool isPositive = !mask.isNegative();
    return make(
        fact->value + Polynomial(mask.getSExtValue()) - common->value - twice,
        bits, isPositive && fact->isSigned, isPositive && fact->isUnsigned);
  }
  if (bits == 1) {
    std::optional<Polynomial> a = number(left, false), b = number(right, false);
    if (!a || !b)
      return std::nullopt;
    Polynomial both = *a * *b;
    return make(opcode == Instruction::And  ? both
                : opcode == Instruction::Or ? *a + *b - both
                                            : *a + *b - both - both,
                bits, false, /*isUnsigned=*/true);
  }
  bool isSum = opcode != Instruction::And &&
               haveNoCommonBitsSet(left, right, SimplifyQuery(layout));
  if (auto *disjoint = dyn_cast<PossiblyDisjointInst>(&operation))
    isSum |= disjoint->isDisjoint();
  std::optional<Fact> a = of(left), b = of(right);
  if (isSum && a && b)
    return make(a->value + b->value, bits);
  return some(operation, bits, rangeOfType(bits, bits >= 64));
}

/// An opaque function of the operands of `operation`.
std::optional<Fact> FactBuilder::some(User &operation, unsigned bits,
                                      IntegerRange range) {
  std::vector<Polynomial> operands;
  for (Value *operand : operation.operands()) {
    if (isa<Function>(operand))
      continue;
    std::optional<Polynomial> value = number(operand, /*isSigned=*/true);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  unsigned code = operation.getValueID();
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&operation))
    code = 1000 + intrinsic->getIntrinsicID();
  if (operands.empty())
    return unknown();
  return make(opaque(code, bits, operands, range), bits, range.least < 0,
              range.least >= 0);
}

std::optional<Fact> FactBuilder::call(IntrinsicInst &call, unsigned bits) {
  auto operand = [&](unsigned index, bool isSigned) {
    return number(call.getArgOperand(index), isSigned);
  };
  switch (call.getIntrinsicID()) {
  case Intrinsic::smax:
  case Intrinsic::umax:
  case Intrinsic::smin:
  case Intrinsic::umin: {
    auto &extreme = cast<MinMaxIntrinsic>(call);
    std::optional<Polynomial> a = operand(0, extreme.isSigned());
    std::optional<Polynomial> b = operand(1, extreme.isSigned());
    if (!a || !b)
      return std::nullopt;
    if (!extreme.isSigned() && bits >= 64 && (mayBeHuge(*a) || mayBeHuge(*b)))
      return unknown();
    bool isLess = call.getIntrinsicID() == Intrinsic::smin ||
                  call.getIntrinsicID() == Intrinsic::umin;
    Polynomial sign(isLess ? -1 : 1);
    return make(maximum(*a * sign, *b * sign) * sign, bits, extreme.isSigned(),
                !extreme.isSigned());
  }
  case Intrinsic::abs: {
    std::optional<Polynomial> value = operand(0, true);
    if (!value)
      return std::nullopt;
    return make(maximum(*value, *value * Polynomial(-1)), bits, false, true);
  }
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
    return some(call, bits, {0, bits});
  case Intrinsic::bswap:
  case Intrinsic::bitreverse:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
    return some(call, bits, rangeOfType(bits, false));
  case Intrinsic::expect:
    return of(call.getArgOperand(0));
  default:
    return unknown(call);
  }
}
