//===- IntegerIntrinsics.cpp - Integer intrinsics as plain operations -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SPIR-V back end and the translator support few of LLVM's intrinsics, and
// not every width of them. Drivers recognise the expanded pattern again.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice::codegen;

namespace {

/// Builds the computation of one intrinsic.
class IntegerExpansion {
public:
  explicit IntegerExpansion(IntrinsicInst &call)
      : call(call), b(&call), type(call.getType()) {}

  /// Returns the replacement for the call, or null if the call stays.
  Value *expand() {
    if (auto *minMax = dyn_cast<MinMaxIntrinsic>(&call))
      return pick(minMax->getPredicate(), x(), y(), x(), y());
    switch (call.getIntrinsicID()) {
    case Intrinsic::abs:
      return pick(ICmpInst::ICMP_SLT, x(), number(0), b.CreateNeg(x()), x());
    case Intrinsic::scmp:
      return compare(ICmpInst::ICMP_SGT, ICmpInst::ICMP_SLT);
    case Intrinsic::ucmp:
      return compare(ICmpInst::ICMP_UGT, ICmpInst::ICMP_ULT);
    case Intrinsic::ctpop:
      return countOnes(x());
    case Intrinsic::ctlz:
      return countOnes(b.CreateNot(smear(x())));
    case Intrinsic::cttz:
      return countOnes(
          b.CreateAnd(b.CreateNot(x()), b.CreateSub(x(), number(1))));
    case Intrinsic::bswap:
      return swapParts(x(), 8);
    case Intrinsic::bitreverse:
      return swapParts(x(), 1);
    case Intrinsic::fshl:
    case Intrinsic::fshr:
      return funnel(call.getIntrinsicID() == Intrinsic::fshl);
    default:
      return expandArithmetic();
    }
  }

private:
  Value *x() { return call.getArgOperand(0); }
  Value *y() { return call.getArgOperand(1); }
  Type *operandType() { return call.getArgOperand(0)->getType(); }
  unsigned width() { return operandType()->getIntegerBitWidth(); }
  Constant *number(uint64_t value) {
    return ConstantInt::get(operandType(), value);
  }
  Constant *number(const APInt &value) {
    return ConstantInt::get(operandType(), value);
  }

  Value *pick(CmpInst::Predicate predicate, Value *left, Value *right,
              Value *then, Value *otherwise) {
    return b.CreateSelect(b.CreateICmp(predicate, left, right), then,
                          otherwise);
  }

  Value *compare(CmpInst::Predicate above, CmpInst::Predicate below) {
    Value *more = b.CreateZExt(b.CreateICmp(above, x(), y()), type);
    Value *less = b.CreateZExt(b.CreateICmp(below, x(), y()), type);
    return b.CreateSub(more, less);
  }

  /// Adds neighbouring groups of bits, of 1, 2, 4 ... bits.
  Value *countOnes(Value *value) {
    for (unsigned bits = 1; bits < width(); bits *= 2) {
      Constant *mask = groups(bits);
      value = b.CreateAdd(b.CreateAnd(value, mask),
                          b.CreateAnd(b.CreateLShr(value, bits), mask));
    }
    return value;
  }

  /// Ones in every other group of `bits` bits, from the lowest.
  Constant *groups(unsigned bits) {
    APInt mask(width(), 0);
    for (unsigned at = 0; at < width(); at += 2 * bits)
      mask.setBits(at, std::min(at + bits, width()));
    return number(mask);
  }

  /// Sets every bit below the highest set bit.
  Value *smear(Value *value) {
    for (unsigned bits = 1; bits < width(); bits *= 2)
      value = b.CreateOr(value, b.CreateLShr(value, bits));
    return value;
  }

  /// Reverses the order of parts of `bits` bits.
  Value *swapParts(Value *value, unsigned bits) {
    Value *result = number(0);
    for (unsigned at = 0; at < width(); at += bits) {
      APInt mask(width(), 0);
      mask.setBits(at, at + bits);
      unsigned to = width() - bits - at;
      Value *part = b.CreateAnd(value, number(mask));
      part =
          to >= at ? b.CreateShl(part, to - at) : b.CreateLShr(part, at - to);
      result = b.CreateOr(result, part);
    }
    return result;
  }

  /// A shift by the whole width would be invalid, so it is done in two steps.
  Value *funnel(bool isLeft) {
    if (width() == 1)
      return isLeft ? x() : y();
    Value *amount = b.CreateURem(call.getArgOperand(2), number(width()));
    Value *rest = b.CreateSub(number(width() - 1), amount);
    if (isLeft)
      return b.CreateOr(b.CreateShl(x(), amount),
                        b.CreateLShr(b.CreateLShr(y(), 1), rest));
    return b.CreateOr(b.CreateShl(b.CreateShl(x(), 1), rest),
                      b.CreateLShr(y(), amount));
  }

  //===--------------------------------------------------------------------===//
  // Arithmetic that detects overflow
  //===--------------------------------------------------------------------===//

