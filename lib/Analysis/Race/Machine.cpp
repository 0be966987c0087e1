//===- Machine.cpp - Leaf code, executed at compile time ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from arguments or from memory is marked, so that it is known
// afterwards for what else the same would have happened. Where a value is not
// known that decides what happens next, it goes some way, and what happens only
// there does not count. Where the program does something undefined, it ends.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "LeafCode.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafLocks.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <unordered_map>

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

namespace {
/// What a value follows from.
/// Of what is Unknown nothing can be said, not even that it may be any number,
/// which arguments and memory may.
enum Origin : uint8_t { Nothing = 0, Arguments = 1, Memory = 2, Unknown = 4 };

/// A value: a constant, a pointer into an object, or unknown.
struct Datum {
  Constant *constant = nullptr;
  int object = -1;
  int64_t offset = 0;
  uint8_t origin = Nothing;
  /// The result of an overflow, say: must not be used.
  bool isPoison = false;

  bool isPointer() const { return object >= 0; }
  bool isKnown() const { return constant || isPointer(); }
};

struct Byte {
  uint8_t value = 0, origin = Nothing;
  bool isKnown = false;
};

/// Memory that an instance can reach.
struct Object {
  std::optional<MemoryObject> shared;
  const GlobalVariable *constant = nullptr;
  /// Bytes, where they are known whatever the arguments are.
  std::optional<int64_t> size = std::nullopt;
};
} // namespace

class Machine::Run {
public:
  Run(const Machine &machine, const InstanceNumbers &numbers,
      unsigned mostSteps)
      : machine(machine), numbers(numbers), mostSteps(mostSteps),
        layout(machine.code.getDataLayout()) {}

  Execution execute();

private:
  /// The block after which it no longer matters how a branch on memory went, or
  /// one on something unknown.
  struct Join {
    const BasicBlock *block;
    uint8_t origin;
  };
  uint8_t joined() const {
    uint8_t origin = Nothing;
    for (const Join &join : joins)
      origin |= join.origin;
    return origin;
  }

  Datum valueOf(const Value *value);
  Datum argument(const llvm::Argument &argument);
  Datum query(const Symbol &symbol, Type *type);
  Datum address(const GEPOperator &address);
  Datum fold(const Instruction &instruction);
  Datum call(const CallBase &call);
  bool step(const Instruction &instruction);
  const BasicBlock *branch(const Instruction &terminator);
  void enter(const BasicBlock &from, const BasicBlock &to);
  void touch(const Instruction &origin, const Datum &pointer, int64_t size,
             bool isWrite);
  bool isOutside(const Datum &pointer, int64_t size) const;
  bool transfer(const MemIntrinsic &transfer);
  Datum load(const Datum &pointer, Type *type);
  void store(const Datum &pointer, const Datum &value, Type *type);
  Byte byteAt(int object, int64_t offset) const;
  void forget(const Datum &pointer, int64_t size);
  int addObject(Object object) {
    objects.push_back(std::move(object));
    return objects.size() - 1;
  }
  int objectFor(const Value *key, Object object) {
    auto [found, isNew] = named.try_emplace(key, 0);
    if (isNew)
      found->second = addObject(std::move(object));
    return found->second;
  }
  void depend(uint8_t origin) {
    result.isAlways &= origin == Nothing;
    result.dependsOnMemory |= (origin & Memory) != 0;
  }
  /// What follows from `origin` is undefined.
  void stop(uint8_t origin) {
    depend(origin);
    result.isUndefined = true;
    result.isAlways = false;
  }
  static uint64_t key(int object, int64_t offset) {
    return (uint64_t(object) << 48) ^
           (uint64_t(offset) & maskTrailingOnes<uint64_t>(48));
  }

  const Machine &machine;
  const InstanceNumbers &numbers;
  const unsigned mostSteps;
  const DataLayout &layout;
  Execution result;
  DenseMap<const Value *, Datum> values;
  DenseMap<const Value *, int> named;
  std::vector<Object> objects;
  std::unordered_map<uint64_t, Byte> bytes;
  std::unordered_map<uint64_t, Datum> pointers;
  std::vector<Join> joins;
  unsigned barriers = 0, guesses = 0;
};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Datum Machine::Run::query(const Symbol &symbol, Type *type) {
  if (symbol.index >= machine.leaf.depth)
    return {};
  unsigned level = machine.leaf.depth - 1 - symbol.index;
  bool isId = symbol.kind == Symbol::Kind::Id;
  Datum result;
  result.constant = ConstantInt::get(
      type, (isId ? numbers.ids : numbers.extents)[level][symbol.dimension]);
  if (!isId && numbers.areExtentsOpen)
    result.origin = Arguments;
  return result;
}

