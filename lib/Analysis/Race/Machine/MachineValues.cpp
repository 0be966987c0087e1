//===- MachineValues.cpp - Numbers and addresses of an instance ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of the interpreter on which the explorer runs leaves. A result
// that depends on an unknown value, or is undefined in C, is unknown too.
//
//===----------------------------------------------------------------------===//

#include "MachineRun.h"

#include "llvm/Analysis/ConstantFolding.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

Datum Machine::Run::query(const Symbol &symbol, Type *type) {
  if (symbol.index >= machine.leaf.depth)
    return {};
  unsigned level = machine.leaf.depth - 1 - symbol.index;
  bool isId = symbol.kind == Symbol::Kind::Id;
  Datum result;
  result.constant = ConstantInt::get(
      type, (isId ? numbers.ids : numbers.extents)[level][symbol.dimension]);
  if (isId)
    result.origin = Ids << symbol.dimension;
  else if (numbers.areExtentsOpen)
    result.origin = Arguments;
  return result;
}

Datum Machine::Run::argument(const llvm::Argument &argument) {
  unsigned index = argument.getArgNo();
  Datum result;
  if (argument.getType()->isPointerTy() && !argument.hasByValAttr()) {
    const std::vector<PointerTarget> &targets =
        machine.leaf.inputs[index].targets;
    if (targets.size() != 1 ||
        targets.front().object.kind == MemoryObject::Kind::Unknown)
      return {};
    const MemoryObject &memory = targets.front().object;
    auto found = llvm::find_if(objects, [&](const ReachableMemory &object) {
      return object.shared == memory;
    });
    result.object =
        found != objects.end() ? found - objects.begin() : addObject({memory});
    return result;
  }
  if (argument.getType()->isPointerTy()) {
    result.object = objectFor(&argument, {});
    return result;
  }
  const InstanceNumbers::Argument &known = numbers.arguments[index];
  result.origin = known.isOpen ? Arguments : Nothing;
  if (known.value && argument.getType()->isIntegerTy() &&
      argument.getType()->getIntegerBitWidth() <= 64)
    result.constant = ConstantInt::getSigned(
        argument.getType(),
        SignExtend64(*known.value, argument.getType()->getIntegerBitWidth()));
  return result;
}

Datum Machine::Run::valueOf(const Value *value) {
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  Datum result;
  if (auto *parameter = dyn_cast<llvm::Argument>(value)) {
    result = argument(*parameter);
  } else if (auto *global = dyn_cast<GlobalVariable>(value)) {
    if (global->isThreadLocal())
      return {};
    ReachableMemory object;
    if (global->isConstant() && global->hasDefinitiveInitializer())
      object.constant = global;
    else
      object.shared = MemoryObject{MemoryObject::Kind::Global, 0, nullptr,
                                   global->getName().str()};
    int64_t size =
        layout.getTypeAllocSize(global->getValueType()).getKnownMinValue();
    if (size > 0)
      object.size = size;
    result.object = objectFor(global, std::move(object));
  } else if (auto *gep = dyn_cast<GEPOperator>(value);
             gep && isa<Constant>(value)) {
    result = address(*gep);
  } else if (auto *constant = dyn_cast<Constant>(value);
             constant && !constant->getType()->isPointerTy() &&
             !isa<UndefValue, ConstantExpr>(constant)) {
    result.constant = const_cast<Constant *>(constant);
  }
  if (!isa<Instruction>(value))
    values[value] = result;
  return result;
}

Datum Machine::Run::address(const GEPOperator &address) {
  Datum result = valueOf(address.getPointerOperand());
  SmallMapVector<Value *, APInt, 4> indices;
  APInt constant(64, 0);
  if (!result.isPointer() ||
      !address.collectOffset(layout, 64, indices, constant)) {
    result.object = -1;
    return result;
  }
  __int128 offset = __int128(result.offset) + constant.getSExtValue();
  for (const auto &[index, stride] : indices) {
    Datum number = valueOf(index);
    result.origin |= number.origin;
    result.isPoison |= number.isPoison;
    auto *known = dyn_cast_or_null<ConstantInt>(number.constant);
    if (!known) {
      result.object = -1;
      return result;
    }
    offset += __int128(known->getValue().sextOrTrunc(64).getSExtValue()) *
              stride.getSExtValue();
  }
  // Without flags that forbid it, addresses wrap around.
  result.offset = int64_t(uint64_t(offset));
  result.isPoison |=
      address.hasNoUnsignedSignedWrap() && offset != result.offset;
  return result;
}

