//===- MachineMemory.cpp - Memory accesses of an instance ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of the interpreter on which the explorer runs leaves: records each
// byte that an instance reads or writes, and keeps contents unknown that the
// host may have put there.
//
//===----------------------------------------------------------------------===//

#include "MachineRun.h"
#include "sluice/Analysis/LeafMemory.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

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

/// The initial contents if memory is made up of small numbers: a different
/// number at each place, in the type by which it is read. Null otherwise.
Constant *Machine::Run::smallNumber(const Datum &pointer, Type *type) const {
  const ReachableMemory &object = objects[pointer.object];
  bool isReal = type->isFloatTy() || type->isDoubleTy();
  if (numbers.contents < 4 || !object.shared ||
      (!isReal && !type->isIntegerTy()))
    return nullptr;
  for (int64_t i = 0, e = layout.getTypeStoreSize(type); i != e; ++i)
    if (bytes.count(key(pointer.object, pointer.offset + i)))
      return nullptr;
  const MemoryObject &memory = *object.shared;
  uint64_t place = xxh3_64bits(memory.name) + 1000003 * memory.index +
                   101 * uint64_t(memory.kind) + 7919 * pointer.offset +
                   numbers.contents;
  int64_t number = int64_t((place * 0x9E3779B97F4A7C15u) >> 40) % 9 -
                   (numbers.contents % 2 ? 4 : 0);
  return isReal ? ConstantFP::get(type, double(number))
                : Constant::getIntegerValue(
                      type, APInt(64, number, /*isSigned=*/true)
                                .sextOrTrunc(type->getIntegerBitWidth()));
}

/// A pointer that the host has put there leads to memory of its own.
Datum Machine::Run::followPointer(const Datum &pointer) {
  MemoryObject memory = *objects[pointer.object].shared;
  ++memory.depth;
  Datum result = pointer;
  result.object = addObject({.shared = memory, .pointer = pointer.offset});
  result.offset = 0;
  pointers[key(pointer.object, pointer.offset)] = result;
  return result;
}

