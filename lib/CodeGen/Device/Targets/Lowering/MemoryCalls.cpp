//===- MemoryCalls.cpp - Copies and fills as loops ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices have no memcpy and no memset; kernels get loops instead.
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

/// Builds loops over `size` bytes in steps of a power of two.
class MemoryLoops {
public:
  explicit MemoryLoops(MemIntrinsic &call)
      : call(call), to(call.getRawDest()), size(call.getLength()) {
    LLVMContext &context = call.getContext();
    sizeType = Type::getInt64Ty(context);
    byteType = Type::getInt8Ty(context);
  }

  void expand() {
    IRBuilder<> builder(&call);
    size = builder.CreateZExtOrTrunc(size, sizeType);
    if (auto *constant = dyn_cast<ConstantInt>(size))
      if (constant->isZero())
        return;
    width = widest();
    step = IntegerType::get(call.getContext(), unsigned(width * 8));
    if (auto *move = dyn_cast<MemMoveInst>(&call))
      expandMove(builder, *move);
    else if (auto *copy = dyn_cast<MemTransferInst>(&call))
      forward(&call,
              [&](IRBuilder<> &b, Value *at) { transfer(b, *copy, at); });
    else
      fill(builder, cast<MemSetInst>(call));
  }

private:
  /// The largest width of an access that alignment and size allow.
  uint64_t widest() const {
    uint64_t bytes = 8;
    bytes = std::min(bytes, call.getDestAlign().valueOrOne().value());
    if (auto *transfer = dyn_cast<MemTransferInst>(&call))
      bytes = std::min(bytes, transfer->getSourceAlign().valueOrOne().value());
    auto *constant = dyn_cast<ConstantInt>(size);
    if (!constant)
      return 1;
    return std::min(bytes,
                    constant->getZExtValue() & -constant->getZExtValue());
  }

  void transfer(IRBuilder<> &b, MemTransferInst &copy, Value *at) {
    Value *from = b.CreateGEP(byteType, copy.getRawSource(), at);
    LoadInst *value =
        b.CreateAlignedLoad(step, from, Align(width), copy.isVolatile());
    b.CreateAlignedStore(value, b.CreateGEP(byteType, to, at), Align(width),
                         copy.isVolatile());
  }

  void fill(IRBuilder<> &builder, MemSetInst &set) {
    Value *value = builder.CreateZExt(set.getValue(), step);
    value = builder.CreateMul(
        value, ConstantInt::get(
                   step, APInt::getSplat(unsigned(width * 8), APInt(8, 1))));
    forward(&call, [&](IRBuilder<> &b, Value *at) {
      b.CreateAlignedStore(value, b.CreateGEP(byteType, to, at), Align(width),
                           set.isVolatile());
    });
  }

  /// Copies backwards if the target begins inside the source.
  void expandMove(IRBuilder<> &builder, MemMoveInst &move) {
    auto body = [&](IRBuilder<> &b, Value *at) { transfer(b, move, at); };
    unsigned from = move.getSourceAddressSpace();
    if (from != move.getDestAddressSpace())
      return forward(&call, body);
    Value *isBehind = builder.CreateICmpUGT(to, move.getRawSource());
    Instruction *then = nullptr, *otherwise = nullptr;
    SplitBlockAndInsertIfThenElse(isBehind, &call, &then, &otherwise);
    backward(then, body);
    forward(otherwise, body);
  }

  using Body = function_ref<void(IRBuilder<> &, Value *)>;

  /// for (at = 0; at < size; at += width) body(at)
  void forward(Instruction *before, Body body) {
    loop(before, ConstantInt::get(sizeType, 0), body, /*isBackward=*/false);
  }
  /// for (at = size; at > 0;) body(at -= width)
  void backward(Instruction *before, Body body) {
    loop(before, size, body, /*isBackward=*/true);
  }

  void loop(Instruction *before, Value *start, Body body, bool isBackward) {
    BasicBlock *head = before->getParent();
    BasicBlock *exit = head->splitBasicBlock(before->getIterator());
    BasicBlock *block =
        BasicBlock::Create(call.getContext(), "bytes", head->getParent(), exit);
    Value *zero = ConstantInt::get(sizeType, 0);
    Value *stride = ConstantInt::get(sizeType, width);
    head->getTerminator()->eraseFromParent();
    IRBuilder<> builder(head);
    builder.CreateCondBr(builder.CreateICmpEQ(size, zero), exit, block);
    builder.SetInsertPoint(block);
    PHINode *at = builder.CreatePHI(sizeType, 2);
    Value *next = isBackward ? builder.CreateSub(at, stride)
                             : builder.CreateAdd(at, stride);
    body(builder, isBackward ? next : at);
    Value *end = isBackward ? zero : size;
    builder.CreateCondBr(builder.CreateICmpEQ(next, end), exit, block);
    at->addIncoming(start, head);
    at->addIncoming(next, block);
  }

  MemIntrinsic &call;
  Value *to, *size;
  Type *sizeType, *byteType;
  IntegerType *step = nullptr;
  uint64_t width = 1;
};

} // namespace

void lowering::expandMemoryCalls(Function &function) {
  SmallVector<MemIntrinsic *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<MemIntrinsic>(&instruction))
      calls.push_back(call);
  for (MemIntrinsic *call : calls) {
    MemoryLoops(*call).expand();
    call->eraseFromParent();
  }
}
