//===- Atomics.cpp - Relaxed atomics of a device --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics of kernels order nothing but themselves, over the whole device. What
// OpenCL has no instruction for becomes a loop around a compare-exchange.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;
using namespace sluice::codegen;
using namespace sluice::codegen::lowering;

/// OpenCL's atomics, with integers of 32 and 64 bits.
static bool isInOpenCL(const AtomicRMWInst &atomic) {
  switch (atomic.getOperation()) {
  case AtomicRMWInst::Xchg:
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::And:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::Max:
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::UMin:
    return atomic.getType()->isIntegerTy();
  default:
    return false;
  }
}

static Value *toBits(IRBuilder<> &b, Value *value, Type *bits) {
  return value->getType()->isPointerTy() ? b.CreatePtrToInt(value, bits)
                                         : b.CreateBitCast(value, bits);
}

static Value *fromBits(IRBuilder<> &b, Value *bits, Type *type) {
  return type->isPointerTy() ? b.CreateIntToPtr(bits, type)
                             : b.CreateBitCast(bits, type);
}

/// old = load; do { seen = old; old = cmpxchg(seen, f(seen)) } while (!=)
static void expandToLoop(AtomicRMWInst &atomic) {
  Type *type = atomic.getType();
  unsigned width =
      unsigned(atomic.getDataLayout().getTypeStoreSizeInBits(type));
  Type *bits = IntegerType::get(atomic.getContext(), width);
  BasicBlock *head = atomic.getParent();
  BasicBlock *exit = head->splitBasicBlock(atomic.getIterator());
  BasicBlock *block =
      BasicBlock::Create(atomic.getContext(), "again", head->getParent(), exit);
  head->getTerminator()->eraseFromParent();
  IRBuilder<> builder(head);
  Align align = atomic.getAlign();
  LoadInst *first =
      builder.CreateAlignedLoad(bits, atomic.getPointerOperand(), align);
  first->setVolatile(true);
  builder.CreateBr(block);
  builder.SetInsertPoint(block);
  PHINode *seen = builder.CreatePHI(bits, 2);
  Value *wanted = buildAtomicRMWValue(atomic.getOperation(), builder,
                                      fromBits(builder, seen, type),
                                      atomic.getValOperand());
  AtomicCmpXchgInst *exchange = builder.CreateAtomicCmpXchg(
      atomic.getPointerOperand(), seen, toBits(builder, wanted, bits), align,
      AtomicOrdering::Monotonic, AtomicOrdering::Monotonic,
      atomic.getSyncScopeID());
  Value *old = builder.CreateExtractValue(exchange, 0);
  Value *isDone = builder.CreateICmpEQ(old, seen);
  builder.CreateCondBr(isDone, exit, block);
  seen->addIncoming(first, head);
  seen->addIncoming(old, block);
  builder.SetInsertPoint(&atomic);
  atomic.replaceAllUsesWith(fromBits(builder, old, type));
  atomic.eraseFromParent();
}

/// OpenCL 1.2 has no atomic loads and stores; aligned ones of up to 64 bits
/// are never torn, and volatile keeps each of them.
static void makePlain(Instruction &access) {
  if (auto *load = dyn_cast<LoadInst>(&access)) {
    load->setAtomic(AtomicOrdering::NotAtomic);
    load->setVolatile(true);
  }
  if (auto *store = dyn_cast<StoreInst>(&access)) {
    store->setAtomic(AtomicOrdering::NotAtomic);
    store->setVolatile(true);
  }
}

static void relax(Instruction &access, SyncScope::ID scope) {
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&access)) {
    atomic->setOrdering(AtomicOrdering::Monotonic);
    atomic->setSyncScopeID(scope);
  } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&access)) {
    exchange->setSuccessOrdering(AtomicOrdering::Monotonic);
    exchange->setFailureOrdering(AtomicOrdering::Monotonic);
    exchange->setSyncScopeID(scope);
    exchange->setWeak(false);
  } else if (auto *load = dyn_cast<LoadInst>(&access)) {
    load->setAtomic(AtomicOrdering::Monotonic, scope);
  } else if (auto *store = dyn_cast<StoreInst>(&access)) {
    store->setAtomic(AtomicOrdering::Monotonic, scope);
  }
}

void lowering::lowerAtomics(Function &function, Form form) {
  SyncScope::ID scope = function.getContext().getOrInsertSyncScopeID("device");
  SmallVector<Instruction *> atomics;
  for (Instruction &instruction : instructions(function))
    if (instruction.isAtomic() && !isa<FenceInst>(instruction))
      atomics.push_back(&instruction);
  for (Instruction *access : atomics) {
    relax(*access, scope);
    if (form == Form::PTX)
      continue;
    makePlain(*access);
    auto *atomic = dyn_cast<AtomicRMWInst>(access);
    if (atomic && !isInOpenCL(*atomic))
      expandToLoop(*atomic);
  }
}