  Value *expandArithmetic() {
    switch (call.getIntrinsicID()) {
    case Intrinsic::uadd_sat:
      return saturate(b.CreateAdd(x(), y()), addWraps(),
                      number(APInt::getMaxValue(width())));
    case Intrinsic::usub_sat:
      return pick(ICmpInst::ICMP_UGT, x(), y(), b.CreateSub(x(), y()),
                  number(0));
    case Intrinsic::sadd_sat:
      return saturate(b.CreateAdd(x(), y()), addOverflows(), limitBySign());
    case Intrinsic::ssub_sat:
      return saturate(b.CreateSub(x(), y()), subOverflows(), limitBySign());
    case Intrinsic::ushl_sat:
      return shift(/*isSigned=*/false);
    case Intrinsic::sshl_sat:
      return shift(/*isSigned=*/true);
    case Intrinsic::uadd_with_overflow:
      return pair(b.CreateAdd(x(), y()), addWraps());
    case Intrinsic::usub_with_overflow:
      return pair(b.CreateSub(x(), y()), b.CreateICmpULT(x(), y()));
    case Intrinsic::sadd_with_overflow:
      return pair(b.CreateAdd(x(), y()), addOverflows());
    case Intrinsic::ssub_with_overflow:
      return pair(b.CreateSub(x(), y()), subOverflows());
    case Intrinsic::umul_with_overflow:
      return pair(b.CreateMul(x(), y()), mulWraps());
    case Intrinsic::smul_with_overflow:
      return pair(b.CreateMul(x(), y()), mulOverflows());
    default:
      return nullptr;
    }
  }

  Value *saturate(Value *value, Value *isOver, Value *limit) {
    return b.CreateSelect(isOver, limit, value);
  }

  Value *pair(Value *value, Value *isOver) {
    Value *both = Constant::getNullValue(type);
    both = b.CreateInsertValue(both, value, 0);
    return b.CreateInsertValue(both, isOver, 1);
  }

  Value *addWraps() { return b.CreateICmpULT(b.CreateAdd(x(), y()), x()); }

  /// True if both operands have one sign and the sum has the other.
  Value *addOverflows() {
    Value *sum = b.CreateAdd(x(), y());
    return isNegative(
        b.CreateAnd(b.CreateXor(x(), sum), b.CreateXor(y(), sum)));
  }
  Value *subOverflows() {
    Value *difference = b.CreateSub(x(), y());
    return isNegative(
        b.CreateAnd(b.CreateXor(x(), y()), b.CreateXor(x(), difference)));
  }
  Value *isNegative(Value *value) { return b.CreateICmpSLT(value, number(0)); }

  /// The least number if x is negative, otherwise the greatest.
  Value *limitBySign() {
    return b.CreateXor(b.CreateAShr(x(), width() - 1),
                       number(APInt::getSignedMaxValue(width())));
  }

  /// True if x * y / x is not y. Division by zero is avoided, and its result is
  /// not used.
  Value *mulWraps() {
    Value *isZero = b.CreateICmpEQ(x(), number(0));
    Value *divisor = b.CreateSelect(isZero, number(1), x());
    Value *back = b.CreateUDiv(b.CreateMul(x(), y()), divisor);
    return b.CreateAnd(b.CreateNot(isZero), b.CreateICmpNE(back, y()));
  }

  /// Compares magnitudes, which fit in unsigned numbers.
  Value *mulOverflows() {
    Value *left = magnitude(x()), *right = magnitude(y());
    Value *isZero = b.CreateICmpEQ(left, number(0));
    Value *divisor = b.CreateSelect(isZero, number(1), left);
    Value *limit =
        b.CreateAdd(number(APInt::getSignedMaxValue(width())),
                    b.CreateLShr(b.CreateXor(x(), y()), width() - 1));
    Value *isOver = b.CreateICmpUGT(right, b.CreateUDiv(limit, divisor));
    return b.CreateAnd(b.CreateNot(isZero), isOver);
  }
  Value *magnitude(Value *value) {
    return b.CreateSelect(isNegative(value), b.CreateNeg(value), value);
  }

  Value *shift(bool isSigned) {
    Value *shifted = b.CreateShl(x(), y());
    Value *back =
        isSigned ? b.CreateAShr(shifted, y()) : b.CreateLShr(shifted, y());
    Value *limit =
        isSigned ? limitBySign() : number(APInt::getMaxValue(width()));
    return b.CreateSelect(b.CreateICmpNE(back, x()), limit, shifted);
  }

  IntrinsicInst &call;
  IRBuilder<> b;
  Type *type;
};

} // namespace

void lowering::expandIntegerIntrinsics(Function &function) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || call->arg_empty() ||
        !call->getArgOperand(0)->getType()->isIntegerTy())
      continue;
    if (Value *value = IntegerExpansion(*call).expand()) {
      call->replaceAllUsesWith(value);
      call->eraseFromParent();
    }
  }
}