Datum Machine::Run::argument(const llvm::Argument &argument) {
  unsigned index = argument.getArgNo();
  Datum result;
  if (argument.getType()->isPointerTy() && !argument.hasByValAttr()) {
    const std::vector<Target> &targets = machine.leaf.inputs[index].targets;
    if (targets.size() != 1 ||
        targets.front().object.kind == MemoryObject::Kind::Unknown)
      return {};
    const MemoryObject &memory = targets.front().object;
    auto found = llvm::find_if(
        objects, [&](const Object &object) { return object.shared == memory; });
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
    Object object;
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
  // Without the promise not to, addresses wrap around.
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

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Byte Machine::Run::byteAt(int object, int64_t offset) const {
  auto found = bytes.find(key(object, offset));
  if (found != bytes.end())
    return found->second;
  if (!objects[object].shared)
    return {};
  uint64_t value = 0;
  if (numbers.contents == 1)
    value = offset % 8 == 0;
  else if (numbers.contents > 1)
    value = (uint64_t(offset) * 0x9E3779B97F4A7C15u + numbers.contents) >> 40;
  return {uint8_t(value), Memory, true};
}

Datum Machine::Run::load(const Datum &pointer, Type *type) {
  Datum result;
  result.origin = pointer.origin;
  if (!pointer.isPointer()) {
    result.origin |= Memory;
    return result;
  }
  const Object &object = objects[pointer.object];
  if (object.constant) {
    APInt offset(64, pointer.offset, /*isSigned=*/true);
    if (!type->isPointerTy())
      result.constant = ConstantFoldLoadFromConst(
          const_cast<Constant *>(object.constant->getInitializer()), type,
          offset, layout);
    if (result.constant && isa<UndefValue>(result.constant))
      result.constant = nullptr;
    return result;
  }
  if (type->isPointerTy()) {
    auto found = pointers.find(key(pointer.object, pointer.offset));
    if (found != pointers.end()) {
      Datum kept = found->second;
      kept.origin |= result.origin;
      return kept;
    }
    result.origin |= object.shared ? Memory : Nothing;
    return result;
  }
  int64_t size = layout.getTypeStoreSize(type).getKnownMinValue();
  uint64_t bits = 0;
  bool isKnown = size <= 8 && !isa<VectorType, StructType, ArrayType>(type);
  for (int64_t i = 0; i != std::min<int64_t>(size, 64); ++i) {
    Byte byte = byteAt(pointer.object, pointer.offset + i);
    isKnown &= byte.isKnown;
    result.origin |= byte.origin;
    if (i < 8)
      bits |= uint64_t(byte.value) << (8 * i);
  }
  result.origin |= size > 64 && object.shared ? Memory : Nothing;
  if (!isKnown || !layout.isLittleEndian())
    return result;
  LLVMContext &context = type->getContext();
  if (type->isIntegerTy())
    result.constant = ConstantInt::get(
        context, APInt(64, bits).zextOrTrunc(type->getIntegerBitWidth()));
  else if (type->isFloatTy() || type->isDoubleTy())
    result.constant = ConstantFP::get(
        context,
        APFloat(type->getFltSemantics(),
                APInt(64, bits).trunc(type->getPrimitiveSizeInBits())));
  return result;
}

void Machine::Run::forget(const Datum &pointer, int64_t size) {
  for (int64_t i = 0; i < std::min<int64_t>(size, 4096); ++i) {
    bytes[key(pointer.object, pointer.offset + i)] = {0, Memory, false};
    pointers.erase(key(pointer.object, pointer.offset + i));
  }
}

void Machine::Run::store(const Datum &pointer, const Datum &value, Type *type) {
  if (!pointer.isPointer())
    return;
  int64_t size = layout.getTypeStoreSize(type).getKnownMinValue();
  for (int64_t i = -7; i < std::min<int64_t>(size, 4096); ++i)
    pointers.erase(key(pointer.object, pointer.offset + i));
  if (type->isPointerTy() && value.isPointer())
    pointers[key(pointer.object, pointer.offset)] = value;
  APInt bits(64, 0);
  bool isKnown = value.constant && size <= 8;
  if (auto *integer = dyn_cast_or_null<ConstantInt>(value.constant);
      integer && isKnown)
    bits = integer->getValue().zextOrTrunc(64);
  else if (auto *real = dyn_cast_or_null<ConstantFP>(value.constant);
           real && isKnown)
    bits = real->getValueAPF().bitcastToAPInt().zextOrTrunc(64);
  else
    isKnown = false;
  for (int64_t i = 0; i < std::min<int64_t>(size, 4096); ++i)
    bytes[key(pointer.object, pointer.offset + i)] = {
        uint8_t(i < 8 ? bits.getZExtValue() >> (8 * i) : 0),
        uint8_t(value.origin | pointer.origin | joined()), isKnown};
}

/// True for addresses that nothing can have. What the host passes may point
/// into the middle of an object.
bool Machine::Run::isOutside(const Datum &pointer, int64_t size) const {
  // No object is as large as that.
  constexpr int64_t most = int64_t(1) << 46;
  if (pointer.offset < -most || pointer.offset > most - size)
    return true;
  const std::optional<int64_t> &all = objects[pointer.object].size;
  return all && (pointer.offset < 0 || pointer.offset + size > *all);
}

void Machine::Run::touch(const Instruction &origin, const Datum &pointer,
                         int64_t size, bool isWrite) {
  if (pointer.isPoison || (pointer.isPointer() && isOutside(pointer, size)))
    return stop(pointer.origin);
  if (!pointer.isPointer()) {
    // It may be anywhere.
    depend(Memory);
    return;
  }
  depend(pointer.origin);
  const Object &object = objects[pointer.object];
  if (!object.shared || (pointer.origin & Memory) || (joined() & Unknown))
    return;
  result.touches.push_back({&origin, isWrite, *object.shared, pointer.offset,
                            pointer.offset + size, barriers, !joins.empty(),
                            (pointer.origin & Arguments) != 0});
}

bool Machine::Run::transfer(const MemIntrinsic &transfer) {
  Datum length = valueOf(transfer.getLength());
  auto *known = dyn_cast_or_null<ConstantInt>(length.constant);
  depend(length.origin);
  if (length.isPoison || (known && known->isNegative())) {
    stop(length.origin);
    return false;
  }
  Datum to = valueOf(transfer.getRawDest());
  to.origin |= length.origin;
  if (!known || known->getValue().ugt(1 << 20))
    return false;
  int64_t size = known->getZExtValue();
  if (size == 0)
    return true;
  if (auto *copy = dyn_cast<MemTransferInst>(&transfer)) {
    Datum from = valueOf(copy->getRawSource());
    from.origin |= length.origin;
    touch(transfer, from, size, false);
    std::vector<Byte> copied;
    for (int64_t i = 0; i < std::min<int64_t>(size, 4096); ++i)
      copied.push_back(from.isPointer() && !objects[from.object].constant
                           ? byteAt(from.object, from.offset + i)
                           : Byte{0, Memory, false});
    touch(transfer, to, size, true);
    if (to.isPointer()) {
      forget(to, size);
      for (auto [i, byte] : enumerate(copied))
        bytes[key(to.object, to.offset + i)] = byte;
    }
    return size <= 4096 || !to.isPointer() || objects[to.object].shared;
  }
  touch(transfer, to, size, true);
  auto *fill = dyn_cast<MemSetInst>(&transfer);
  Datum value = fill ? valueOf(fill->getValue()) : Datum();
  auto *byte = dyn_cast_or_null<ConstantInt>(value.constant);
  if (to.isPointer()) {
    forget(to, size);
    for (int64_t i = 0; byte && i < std::min<int64_t>(size, 4096); ++i)
      bytes[key(to.object, to.offset + i)] = {uint8_t(byte->getZExtValue()),
                                              value.origin, true};
  }
  return size <= 4096 || !to.isPointer() || objects[to.object].shared;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

Datum Machine::Run::call(const CallBase &call) {
  StringRef name = hpvmIntrinsicName(call);
  Datum unknown;
  unknown.origin = Memory;
  if (std::optional<Symbol> symbol = symbolOfQuery(call))
    return query(*symbol, call.getType());
  if (name == "barrier")
    ++barriers;
  if (name == "malloc") {
    Datum memory;
    memory.object = addObject(
        {MemoryObject{MemoryObject::Kind::Malloc, 0, &machine.leaf, ""}});
    return memory;
  }
  if (name.starts_with("atomic.")) {
    Datum pointer = valueOf(call.getArgOperand(0));
    int64_t size = layout.getTypeStoreSize(call.getType());
    touch(call, pointer, size, true);
    Datum old = load(pointer, call.getType());
    old.origin |= Memory;
    if (pointer.isPointer())
      forget(pointer, size);
    return old;
  }
  if (!name.empty())
    return unknown;
  const Function *callee = call.getCalledFunction();
  if (callee && canConstantFoldCallTo(&call, callee)) {
    Datum result;
    SmallVector<Constant *, 4> operands;
    bool isKnown = true;
    for (const Value *operand : call.args()) {
      Datum datum = valueOf(operand);
      result.origin |= datum.origin;
      isKnown &= datum.constant != nullptr;
      operands.push_back(datum.constant);
    }
    if (isKnown)
      result.constant =
          ConstantFoldCall(&call, const_cast<Function *>(callee), operands);
    if (result.constant && result.constant->containsUndefOrPoisonElement())
      result.constant = nullptr;
    if (result.constant && isa<UndefValue>(result.constant))
      result.constant = nullptr;
    return result;
  }
  if (isa<IntrinsicInst>(call) && call.doesNotAccessMemory())
    for (const Value *operand : call.args())
      unknown.origin |= valueOf(operand).origin;
  if (call.doesNotAccessMemory() || call.onlyAccessesInaccessibleMemory())
    return unknown;
  // Who waits for a lock gets it.
  if (lockCallOf(call) == LockCall::Lock && call.getType()->isIntegerTy())
    unknown = {ConstantInt::get(call.getType(), 0)};
  // Whatever it does, nothing is known any more of what it can reach.
  depend(Memory);
  bytes.clear();
  pointers.clear();
  return unknown;
}

/// Returns false if the execution cannot go on.
bool Machine::Run::step(const Instruction &instruction) {
  Datum value;
  if (auto *loaded = dyn_cast<LoadInst>(&instruction)) {
    Datum pointer = valueOf(loaded->getPointerOperand());
    touch(instruction, pointer, layout.getTypeStoreSize(loaded->getType()),
          false);
    value = load(pointer, loaded->getType());
  } else if (auto *stored = dyn_cast<StoreInst>(&instruction)) {
    Datum pointer = valueOf(stored->getPointerOperand());
    Type *type = stored->getValueOperand()->getType();
    touch(instruction, pointer, layout.getTypeStoreSize(type), true);
    if (!pointer.isPointer()) {
      bytes.clear();
      pointers.clear();
    }
    store(pointer, valueOf(stored->getValueOperand()), type);
  } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction)) {
    auto *update = dyn_cast<AtomicRMWInst>(&instruction);
    auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction);
    Datum pointer = valueOf(update ? update->getPointerOperand()
                                   : exchange->getPointerOperand());
    Type *type =
        update ? update->getType() : exchange->getNewValOperand()->getType();
    int64_t size = layout.getTypeStoreSize(type);
    touch(instruction, pointer, size, true);
    if (update)
      value = load(pointer, type);
    value.origin |= Memory;
    if (pointer.isPointer())
      forget(pointer, size);
  } else if (auto *slot = dyn_cast<AllocaInst>(&instruction)) {
    Object object;
    if (auto size = slot->getAllocationSize(layout);
        size && !size->isScalable())
      object.size = size->getFixedValue();
    value.object = objectFor(slot, std::move(object));
  } else if (auto *gep = dyn_cast<GEPOperator>(&instruction)) {
    value = address(*gep);
  } else if (auto *select = dyn_cast<SelectInst>(&instruction)) {
    Datum condition = valueOf(select->getCondition());
    auto *known = dyn_cast_or_null<ConstantInt>(condition.constant);
    Datum yes = valueOf(select->getTrueValue());
    Datum no = valueOf(select->getFalseValue());
    if (known)
      value = known->isOne() ? yes : no;
    else
      value.origin = yes.origin | no.origin;
    value.origin |= condition.origin;
    value.isPoison |= condition.isPoison;
  } else if (isa<FreezeInst>(instruction)) {
    value = valueOf(instruction.getOperand(0));
    value.isPoison = false;
  } else if (auto *transferred = dyn_cast<MemIntrinsic>(&instruction)) {
    if (!transfer(*transferred))
      return false;
  } else if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
             intrinsic && (intrinsic->isAssumeLikeIntrinsic() ||
                           isa<DbgInfoIntrinsic>(intrinsic))) {
    if (intrinsic->getIntrinsicID() == Intrinsic::expect)
      value = valueOf(intrinsic->getArgOperand(0));
    if (intrinsic->getIntrinsicID() == Intrinsic::assume) {
      Datum condition = valueOf(intrinsic->getArgOperand(0));
      if (condition.constant && condition.constant->isNullValue())
        stop(condition.origin);
    }
  } else if (auto *called = dyn_cast<CallBase>(&instruction)) {
    value = call(*called);
  } else if (instruction.getType()->isPointerTy() &&
             isa<BitCastInst, AddrSpaceCastInst>(instruction)) {
    value = valueOf(instruction.getOperand(0));
  } else {
    value = fold(instruction);
  }
  value.origin |= joined();
  values[&instruction] = value;
  return true;
}