Datum Machine::Run::load(const Datum &pointer, Type *type) {
  Datum result;
  result.origin = pointer.origin;
  if (!pointer.isPointer()) {
    result.origin |= Memory;
    return result;
  }
  const ReachableMemory &object = objects[pointer.object];
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
    if (object.shared && object.shared->depth == 0 &&
        object.shared->kind != MemoryObject::Kind::Malloc &&
        machine.code.hasFnAttribute(followsPointersAttribute) &&
        !bytes.contains(key(pointer.object, pointer.offset)))
      return followPointer(pointer);
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
  if (numbers.ways && (result.origin & Memory))
    return result;
  if (Constant *small = smallNumber(pointer, type)) {
    result.constant = small;
    return result;
  }
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

static void eraseIf(auto &map, auto &&mayGo) {
  for (auto known = map.begin(), end = map.end(); known != end; ++known)
    if (mayGo(*known))
      map.erase(known);
}

void Machine::Run::forget(const Datum &pointer, int64_t size) {
  // Many bytes take as long as many instructions.
  result.steps += std::min<int64_t>(size, 4096) / 8;
  if (size > 4096) {
    auto isOf = [&](const auto &known) {
      return (known.first >> 48) == uint64_t(pointer.object);
    };
    result.steps += bytes.size() / 8;
    eraseIf(bytes, isOf);
    eraseIf(pointers, isOf);
  }
  for (int64_t i = 0; i < std::min<int64_t>(size, 4096); ++i) {
    bytes[key(pointer.object, pointer.offset + i)] = {0, Memory, false};
    pointers.erase(key(pointer.object, pointer.offset + i));
  }
}

void Machine::Run::forgetShared() {
  auto isShared = [&](const auto &known) {
    return objects[known.first >> 48].shared.has_value();
  };
  result.steps += bytes.size() / 8;
  eraseIf(bytes, isShared);
  eraseIf(pointers, isShared);
}

void Machine::Run::lock(const CallBase &call, bool isShared) {
  Datum pointer = valueOf(call.getArgOperand(0));
  if (pointer.isPoison || (pointer.isPointer() && isOutside(pointer, 1)))
    return stop(pointer.origin);
  if (!pointer.isPointer() || (pointer.origin & Memory))
    mayBeOrdered = true;
  else if (objects[pointer.object].shared)
    locks.push_back({*objects[pointer.object].shared, pointer.offset,
                     objects[pointer.object].pointer, isShared});
}

void Machine::Run::unlock(const CallBase &call) {
  Datum pointer = valueOf(call.getArgOperand(0));
  if (!pointer.isPointer() || !objects[pointer.object].shared)
    return;
  auto held = find_if(locks, [&](const Lock &lock) {
    return lock.object == *objects[pointer.object].shared &&
           lock.pointer == objects[pointer.object].pointer &&
           lock.offset == pointer.offset;
  });
  if (held != locks.end())
    locks.erase(held);
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

/// True for addresses that no object can have. A pointer from the host may
/// point into the middle of an object.
bool Machine::Run::isOutside(const Datum &pointer, int64_t size) const {
  // No object is this large.
  constexpr int64_t most = int64_t(1) << 46;
  if (pointer.offset < -most || pointer.offset > most - size)
    return true;
  const std::optional<int64_t> &all = objects[pointer.object].size;
  return all && (pointer.offset < 0 || pointer.offset + size > *all);
}

void Machine::Run::touch(const Instruction &origin, const Datum &pointer,
                         int64_t size, bool isWrite, bool isSizeOpen) {
  if (pointer.isPoison || (pointer.isPointer() && isOutside(pointer, size)))
    return stop(pointer.origin);
  if (!pointer.isPointer()) {
    // It may be anywhere.
    depend(Memory);
    return;
  }
  depend(pointer.origin);
  const ReachableMemory &object = objects[pointer.object];
  const bool isOfMemory = (pointer.origin & Memory) != 0;
  if (!object.shared || (isOfMemory && !numbers.keepsPlaces) ||
      (joined() & Unknown))
    return;
  if (!areTurnsKept)
    result.turns.push_back(turns);
  areTurnsKept = true;
  result.touches.push_back(
      {.origin = &origin,
       .isWrite = isWrite,
       .object = *object.shared,
       .begin = pointer.offset,
       .end = pointer.offset + size,
       .pointer = object.pointer,
       .barriers = barriers,
       .dependsOnMemory = isOfMemory || !joins.empty(),
       .dependsOnArguments = (pointer.origin & Arguments) != 0,
       .isSizeOpen = isSizeOpen,
       .openDimensions = unsigned(openIds / Ids),
       .turns = unsigned(result.turns.size() - 1),
       .mayBeOrdered = mayBeOrdered,
       .locks = locks,
       .awaits = hasWaited});
}

bool Machine::Run::transfer(const MemIntrinsic &transfer) {
  Datum length = valueOf(transfer.getLength());
  auto *known = dyn_cast_or_null<ConstantInt>(length.constant);
  depend(length.origin);
  if (length.isPoison || (known && known->isNegative())) {
    stop(length.origin);
    return false;
  }
  const bool isOpen = length.origin & Arguments;
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
    touch(transfer, from, size, false, isOpen);
    std::vector<Byte> copied;
    for (int64_t i = 0; i < std::min<int64_t>(size, 4096); ++i)
      copied.push_back(from.isPointer() && !objects[from.object].constant
                           ? byteAt(from.object, from.offset + i)
                           : Byte{0, Memory, false});
    touch(transfer, to, size, true, isOpen);
    if (to.isPointer()) {
      forget(to, size);
      for (auto [i, byte] : enumerate(copied))
        bytes[key(to.object, to.offset + i)] = byte;
    }
    return size <= 4096 || !to.isPointer() || objects[to.object].shared;
  }
  touch(transfer, to, size, true, isOpen);
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
