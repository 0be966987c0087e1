//===- WidenIntegers.cpp - Integers of the usual widths only --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's optimiser makes integers of any width; OpenCL has 8, 16, 32 and 64
// bits. A value of another width is kept in the next larger width, with zeros
// above it. Operations that depend on its sign extend it first. Single bits
// stay bits, but are stored in memory as bytes, and arithmetic on them becomes
// logic.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sluice::codegen;

namespace {

bool isOdd(const Type *type) {
  if (!type->isIntegerTy() || type->isIntegerTy(1))
    return false;
  unsigned width = type->getIntegerBitWidth();
  return width < 8 || !isPowerOf2_32(width);
}

bool isBit(const Type *type) { return type->isIntegerTy(1); }

class Widening {
public:
  explicit Widening(Function &function) : function(function) {}

  void run() {
    SmallVector<Instruction *> all;
    for (Instruction &instruction : instructions(function))
      if (concerns(instruction))
        all.push_back(&instruction);
    // Phis first: their wide values replace them in all uses.
    for (Instruction *instruction : all)
      if (auto *phi = dyn_cast<PHINode>(instruction);
          phi && isOdd(phi->getType()))
        wide[phi] = IRBuilder<>(phi).CreatePHI(wider(phi->getType()),
                                               phi->getNumIncomingValues());
    for (BasicBlock &block : blocksInOrder())
      for (Instruction &instruction : make_early_inc_range(block))
        if (concerns(instruction))
          replace(instruction);
    for (Instruction *instruction : all)
      if (auto *phi = dyn_cast<PHINode>(instruction);
          phi && isOdd(phi->getType()))
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
          cast<PHINode>(wide[phi])->addIncoming(get(phi->getIncomingValue(i)),
                                                phi->getIncomingBlock(i));
    for (Instruction *instruction : dead)
      instruction->dropAllReferences();
    for (Instruction *instruction : dead) {
      instruction->replaceAllUsesWith(PoisonValue::get(instruction->getType()));
      instruction->eraseFromParent();
    }
  }

private:
  static bool concerns(const Instruction &instruction) {
    auto is = [](const Type *type) { return isOdd(type); };
    if (is(instruction.getType()) ||
        any_of(instruction.operand_values(),
               [&](const Value *v) { return is(v->getType()); }))
      return true;
    if (isBit(instruction.getType()))
      return isa<LoadInst>(instruction) ||
             isa<BinaryOperator, FPToSIInst, FPToUIInst>(instruction) ||
             (isa<CmpInst>(instruction) &&
              isBit(instruction.getOperand(0)->getType()));
    if (isa<SIToFPInst, UIToFPInst>(instruction))
      return isBit(instruction.getOperand(0)->getType());
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (store && isBit(store->getValueOperand()->getType()))
      return true;
    return isa<CmpInst>(instruction) &&
           isBit(instruction.getOperand(0)->getType());
  }

