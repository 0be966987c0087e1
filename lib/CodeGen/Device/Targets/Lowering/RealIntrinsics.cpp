//===- RealIntrinsics.cpp - Intrinsics on real numbers --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands intrinsics that are neither arithmetic nor a libm function into
// operations that every back end selects.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace sluice::codegen;

namespace {

class RealExpansion {
public:
  explicit RealExpansion(IntrinsicInst &call)
      : call(call), b(&call), type(call.getType()) {}

  /// Returns the replacement for the call, or null if the call stays.
  Value *expand() {
    switch (call.getIntrinsicID()) {
    case Intrinsic::fmuladd:
      return b.CreateIntrinsic(Intrinsic::fma, {type},
                               {operand(0), operand(1), operand(2)});
    case Intrinsic::minimumnum:
      return b.CreateMinNum(operand(0), operand(1));
    case Intrinsic::maximumnum:
      return b.CreateMaxNum(operand(0), operand(1));
    case Intrinsic::minimum:
      return extreme(FCmpInst::FCMP_OLT, Instruction::Or);
    case Intrinsic::maximum:
      return extreme(FCmpInst::FCMP_OGT, Instruction::And);
    case Intrinsic::canonicalize:
      return b.CreateFMul(operand(0), ConstantFP::get(type, 1));
    case Intrinsic::lround:
    case Intrinsic::llround:
      return b.CreateFPToSI(
          b.CreateUnaryIntrinsic(Intrinsic::round, operand(0)), type);
    case Intrinsic::lrint:
    case Intrinsic::llrint:
      return b.CreateFPToSI(b.CreateUnaryIntrinsic(Intrinsic::rint, operand(0)),
                            type);
    case Intrinsic::fptosi_sat:
    case Intrinsic::fptoui_sat:
      return saturate(call.getIntrinsicID() == Intrinsic::fptosi_sat);
    case Intrinsic::is_fpclass:
      return classify();
    case Intrinsic::powi:
      return power();
    default:
      return reduce();
    }
  }

private:
  Value *operand(unsigned i) { return call.getArgOperand(i); }

  Value *toBits(Value *value) {
    unsigned width = value->getType()->getScalarSizeInBits();
    return b.CreateBitCast(value, b.getIntNTy(width));
  }

  /// NaN if an operand is NaN; negative zero is less than positive zero.
  Value *extreme(CmpInst::Predicate isBetter, Instruction::BinaryOps zeros) {
    Value *x = operand(0), *y = operand(1);
    Value *better = b.CreateSelect(b.CreateFCmp(isBetter, x, y), x, y);
    Value *both =
        b.CreateBitCast(b.CreateBinOp(zeros, toBits(x), toBits(y)), type);
    Value *value = b.CreateSelect(b.CreateFCmpOEQ(x, y), both, better);
    // The sum of anything and a NaN is a NaN.
    return b.CreateSelect(b.CreateFCmpUNO(x, y), b.CreateFAdd(x, y), value);
  }

  /// The nearest number of the integer type; zero for NaN.
  Value *saturate(bool isSigned) {
    unsigned width = type->getIntegerBitWidth();
    APInt least = isSigned ? APInt::getSignedMinValue(width) : APInt(width, 0);
    APInt most =
        isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
    Value *x = operand(0);
    Type *real = x->getType();
    // 2^n, the first number that does not fit. Powers of two are exact, or
    // infinite in half.
    APFloat above = APFloat::getZero(real->getFltSemantics());
    above.convertFromAPInt(most.zext(width + 1) + 1, false,
                           APFloat::rmNearestTiesToEven);
    APFloat below =
        isSigned ? neg(above) : above.getZero(real->getFltSemantics());
    Value *isOver = b.CreateFCmpOGE(x, ConstantFP::get(real, above));
    Value *isUnder = b.CreateFCmpOLE(x, ConstantFP::get(real, below));
    Value *isInside = b.CreateNot(
        b.CreateOr(b.CreateOr(isOver, isUnder), b.CreateFCmpUNO(x, x)));
    Value *safe = b.CreateSelect(isInside, x, Constant::getNullValue(real));
    Value *value =
        isSigned ? b.CreateFPToSI(safe, type) : b.CreateFPToUI(safe, type);
    value = b.CreateSelect(isOver, ConstantInt::get(type, most), value);
    return b.CreateSelect(isUnder, ConstantInt::get(type, least), value);
  }

  /// Classifies by bits: in order of magnitude come zero, denormal numbers,
  /// normal numbers, infinities and NaNs.
  Value *classify() {
    auto mask = FPClassTest(cast<ConstantInt>(operand(1))->getZExtValue());
    Value *bits = toBits(operand(0));
    Type *integer = bits->getType();
    unsigned width = integer->getIntegerBitWidth();
    const fltSemantics &semantics = operand(0)->getType()->getFltSemantics();
    unsigned fraction = APFloat::semanticsPrecision(semantics) - 1;
    APInt infinite = APFloat::getInf(semantics).bitcastToAPInt();
    APInt one(width, 1), quiet = infinite | one.shl(fraction - 1);
    APInt normal = one.shl(fraction);
    APInt magnitude = APInt::getSignedMaxValue(width);
    Value *size = b.CreateAnd(bits, ConstantInt::get(integer, magnitude));
    Value *isNegative = b.CreateICmpSLT(bits, Constant::getNullValue(integer));
    Value *result = b.getFalse();
    auto add = [&](const APInt &first, const APInt &end, unsigned positive,
                   unsigned negative) {
      Value *isIn =
          b.CreateICmpULT(b.CreateSub(size, ConstantInt::get(integer, first)),
                          ConstantInt::get(integer, end - first));
      if (!(mask & positive))
        isIn = b.CreateAnd(isIn, isNegative);
      if (!(mask & negative))
        isIn = b.CreateAnd(isIn, b.CreateNot(isNegative));
      if (mask & (positive | negative))
        result = b.CreateOr(result, isIn);
    };
    add(APInt(width, 0), one, fcPosZero, fcNegZero);
    add(one, normal, fcPosSubnormal, fcNegSubnormal);
    add(normal, infinite, fcPosNormal, fcNegNormal);
    add(infinite, infinite + 1, fcPosInf, fcNegInf);
    add(infinite + 1, quiet, fcSNan, fcSNan);
    add(quiet, magnitude + 1, fcQNan, fcQNan);
    return result;
  }

