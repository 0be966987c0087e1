//===- OpenMPOperators.cpp - Operators that join numbers ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same operators appear in clang's code for reductions, in loops over
// arrays and in sums that threads join, so they are recognised and written
// here.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

std::optional<unsigned> openmp::joinOf(const BinaryOperator &operation,
                                       unsigned index) {
  switch (operation.getOpcode()) {
  case Instruction::Add:
  case Instruction::FAdd:
    return 0;
  case Instruction::Sub:
  case Instruction::FSub:
    return index == 0 ? std::optional(0u) : std::nullopt;
  case Instruction::Mul:
  case Instruction::FMul:
    return 1;
  case Instruction::And:
    return 4;
  case Instruction::Or:
    return 5;
  case Instruction::Xor:
    return 6;
  default:
    return std::nullopt;
  }
}

std::optional<unsigned> openmp::betterBy(CmpInst::Predicate predicate,
                                         bool &isUnsigned) {
  isUnsigned = CmpInst::isUnsigned(predicate);
  switch (predicate) {
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_SLE:
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_ULE:
  case CmpInst::FCMP_OLT:
  case CmpInst::FCMP_OLE:
    return 2;
  case CmpInst::ICMP_SGT:
  case CmpInst::ICMP_SGE:
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_UGE:
  case CmpInst::FCMP_OGT:
  case CmpInst::FCMP_OGE:
    return 3;
  default:
    return std::nullopt;
  }
}

std::optional<unsigned> openmp::choiceOf(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || call->arg_size() != 2)
    return std::nullopt;
  switch (callee->getIntrinsicID()) {
  case Intrinsic::minnum:
    return 2;
  case Intrinsic::maxnum:
    return 3;
  default:
    break;
  }
  StringRef name = callee->getName();
  if (name == "fmin" || name == "fminf")
    return 2;
  if (name == "fmax" || name == "fmaxf")
    return 3;
  return std::nullopt;
}

bool openmp::isPlainNumber(const Type &type) {
  return type.isFloatTy() || type.isDoubleTy() || type.isIntegerTy(32) ||
         type.isIntegerTy(64);
}

bool openmp::isNeutralValue(const Value &value, const Reduction &how) {
  unsigned op = how.op;
  if (const auto *number = dyn_cast<ConstantFP>(&value)) {
    if (op == 2 || op == 3)
      return (number->isInfinity() || number->getValueAPF().isLargest()) &&
             number->isNegative() == (op == 3);
    return op == 1 ? number->isExactlyValue(1) : op == 0 && number->isZero();
  }
  const auto *integer = dyn_cast<ConstantInt>(&value);
  if (!integer)
    return false;
  bool isUnsigned = how.isUnsigned;
  switch (op) {
  case 1:
    return integer->isOne();
  case 2:
    return integer->isMaxValue(/*IsSigned=*/!isUnsigned);
  case 3:
    return integer->isMinValue(/*IsSigned=*/!isUnsigned);
  case 4:
    return how.isLogical ? !integer->isZero() : integer->isMinusOne();
  default:
    return integer->isZero();
  }
}

Constant *openmp::neutralFor(const Reduction &how) {
  const unsigned op = how.op;
  Type &type = *how.type;
  if (type.isFloatingPointTy()) {
    if (op == 2 || op == 3)
      return ConstantFP::getInfinity(&type, /*Negative=*/op == 3);
    return op == 1 ? ConstantFP::get(&type, 1)
                   : ConstantFP::getNegativeZero(&type);
  }
  unsigned bits = type.getIntegerBitWidth();
  switch (op) {
  case 1:
    return ConstantInt::get(&type, 1);
  case 2:
    return ConstantInt::get(&type, how.isUnsigned
                                       ? APInt::getMaxValue(bits)
                                       : APInt::getSignedMaxValue(bits));
  case 3:
    return ConstantInt::get(&type, how.isUnsigned
                                       ? APInt::getMinValue(bits)
                                       : APInt::getSignedMinValue(bits));
  case 4:
    return Constant::getAllOnesValue(&type);
  default:
    return Constant::getNullValue(&type);
  }
}

Value *openmp::joinValues(IRBuilder<> &builder, const Reduction &how,
                          Value *held, Value *value) {
  bool isFloat = how.type->isFloatingPointTy();
  switch (how.op) {
  case 0:
    return isFloat ? builder.CreateFAdd(held, value)
                   : builder.CreateAdd(held, value);
  case 1:
    return isFloat ? builder.CreateFMul(held, value)
                   : builder.CreateMul(held, value);
  case 2:
  case 3: {
    CmpInst::Predicate better =
        how.op == 2 ? CmpInst::FCMP_OLT : CmpInst::FCMP_OGT;
    if (!isFloat && how.isUnsigned)
      better = how.op == 2 ? CmpInst::ICMP_ULT : CmpInst::ICMP_UGT;
    else if (!isFloat)
      better = how.op == 2 ? CmpInst::ICMP_SLT : CmpInst::ICMP_SGT;
    return builder.CreateSelect(builder.CreateCmp(better, value, held), value,
                                held);
  }
  case 4:
    return builder.CreateAnd(held, value);
  case 5:
    return builder.CreateOr(held, value);
  default:
    return builder.CreateXor(held, value);
  }
}
