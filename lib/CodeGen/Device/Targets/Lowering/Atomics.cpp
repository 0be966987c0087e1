//===- Atomics.cpp - Relaxed atomics of a device --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics of kernels are relaxed, with device scope. An operation without an
// OpenCL instruction becomes a compare-exchange loop. Atomics of 8 and 16 bits
// change a part of an aligned 32-bit word. The word is in the same buffer,
// since buffers consist of such words.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;
using namespace sluice::codegen;
using namespace sluice::codegen::lowering;

static bool isWord(const Type *type) {
  return type->isIntegerTy(32) || type->isIntegerTy(64);
}

/// OpenCL's atomics on integers of 32 and 64 bits.
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
    return isWord(atomic.getType());
  default:
    return false;
  }
}

namespace {

/// The bits of a value within the exchanged word: all of it, or a part of 32
/// bits.
class Word {
public:
  Word(IRBuilder<> &b, Value *pointer, Type *type, const DataLayout &layout)
      : address(pointer), type(type) {
    unsigned width = unsigned(layout.getTypeStoreSizeInBits(type));
    part = b.getIntNTy(width);
    word = b.getIntNTy(std::max(width, 32u));
    if (part == word)
      return;
    Value *byte = b.CreateAnd(b.CreatePtrToInt(pointer, b.getInt64Ty()), 3);
    address = b.CreateGEP(b.getInt8Ty(), pointer, b.CreateNeg(byte));
    shift = b.CreateShl(b.CreateTrunc(byte, word), 3);
    ones = ConstantInt::get(word, maskTrailingOnes<uint32_t>(width));
    others = b.CreateNot(b.CreateShl(ones, shift));
  }

  /// Extracts the value from the whole word.
  Value *get(IRBuilder<> &b, Value *whole) const {
    if (shift)
      whole = b.CreateTrunc(b.CreateLShr(whole, shift), part);
    return type->isPointerTy() ? b.CreateIntToPtr(whole, type)
                               : b.CreateBitCast(whole, type);
  }

  /// Inserts another value into the whole word.
  Value *set(IRBuilder<> &b, Value *whole, Value *value) const {
    Value *bits = type->isPointerTy() ? b.CreatePtrToInt(value, part)
                                      : b.CreateBitCast(value, part);
    if (!shift)
      return bits;
    // For a truncation to less than a word that is extended again, the back end
    // uses the value before the truncation.
    if (auto *cut = dyn_cast<TruncInst>(bits))
      bits = b.CreateAnd(b.CreateZExtOrTrunc(cut->getOperand(0), word), ones);
    bits = b.CreateShl(b.CreateZExt(bits, word), shift);
    return b.CreateOr(b.CreateAnd(whole, others), bits);
  }

  LoadInst *load(IRBuilder<> &b) const {
    LoadInst *whole = b.CreateAlignedLoad(word, address, align());
    whole->setVolatile(true);
    return whole;
  }

  Value *exchange(IRBuilder<> &b, Value *seen, Value *wanted,
                  SyncScope::ID scope) const {
    return b.CreateExtractValue(
        b.CreateAtomicCmpXchg(address, seen, wanted, align(),
                              AtomicOrdering::Monotonic,
                              AtomicOrdering::Monotonic, scope),
        0);
  }

private:
  Align align() const { return Align(word->getIntegerBitWidth() / 8); }

  Value *address;
  Type *type;
  IntegerType *part, *word;
  /// Null if the value is the whole word.
  Value *ones = nullptr, *shift = nullptr, *others = nullptr;
};

} // namespace