/// True if the flags of `operation` say that this cannot happen.
static bool overflows(const OverflowingBinaryOperator &operation,
                      const APInt &a, const APInt &b) {
  bool isOver = false, isUnsignedOver = false;
  switch (operation.getOpcode()) {
  case Instruction::Add:
    (void)a.sadd_ov(b, isOver);
    (void)a.uadd_ov(b, isUnsignedOver);
    break;
  case Instruction::Sub:
    (void)a.ssub_ov(b, isOver);
    (void)a.usub_ov(b, isUnsignedOver);
    break;
  case Instruction::Mul:
    (void)a.smul_ov(b, isOver);
    (void)a.umul_ov(b, isUnsignedOver);
    break;
  default:
    if (b.uge(a.getBitWidth()))
      return true;
    (void)a.sshl_ov(b, isOver);
    (void)a.ushl_ov(b, isUnsignedOver);
    break;
  }
  return (isOver && operation.hasNoSignedWrap()) ||
         (isUnsignedOver && operation.hasNoUnsignedWrap());
}

Datum Machine::Run::fold(const Instruction &instruction) {
  Datum result;
  SmallVector<Constant *, 4> operands;
  bool isKnown = true;
  for (const Value *operand : instruction.operands()) {
    Datum datum = valueOf(operand);
    result.origin |= datum.origin;
    result.isPoison |= datum.isPoison;
    isKnown &= datum.constant != nullptr;
    operands.push_back(datum.constant);
  }
  if (auto *compare = dyn_cast<ICmpInst>(&instruction);
      compare && compare->isEquality() &&
      compare->getOperand(0)->getType()->isPointerTy()) {
    Datum a = valueOf(compare->getOperand(0)),
          b = valueOf(compare->getOperand(1));
    bool isNull = isa<ConstantPointerNull>(compare->getOperand(1));
    if (a.isPointer() && (isNull || (b.isPointer() && a.object == b.object))) {
      bool isEqual = !isNull && a.offset == b.offset;
      result.constant = ConstantInt::getBool(
          compare->getType(),
          isEqual == (compare->getPredicate() == CmpInst::ICMP_EQ));
    }
    return result;
  }
  if (instruction.isIntDivRem()) {
    auto *divisor = dyn_cast_or_null<ConstantInt>(operands[1]);
    auto *number = dyn_cast_or_null<ConstantInt>(operands[0]);
    if (valueOf(instruction.getOperand(1)).isPoison ||
        (divisor && divisor->isZero()) ||
        (divisor && number && instruction.getOpcode() == Instruction::SDiv &&
         divisor->isMinusOne() && number->isMinValue(/*IsSigned=*/true))) {
      stop(result.origin);
      return result;
    }
  }
  if (!isKnown || result.isPoison)
    return result;
  if (auto *operation = dyn_cast<OverflowingBinaryOperator>(&instruction)) {
    auto *a = dyn_cast<ConstantInt>(operands[0]);
    auto *b = dyn_cast<ConstantInt>(operands[1]);
    if (a && b && overflows(*operation, a->getValue(), b->getValue())) {
      result.isPoison = true;
      return result;
    }
  }
  Constant *folded = ConstantFoldInstOperands(
      const_cast<Instruction *>(&instruction), operands, layout);
  result.isPoison = isa_and_nonnull<PoisonValue>(folded);
  if (folded && !isa<UndefValue, ConstantExpr>(folded) &&
      !folded->containsUndefOrPoisonElement())
    result.constant = folded;
  return result;
}
