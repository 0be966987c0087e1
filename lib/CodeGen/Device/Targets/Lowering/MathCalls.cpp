//===- MathCalls.cpp - Math of vectors and of half ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries only have functions of float and double.
//
//===----------------------------------------------------------------------===//

#include "DeviceFunctions.h"
#include "Lowering.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice::codegen;
using namespace sluice::codegen::lowering;

/// A call of the same intrinsic with other operands.
static Value *callFor(IRBuilder<> &b, CallInst &call,
                      ArrayRef<Value *> operands) {
  Intrinsic::ID intrinsic = call.getCalledFunction()->getIntrinsicID();
  Type *real = operands[0]->getType();
  SmallVector<Type *> types{real};
  if (intrinsic == Intrinsic::ldexp)
    types.push_back(operands[1]->getType());
  return b.CreateCall(
      Intrinsic::getOrInsertDeclaration(call.getModule(), intrinsic, types),
      operands);
}

/// Computes in float, which has more than twice the digits, so that the result
/// is the same.
static Value *computeInFloat(IRBuilder<> &b, CallInst &call,
                             ArrayRef<Value *> operands) {
  SmallVector<Value *> wide;
  for (Value *operand : operands)
    wide.push_back(operand->getType()->isHalfTy()
                       ? b.CreateFPExt(operand, b.getFloatTy())
                       : operand);
  return b.CreateFPTrunc(callFor(b, call, wide), b.getHalfTy());
}

static Value *compute(IRBuilder<> &b, CallInst &call,
                      ArrayRef<Value *> operands) {
  return operands[0]->getType()->isHalfTy() ? computeInFloat(b, call, operands)
                                            : callFor(b, call, operands);
}

static Value *split(CallInst &call) {
  IRBuilder<> b(&call);
  SmallVector<Value *> operands(call.args());
  auto *vector = dyn_cast<FixedVectorType>(call.getType());
  if (!vector)
    return compute(b, call, operands);
  Value *result = PoisonValue::get(vector);
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    SmallVector<Value *> lane;
    for (Value *operand : operands)
      lane.push_back(operand->getType()->isVectorTy()
                         ? b.CreateExtractElement(operand, uint64_t(i))
                         : operand);
    result = b.CreateInsertElement(result, compute(b, call, lane), uint64_t(i));
  }
  return result;
}

void lowering::splitMathCalls(Function &function) {
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (call && call->getCalledFunction() &&
        call->getCalledFunction()->isIntrinsic() && calledMathFunction(*call) &&
        (call->getType()->isVectorTy() || call->getType()->isHalfTy()))
      calls.push_back(call);
  }
  for (CallInst *call : calls) {
    call->replaceAllUsesWith(split(*call));
    call->eraseFromParent();
  }
}