/// The block that comes next; null if the execution ends here.
const BasicBlock *Machine::Run::branch(const Instruction &terminator) {
  const BasicBlock &block = *terminator.getParent();
  const Value *condition = nullptr;
  if (auto *branch = dyn_cast<BranchInst>(&terminator)) {
    if (branch->isUnconditional())
      return branch->getSuccessor(0);
    condition = branch->getCondition();
  } else if (auto *choice = dyn_cast<SwitchInst>(&terminator)) {
    condition = choice->getCondition();
  } else if (auto *invoke = dyn_cast<InvokeInst>(&terminator)) {
    values[invoke] = call(*invoke);
    return invoke->getNormalDest();
  } else {
    result.isComplete = isa<ReturnInst>(terminator);
    if (isa<UnreachableInst>(terminator))
      stop(Nothing);
    else if (!result.isComplete)
      depend(Memory);
    return nullptr;
  }
  Datum datum = valueOf(condition);
  depend(datum.origin);
  if (datum.isPoison) {
    stop(datum.origin);
    return nullptr;
  }
  auto *known = dyn_cast_or_null<ConstantInt>(datum.constant);
  if (!known) {
    depend(Memory);
    datum.origin |= Memory | Unknown;
  }
  if (datum.origin & Memory) {
    auto *node =
        machine.postDominators.getNode(const_cast<BasicBlock *>(&block));
    auto *after = node ? node->getIDom() : nullptr;
    const BasicBlock *join = after ? after->getBlock() : nullptr;
    auto same = find_if(joins, [&](Join &x) { return x.block == join; });
    if (same == joins.end())
      same = joins.insert(same, {join, Nothing});
    same->origin |= datum.origin & (Memory | Unknown);
  }
  // It goes one way or the other: what comes after the join is the same.
  if (!known)
    return block.getTerminator()->getSuccessor(
        (numbers.contents + 1 + (numbers.contents > 1 ? guesses++ : 0)) % 2);
  if (auto *branch = dyn_cast<BranchInst>(&terminator))
    return branch->getSuccessor(known->isOne() ? 0 : 1);
  return cast<SwitchInst>(terminator).findCaseValue(known)->getCaseSuccessor();
}