  /// Blocks in an order in which definitions come before uses, except for phis.
  SmallVector<std::reference_wrapper<BasicBlock>> blocksInOrder() {
    SmallVector<std::reference_wrapper<BasicBlock>> order;
    SmallPtrSet<BasicBlock *, 16> seen;
    SmallVector<std::pair<BasicBlock *, unsigned>> stack{
        {&function.getEntryBlock(), 0}};
    seen.insert(&function.getEntryBlock());
    while (!stack.empty()) {
      auto &[block, next] = stack.back();
      Instruction *end = block->getTerminator();
      if (next == end->getNumSuccessors()) {
        order.push_back(*block);
        stack.pop_back();
        continue;
      }
      BasicBlock *successor = end->getSuccessor(next++);
      if (seen.insert(successor).second)
        stack.push_back({successor, 0});
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  Type *wider(Type *type) {
    unsigned width =
        std::max(8u, unsigned(PowerOf2Ceil(type->getIntegerBitWidth())));
    return IntegerType::get(type->getContext(), width);
  }

  /// The value in a width that OpenCL supports.
  Value *get(Value *value) {
    if (!isOdd(value->getType()))
      return value;
    if (auto *constant = dyn_cast<ConstantInt>(value))
      return ConstantInt::get(
          wider(value->getType()),
          constant->getValue().zext(
              wider(value->getType())->getIntegerBitWidth()));
    if (isa<Constant>(value))
      return Constant::getNullValue(wider(value->getType()));
    return wide.lookup(value);
  }

  Value *getSigned(IRBuilder<> &b, Value *value) {
    if (!isOdd(value->getType()))
      return value;
    unsigned width = value->getType()->getIntegerBitWidth();
    Value *whole = get(value);
    unsigned above = whole->getType()->getIntegerBitWidth() - width;
    return b.CreateAShr(b.CreateShl(whole, above), above);
  }

  Value *mask(IRBuilder<> &b, Value *value, Type *narrow) {
    unsigned width = narrow->getIntegerBitWidth();
    APInt ones =
        APInt::getLowBitsSet(value->getType()->getIntegerBitWidth(), width);
    return b.CreateAnd(value, ConstantInt::get(value->getType(), ones));
  }

  void set(Instruction &old, Value *value) {
    if (isOdd(old.getType()))
      wide[&old] = value;
    else
      old.replaceAllUsesWith(value);
    dead.push_back(&old);
  }

  void replace(Instruction &old) {
    IRBuilder<> b(&old);
    if (isa<PHINode>(old)) {
      dead.push_back(&old);
      return;
    }
    if (auto *load = dyn_cast<LoadInst>(&old))
      return set(old, readBytes(b, *load));
    if (auto *store = dyn_cast<StoreInst>(&old))
      return writeBytes(b, *store);
    if (auto *binary = dyn_cast<BinaryOperator>(&old))
      return set(old, isBit(old.getType()) ? logic(b, *binary)
                                           : arithmetic(b, *binary));
    if (auto *compare = dyn_cast<ICmpInst>(&old))
      return set(old, comparison(b, *compare));
    if (auto *cast = dyn_cast<CastInst>(&old))
      return set(old, conversion(b, *cast));
    if (auto *select = dyn_cast<SelectInst>(&old))
      return set(old, b.CreateSelect(select->getCondition(),
                                     get(select->getTrueValue()),
                                     get(select->getFalseValue())));
    if (isa<FreezeInst>(old))
      return set(old, get(old.getOperand(0)));
    // The remaining uses compute addresses: offsets are signed.
    for (Use &use : old.operands())
      if (isOdd(use->getType()))
        use.set(getSigned(b, use));
  }

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  Value *byteAt(IRBuilder<> &b, Value *pointer, unsigned i) {
    return b.CreateConstGEP1_64(b.getInt8Ty(), pointer, i);
  }

  static unsigned bytesOf(const Type *type) {
    return unsigned(divideCeil(type->getIntegerBitWidth(), 8u));
  }

  Value *readBytes(IRBuilder<> &b, LoadInst &load) {
    Type *type = load.getType();
    Type *whole = isBit(type) ? b.getInt8Ty() : wider(type);
    Value *value = Constant::getNullValue(whole);
    for (unsigned i = 0; i < bytesOf(type); ++i) {
      Value *byte = b.CreateAlignedLoad(b.getInt8Ty(),
                                        byteAt(b, load.getPointerOperand(), i),
                                        Align(1), load.isVolatile());
      value = b.CreateOr(value, b.CreateShl(b.CreateZExt(byte, whole), 8 * i));
    }
    value = mask(b, value, type);
    return isBit(type) ? b.CreateIsNotNull(value) : value;
  }

  void writeBytes(IRBuilder<> &b, StoreInst &store) {
    Value *value = store.getValueOperand();
    Type *type = value->getType();
    value = isBit(type) ? b.CreateSelect(value, b.getInt8(1), b.getInt8(0))
                        : get(value);
    for (unsigned i = 0; i < bytesOf(type); ++i)
      b.CreateAlignedStore(
          b.CreateTrunc(b.CreateLShr(value, 8 * i), b.getInt8Ty()),
          byteAt(b, store.getPointerOperand(), i), Align(1),
          store.isVolatile());
    dead.push_back(&store);
  }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  Value *arithmetic(IRBuilder<> &b, BinaryOperator &old) {
    Value *x = old.getOperand(0), *y = old.getOperand(1);
    auto code = old.getOpcode();
    bool isSigned = code == Instruction::SDiv || code == Instruction::SRem ||
                    code == Instruction::AShr;
    Value *left = isSigned ? getSigned(b, x) : get(x);
    // Shift amounts are unsigned.
    Value *right =
        isSigned && code != Instruction::AShr ? getSigned(b, y) : get(y);
    return mask(b, b.CreateBinOp(code, left, right), old.getType());
  }

  /// Arithmetic modulo two; division by zero does not occur.
  Value *logic(IRBuilder<> &b, BinaryOperator &old) {
    Value *x = old.getOperand(0), *y = old.getOperand(1);
    switch (old.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Xor:
      // For bits, SPIR-V has "not equal" but no exclusive or.
      return b.CreateSelect(x, b.CreateSelect(y, b.getFalse(), b.getTrue()), y);
    case Instruction::Mul:
    case Instruction::And:
      return b.CreateSelect(x, y, b.getFalse());
    case Instruction::Or:
      return b.CreateSelect(x, b.getTrue(), y);
    case Instruction::URem:
    case Instruction::SRem:
      return b.getFalse();
    default:
      // Division by one, shifts by zero.
      return x;
    }
  }

  Value *comparison(IRBuilder<> &b, ICmpInst &old) {
    Value *x = old.getOperand(0), *y = old.getOperand(1);
    if (!isBit(x->getType()))
      return old.isSigned() ? b.CreateICmp(old.getPredicate(), getSigned(b, x),
                                           getSigned(b, y))
                            : b.CreateICmp(old.getPredicate(), get(x), get(y));
    Value *one = b.getInt8(old.isSigned() ? 255 : 1), *zero = b.getInt8(0);
    return b.CreateICmp(old.getPredicate(), b.CreateSelect(x, one, zero),
                        b.CreateSelect(y, one, zero));
  }

  Value *conversion(IRBuilder<> &b, CastInst &old) {
    Value *from = old.getOperand(0);
    Type *to = old.getType();
    Type *target = isOdd(to) ? wider(to) : to;
    switch (old.getOpcode()) {
    case Instruction::Trunc:
      if (isBit(to)) {
        Value *whole = get(from);
        return b.CreateIsNotNull(
            b.CreateAnd(whole, ConstantInt::get(whole->getType(), 1)));
      }
      from = b.CreateZExtOrTrunc(get(from), target);
      return isOdd(to) ? mask(b, from, to) : from;
    case Instruction::ZExt:
      return b.CreateZExtOrTrunc(get(from), target);
    case Instruction::SExt:
      from = b.CreateSExt(getSigned(b, from), target);
      return isOdd(to) ? mask(b, from, to) : from;
    case Instruction::SIToFP:
      if (isBit(from->getType()))
        return b.CreateSelect(from, ConstantFP::get(to, -1),
                              ConstantFP::get(to, 0));
      return b.CreateSIToFP(getSigned(b, from), to);
    case Instruction::UIToFP:
      if (isBit(from->getType()))
        return b.CreateSelect(from, ConstantFP::get(to, 1),
                              ConstantFP::get(to, 0));
      return b.CreateUIToFP(get(from), to);
    case Instruction::FPToSI:
      if (isBit(to))
        return b.CreateIsNotNull(b.CreateFPToSI(from, b.getInt8Ty()));
      return mask(b, b.CreateFPToSI(from, target), to);
    case Instruction::FPToUI:
      if (isBit(to))
        return b.CreateIsNotNull(b.CreateFPToUI(from, b.getInt8Ty()));
      return mask(b, b.CreateFPToUI(from, target), to);
    case Instruction::PtrToInt:
      return mask(
          b,
          b.CreateZExtOrTrunc(b.CreatePtrToInt(from, b.getInt64Ty()), target),
          to);
    case Instruction::IntToPtr:
      return b.CreateIntToPtr(b.CreateZExt(get(from), b.getInt64Ty()), to);
    default:
      return b.CreateBitCast(get(from), target);
    }
  }

  Function &function;
  DenseMap<Value *, Value *> wide;
  SmallVector<Instruction *> dead;
};

} // namespace

void lowering::widenIntegers(Function &function) { Widening(function).run(); }