/// old = load; do { seen = old; old = cmpxchg(seen, wanted(seen)) } while (!=)
/// before `atomic`. Returns the value before the exchange. If `isWanted` is not
/// null, the loop ends without an exchange where it is false.
static Value *
exchangeInLoop(Instruction &atomic, Value *pointer, Type *type,
               SyncScope::ID scope,
               function_ref<Value *(IRBuilder<> &, Value *)> make,
               function_ref<Value *(IRBuilder<> &, Value *)> isWanted) {
  BasicBlock *head = atomic.getParent();
  BasicBlock *exit = head->splitBasicBlock(atomic.getIterator());
  BasicBlock *block =
      BasicBlock::Create(atomic.getContext(), "again", head->getParent(), exit);
  head->getTerminator()->eraseFromParent();
  IRBuilder<> b(head);
  Word word(b, pointer, type, atomic.getDataLayout());
  LoadInst *first = word.load(b);
  b.CreateBr(block);
  b.SetInsertPoint(block);
  PHINode *seen = b.CreatePHI(first->getType(), 2);
  seen->addIncoming(first, head);
  Value *value = word.get(b, seen);
  BasicBlock *next = block;
  if (isWanted) {
    next = BasicBlock::Create(atomic.getContext(), "exchange",
                              head->getParent(), exit);
    b.CreateCondBr(isWanted(b, value), next, exit);
    b.SetInsertPoint(next);
  }
  Value *old = word.exchange(b, seen, word.set(b, seen, make(b, value)), scope);
  b.CreateCondBr(b.CreateICmpEQ(old, seen), exit, block);
  seen->addIncoming(old, next);
  return value;
}

static void expandUpdate(AtomicRMWInst &atomic) {
  Value *old = exchangeInLoop(
      atomic, atomic.getPointerOperand(), atomic.getType(),
      atomic.getSyncScopeID(),
      [&](IRBuilder<> &b, Value *value) {
        return buildAtomicRMWValue(atomic.getOperation(), b, value,
                                   atomic.getValOperand());
      },
      nullptr);
  atomic.replaceAllUsesWith(old);
  atomic.eraseFromParent();
}

static void expandExchange(AtomicCmpXchgInst &atomic) {
  Value *expected = atomic.getCompareOperand();
  auto isExpected = [&](IRBuilder<> &b, Value *value) {
    return b.CreateICmpEQ(value, expected);
  };
  Value *old = exchangeInLoop(
      atomic, atomic.getPointerOperand(), expected->getType(),
      atomic.getSyncScopeID(),
      [&](IRBuilder<> &, Value *) { return atomic.getNewValOperand(); },
      isExpected);
  IRBuilder<> b(&atomic);
  Value *pair = PoisonValue::get(atomic.getType());
  pair = b.CreateInsertValue(pair, old, 0);
  pair = b.CreateInsertValue(pair, isExpected(b, old), 1);
  atomic.replaceAllUsesWith(pair);
  atomic.eraseFromParent();
}

/// OpenCL 1.2 has no atomic loads and stores. Aligned accesses of up to 64 bits
/// are never torn, and volatile preserves each of them.
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

/// Memory that only this item sees needs no atomics, and devices have none for
/// it.
static bool lowerOwn(Instruction &access) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  auto *atomic = dyn_cast<AtomicRMWInst>(&access);
  auto *exchange = dyn_cast<AtomicCmpXchgInst>(&access);
  if (atomic)
    pointer = atomic->getPointerOperand();
  if (exchange)
    pointer = exchange->getPointerOperand();
  SmallVector<const Value *> objects;
  if (pointer)
    getUnderlyingObjects(pointer, objects, nullptr, /*MaxLookup=*/0);
  bool isOwn = !objects.empty() && all_of(objects, [](const Value *object) {
    return isa<AllocaInst>(object);
  });
  if (!isOwn)
    return false;
  if (atomic)
    return lowerAtomicRMWInst(atomic);
  if (exchange)
    return lowerAtomicCmpXchgInst(exchange);
  makePlain(access);
  return true;
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

void lowering::lowerAtomics(Function &function, CodeForm form) {
  SyncScope::ID scope = function.getContext().getOrInsertSyncScopeID("device");
  SmallVector<Instruction *> atomics;
  for (Instruction &instruction : instructions(function))
    if (instruction.isAtomic() && !isa<FenceInst>(instruction))
      atomics.push_back(&instruction);
  for (Instruction *access : atomics) {
    if (lowerOwn(*access))
      continue;
    relax(*access, scope);
    if (form == CodeForm::PTX)
      continue;
    makePlain(*access);
    auto *atomic = dyn_cast<AtomicRMWInst>(access);
    auto *exchange = dyn_cast<AtomicCmpXchgInst>(access);
    if (atomic && !isInOpenCL(*atomic))
      expandUpdate(*atomic);
    else if (exchange && !isWord(exchange->getCompareOperand()->getType()))
      expandExchange(*exchange);
  }
}