  /// By repeated squaring, in the order of the host's compiler runtime.
  Value *power() {
    Value *x = operand(0), *n = b.CreateSExtOrTrunc(operand(1), b.getInt32Ty());
    BasicBlock *head = call.getParent();
    BasicBlock *exit = head->splitBasicBlock(call.getIterator());
    BasicBlock *body = BasicBlock::Create(call.getContext(), "square",
                                          head->getParent(), exit);
    head->getTerminator()->setSuccessor(0, body);
    b.SetInsertPoint(body);
    PHINode *base = b.CreatePHI(type, 2), *result = b.CreatePHI(type, 2);
    PHINode *rest = b.CreatePHI(b.getInt32Ty(), 2);
    Value *isOdd = b.CreateTrunc(rest, b.getInt1Ty());
    Value *product = b.CreateSelect(isOdd, b.CreateFMul(result, base), result);
    Value *half = b.CreateSDiv(rest, b.getInt32(2));
    Value *square = b.CreateFMul(base, base);
    b.CreateCondBr(b.CreateICmpEQ(half, b.getInt32(0)), exit, body);
    Value *one = ConstantFP::get(type, 1);
    base->addIncoming(x, head);
    base->addIncoming(square, body);
    result->addIncoming(one, head);
    result->addIncoming(product, body);
    rest->addIncoming(n, head);
    rest->addIncoming(half, body);
    b.SetInsertPoint(&call);
    Value *isBelow = b.CreateICmpSLT(n, b.getInt32(0));
    return b.CreateSelect(isBelow, b.CreateFDiv(one, product), product);
  }

  //===--------------------------------------------------------------------===//
  // Reductions of vectors
  //===--------------------------------------------------------------------===//

  Value *combine(Value *left, Value *right) {
    switch (call.getIntrinsicID()) {
    case Intrinsic::vector_reduce_add:
      return b.CreateAdd(left, right);
    case Intrinsic::vector_reduce_mul:
      return b.CreateMul(left, right);
    case Intrinsic::vector_reduce_and:
      return b.CreateAnd(left, right);
    case Intrinsic::vector_reduce_or:
      return b.CreateOr(left, right);
    case Intrinsic::vector_reduce_xor:
      return b.CreateXor(left, right);
    case Intrinsic::vector_reduce_smin:
      return b.CreateBinaryIntrinsic(Intrinsic::smin, left, right);
    case Intrinsic::vector_reduce_smax:
      return b.CreateBinaryIntrinsic(Intrinsic::smax, left, right);
    case Intrinsic::vector_reduce_umin:
      return b.CreateBinaryIntrinsic(Intrinsic::umin, left, right);
    case Intrinsic::vector_reduce_umax:
      return b.CreateBinaryIntrinsic(Intrinsic::umax, left, right);
    case Intrinsic::vector_reduce_fadd:
      return b.CreateFAdd(left, right);
    case Intrinsic::vector_reduce_fmul:
      return b.CreateFMul(left, right);
    case Intrinsic::vector_reduce_fmin:
      return b.CreateMinNum(left, right);
    case Intrinsic::vector_reduce_fmax:
      return b.CreateMaxNum(left, right);
    default:
      return nullptr;
    }
  }

  /// Reduces from the first element on; sums and products of reals have a start
  /// value.
  Value *reduce() {
    StringRef name = call.getCalledFunction()->getName();
    if (!name.starts_with("llvm.vector.reduce."))
      return nullptr;
    bool hasStart = call.arg_size() == 2;
    Value *vector = operand(hasStart ? 1 : 0);
    unsigned size = cast<FixedVectorType>(vector->getType())->getNumElements();
    Value *value = hasStart ? operand(0) : nullptr;
    for (unsigned i = 0; i < size; ++i) {
      Value *element = b.CreateExtractElement(vector, uint64_t(i));
      value = value ? combine(value, element) : element;
    }
    return value;
  }

  IntrinsicInst &call;
  IRBuilder<> b;
  Type *type;
};

} // namespace

void lowering::expandReductions(Function &function) {
  SmallVector<IntrinsicInst *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
      if (call->getCalledFunction()->getName().starts_with(
              "llvm.vector.reduce."))
        calls.push_back(call);
  for (IntrinsicInst *call : calls) {
    call->replaceAllUsesWith(RealExpansion(*call).expand());
    call->eraseFromParent();
  }
}

void lowering::expandRealIntrinsics(Function &function) {
  SmallVector<IntrinsicInst *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
      if (!call->arg_empty() &&
          call->getArgOperand(0)->getType()->isFloatingPointTy())
        calls.push_back(call);
  for (IntrinsicInst *call : calls)
    if (Value *value = RealExpansion(*call).expand()) {
      call->replaceAllUsesWith(value);
      call->eraseFromParent();
    }
}
