//===- ExtentDivision.h - Division in extents -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A division without a quotient (by zero, or with overflow) gives the smallest
// number, which is not a valid extent: so the launch fails with an error, and
// no signal ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_EXTENTDIVISION_H
#define SLUICE_LIB_CODEGEN_EXTENTDIVISION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace sluice::codegen {

/// Emits divisions of `in[0]` by `in[1]`.
class ExtentDivision {
public:
  using Value = llvm::Value;

  ExtentDivision(llvm::IRBuilderBase &builder, llvm::ArrayRef<Value *> in)
      : b(builder), in(in) {}

  /// Rounded towards zero.
  Value *quotient(bool isSigned) {
    return guard(isSigned, [&](Value *by) { return divide(by, isSigned); });
  }

  Value *remainder(bool isSigned) {
    return guard(isSigned, [&](Value *by) { return rest(by, isSigned); });
  }

  /// Rounded up (`step` 1) or down (-1).
  Value *rounded(bool isSigned, int step) {
    return guard(isSigned, [&](Value *by) {
      llvm::Type *type = by->getType();
      Value *zero = llvm::ConstantInt::get(type, 0);
      Value *truncated = divide(by, isSigned);
      // Truncation is off by one if there is a remainder and the exact quotient
      // lies on the side that rounding moves away from.
      Value *moves = b.CreateICmpNE(rest(by, isSigned), zero);
      if (isSigned) {
        Value *isNegative = b.CreateICmpSLT(b.CreateXor(in[0], by), zero);
        moves =
            b.CreateAnd(moves, step > 0 ? b.CreateNot(isNegative) : isNegative);
      }
      Value *one = llvm::ConstantInt::getSigned(type, step);
      return b.CreateSelect(moves, b.CreateAdd(truncated, one), truncated);
    });
  }

private:
  Value *divide(Value *by, bool isSigned) {
    return isSigned ? b.CreateSDiv(in[0], by) : b.CreateUDiv(in[0], by);
  }

  Value *rest(Value *by, bool isSigned) {
    return isSigned ? b.CreateSRem(in[0], by) : b.CreateURem(in[0], by);
  }

  Value *guard(bool isSigned, llvm::function_ref<Value *(Value *)> divideBy) {
    llvm::Type *type = in[1]->getType();
    auto *smallest = llvm::ConstantInt::get(
        type, llvm::APInt::getSignedMinValue(type->getIntegerBitWidth()));
    Value *bad = b.CreateICmpEQ(in[1], llvm::ConstantInt::get(type, 0));
    if (isSigned) {
      Value *isMinusOne =
          b.CreateICmpEQ(in[1], llvm::ConstantInt::getAllOnesValue(type));
      Value *overflows =
          b.CreateAnd(b.CreateICmpEQ(in[0], smallest), isMinusOne);
      bad = b.CreateOr(bad, overflows);
    }
    Value *by = b.CreateSelect(bad, llvm::ConstantInt::get(type, 1), in[1]);
    return b.CreateSelect(bad, smallest, divideBy(by));
  }

  llvm::IRBuilderBase &b;
  llvm::ArrayRef<Value *> in;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_EXTENTDIVISION_H