void Machine::Run::enter(const BasicBlock &from, const BasicBlock &to) {
  std::vector<std::pair<const PHINode *, Datum>> merged;
  uint8_t origin = joined();
  for (const PHINode &phi : to.phis()) {
    Datum value = valueOf(phi.getIncomingValueForBlock(&from));
    value.origin |= origin;
    merged.push_back({&phi, value});
  }
  for (const auto &[phi, value] : merged)
    values[phi] = value;
  llvm::erase_if(joins, [&](const Join &join) { return join.block == &to; });
}

Execution Machine::Run::execute() {
  const BasicBlock *block = &machine.code.getEntryBlock();
  while (block) {
    for (const Instruction &instruction : *block) {
      if (isa<PHINode>(instruction) || instruction.isTerminator())
        continue;
      if (++result.steps > mostSteps || !step(instruction)) {
        depend(Memory);
        return std::move(result);
      }
      if (result.isUndefined)
        return std::move(result);
    }
    const Instruction *terminator = block->getTerminator();
    const BasicBlock *next = branch(*terminator);
    if (next)
      enter(*block, *next);
    block = next;
    if (++result.steps > mostSteps) {
      depend(Memory);
      break;
    }
  }
  return std::move(result);
}

Machine::Machine(const TreeNode &leaf, Function &code)
    : leaf(leaf), code(code), postDominators(code) {}

Machine::~Machine() = default;

Execution Machine::run(const InstanceNumbers &numbers, unsigned mostSteps) {
  return Run(*this, numbers, mostSteps).execute();
}
