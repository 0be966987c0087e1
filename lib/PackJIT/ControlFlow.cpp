//===- ControlFlow.cpp - Loops, conditions and addresses ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control flow of all strategies. Loops count down to zero and carry both
// addresses, which suits the code generator.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include <cstddef>

using namespace llvm;
using namespace sluice::pack;
using namespace sluice::pack::jit;

Value *Emitter::offset(Value *pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return builder.CreateGEP(builder.getInt8Ty(), pointer, number(bytes));
}

Cursor Emitter::offset(Cursor at, int64_t strided, int64_t packed) {
  return {offset(at.strided, strided), offset(at.packed, packed)};
}

void Emitter::beginBlock(const char *name) {
  auto *block = BasicBlock::Create(builder.getContext(), name, function());
  builder.CreateBr(block);
  builder.SetInsertPoint(block);
}

Cursor Emitter::emitLoop(Value *count, int64_t stridedStep, int64_t packedStep,
                         Cursor at, function_ref<void(Cursor)> body) {
  auto *known = dyn_cast<ConstantInt>(count);
  if (known && known->isZero())
    return at;
  if (known && known->isOne()) {
    body(at);
    return offset(at, stridedStep, packedStep);
  }
  LLVMContext &llvmContext = builder.getContext();
  BasicBlock *before = builder.GetInsertBlock();
  auto *loop = BasicBlock::Create(llvmContext, "loop", function());
  auto *after = BasicBlock::Create(llvmContext, "done", function());
  if (known)
    builder.CreateBr(loop);
  else
    builder.CreateCondBr(builder.CreateICmpSGT(count, number(0)), loop, after);

  builder.SetInsertPoint(loop);
  Type *pointerType = builder.getPtrTy();
  PHINode *left = builder.CreatePHI(builder.getInt64Ty(), 2, "left");
  PHINode *strided = builder.CreatePHI(pointerType, 2, "strided");
  PHINode *packed = builder.CreatePHI(pointerType, 2, "packed");
  body({strided, packed});
  Cursor next = offset(Cursor{strided, packed}, stridedStep, packedStep);
  Value *nextLeft = builder.CreateSub(left, number(1));
  BasicBlock *latch = builder.GetInsertBlock();
  builder.CreateCondBr(builder.CreateICmpNE(nextLeft, number(0)), loop, after);
  left->addIncoming(count, before);
  left->addIncoming(nextLeft, latch);
  strided->addIncoming(at.strided, before);
  strided->addIncoming(next.strided, latch);
  packed->addIncoming(at.packed, before);
  packed->addIncoming(next.packed, latch);

  builder.SetInsertPoint(after);
  if (known)
    return next;
  PHINode *stridedEnd = builder.CreatePHI(pointerType, 2);
  stridedEnd->addIncoming(at.strided, before);
  stridedEnd->addIncoming(next.strided, latch);
  PHINode *packedEnd = builder.CreatePHI(pointerType, 2);
  packedEnd->addIncoming(at.packed, before);
  packedEnd->addIncoming(next.packed, latch);
  return {stridedEnd, packedEnd};
}

Cursor Emitter::emitIf(Value *condition, Cursor at,
                       function_ref<Cursor(Cursor)> body) {
  LLVMContext &llvmContext = builder.getContext();
  BasicBlock *before = builder.GetInsertBlock();
  auto *then = BasicBlock::Create(llvmContext, "some", function());
  auto *after = BasicBlock::Create(llvmContext, "join", function());
  builder.CreateCondBr(condition, then, after);
  builder.SetInsertPoint(then);
  Cursor next = body(at);
  BasicBlock *end = builder.GetInsertBlock();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
  PHINode *strided = builder.CreatePHI(builder.getPtrTy(), 2);
  strided->addIncoming(at.strided, before);
  strided->addIncoming(next.strided, end);
  PHINode *packed = builder.CreatePHI(builder.getPtrTy(), 2);
  packed->addIncoming(at.packed, before);
  packed->addIncoming(next.packed, end);
  return {strided, packed};
}

/// An entry of the context, which never changes while the code runs.
static Value *loadFromContext(IRBuilder<> &builder, Value *context,
                              size_t place, const char *name) {
  Value *address =
      builder.CreateGEP(builder.getInt8Ty(), context, builder.getInt64(place));
  LoadInst *entry = builder.CreateLoad(builder.getPtrTy(), address, name);
  entry->setMetadata(LLVMContext::MD_invariant_load,
                     MDNode::get(builder.getContext(), {}));
  return entry;
}

void Emitter::emitCopyCall(Cursor at, Value *length) {
  Type *pointerType = builder.getPtrTy();
  auto *type = FunctionType::get(
      pointerType, {pointerType, pointerType, builder.getInt64Ty()}, false);
  Value *copy =
      loadFromContext(builder, context, offsetof(CodeContext, copy), "copy");
  Value *to = isPack ? at.packed : at.strided;
  Value *from = isPack ? at.strided : at.packed;
  builder.CreateCall(type, copy, {to, from, length})->setDoesNotThrow();
}

void Emitter::emitLargeCall(int64_t size) {
  Function *caller = function();
  LLVMContext &llvmContext = builder.getContext();
  auto *large = BasicBlock::Create(llvmContext, "large", caller);
  auto *usual = BasicBlock::Create(llvmContext, "usual", caller);
  Value *count = caller->getArg(1);
  builder.CreateCondBr(
      builder.CreateICmpSGT(count, number(target.lastLevelBytes / 2 / size)),
      large, usual);
  builder.SetInsertPoint(large);
  size_t place = isPack ? offsetof(CodeContext, packLarge)
                        : offsetof(CodeContext, unpackLarge);
  Value *kernel = loadFromContext(builder, context, place, "kernel");
  Value *tables = loadFromContext(
      builder, context, offsetof(CodeContext, largeContext), "tables");
  builder.CreateCall(caller->getFunctionType(), kernel,
                     {caller->getArg(0), count, caller->getArg(2), tables});
  builder.CreateRetVoid();
  builder.SetInsertPoint(usual);
}
