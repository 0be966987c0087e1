//===- RehearsalMemory.cpp - The memory of a program ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects are blocks of memory of this process, and keep its addresses.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <cstring>

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

FollowedObject *RehearsalRun::find(uint64_t address) {
  if (lastFound && address - lastFound->begin < lastFound->size)
    return lastFound;
  auto next = objects.upper_bound(address);
  if (next == objects.begin())
    return nullptr;
  FollowedObject &object = std::prev(next)->second;
  if (address - object.begin >= object.size)
    return nullptr;
  return lastFound = &object;
}

uint64_t RehearsalRun::allocate(uint64_t size, std::string name,
                                Thread *thread) {
  constexpr uint64_t mostBytes = uint64_t(1) << 28;
  if (size > mostBytes || numBytes > 2 * mostBytes) {
    stop("it uses much memory");
    size = 1;
  }
  // Each object also costs memory for its own data.
  constexpr uint64_t ofObject = 256;
  numBytes += size + ofObject;
  numSteps += size / 64;
  // No object may begin where another one ends.
  auto memory = std::make_unique<char[]>(size + 32);
  uint64_t begin = (reinterpret_cast<uint64_t>(memory.get()) + 15) / 16 * 16;
  FollowedObject &object = objects[begin];
  object = FollowedObject();
  object.begin = begin;
  object.size = std::max<uint64_t>(size, 1);
  object.name = std::move(name);
  object.memory = std::move(memory);
  object.stamp = ++numObjects;
  if (thread) {
    object.stack = thread->strand->stack;
    object.birth = thread->strand;
  }
  return begin;
}

/// Notes the end of an object as a write: no other thread may use it then.
void RehearsalRun::endOf(FollowedObject &object, Thread &thread) {
  for (const Cell &cell : object.cells)
    for (const FollowedAccess &access : cell.accesses)
      if (const Strand *owner = onStack(access.strand, object.stack);
          (!owner || owner == thread.strand) &&
          !isBefore(access.strand, thread.strand)) {
        doubt("a variable ends while others may use it");
        break;
      }
  numCells -= object.cells.size();
  object.cells.clear();
  object.grain = 0;
  object.birth = thread.strand;
}

void RehearsalRun::release(Thread &thread, uint64_t address,
                           const Instruction *place) {
  auto found = objects.find(address);
  if (found == objects.end())
    return;
  FollowedObject &object = found->second;
  if (object.isFreed)
    doubt("it frees memory twice");
  if (place)
    note(thread, object, object.begin, object.size, /*isWrite=*/true,
         /*isAtomic=*/false, isDoubtful(thread, {}), place);
  else
    endOf(object, thread);
  // Freed memory is kept, so that later uses do not find another object there.
  constexpr uint64_t mostFreed = uint64_t(1) << 26;
  constexpr uint64_t mostOfOne = uint64_t(1) << 20;
  bool isKept = isParallel(thread)
                    ? place || object.isPublished || object.isName
                    : place && freedBytes + object.size <= mostOfOne;
  if (isKept) {
    if (freedBytes + object.size <= mostFreed) {
      freedBytes += object.size;
      object.isFreed = true;
      return;
    }
    doubt("it frees much memory");
  }
  if (lastFound == &object)
    lastFound = nullptr;
  constexpr uint64_t ofObject = 256;
  numBytes -= std::min(numBytes, object.size + ofObject);
  numCells -= object.cells.size();
  numSteps += object.size / 64;
  objects.erase(found);
}

uint64_t RehearsalRun::globalOf(Thread &thread, const GlobalVariable &variable,
                                bool isThreads) {
  if (isThreads && (thread.team->numActive > 1 || thread.team->depth > 1))
    doubt("teams in teams use 'threadprivate' variables");
  if (isThreads && thread.number != 0) {
    auto [slot, isNew] = copies.try_emplace({&variable, thread.number}, 0);
    if (!isNew)
      return slot->second;
    uint64_t size = layout.getTypeAllocSize(variable.getValueType());
    uint64_t copy = allocate(size, variable.getName().str(), nullptr);
    slot->second = copy;
    objects[copy].thread = thread.number + 1;
    objects[copy].made = &variable;
    if (variable.hasInitializer())
      initialize(thread, copy, *variable.getInitializer());
    return copy;
  }
  auto found = globals.find(&variable);
  if (found != globals.end())
    return found->second;
  uint64_t size = layout.getTypeAllocSize(variable.getValueType());
  bool isForeign = !variable.hasInitializer();
  uint64_t begin = allocate(isForeign ? std::max<uint64_t>(size, 64) : size,
                            variable.getName().str(), nullptr);
  globals[&variable] = begin;
  FollowedObject &object = objects[begin];
  object.isConstant = variable.isConstant();
  object.isForeign = isForeign;
  if (variable.isThreadLocal()) {
    object.thread = 1;
    object.made = &variable;
  }
  if (!isForeign)
    initialize(thread, begin, *variable.getInitializer());
  return begin;
}

void RehearsalRun::initialize(Thread &thread, uint64_t address,
                              const Constant &value) {
  Type *type = value.getType();
  if (value.isNullValue() || isa<UndefValue>(value))
    return;
  if (const auto *data = dyn_cast<ConstantDataSequential>(&value)) {
    StringRef bytes = data->getRawDataValues();
    std::memcpy(reinterpret_cast<void *>(address), bytes.data(), bytes.size());
    return;
  }
  if (auto *record = dyn_cast<StructType>(type)) {
    for (unsigned i = 0; i != record->getNumElements(); ++i)
      initialize(thread,
                 address + layout.getStructLayout(record)->getElementOffset(i),
                 *value.getAggregateElement(i));
    return;
  }
  if (auto *array = dyn_cast<ArrayType>(type)) {
    uint64_t bytes = layout.getTypeAllocSize(array->getElementType());
    for (uint64_t i = 0; i != array->getNumElements(); ++i)
      initialize(thread, address + i * bytes, *value.getAggregateElement(i));
    return;
  }
  poke(address, constant(thread, value).bits,
       unsigned(layout.getTypeStoreSize(type)));
}

/// True if all of the bytes belong to the object.
static bool fits(const FollowedObject *object, uint64_t address,
                 uint64_t bytes) {
  return object && bytes <= object->size - (address - object->begin);
}

uint8_t RehearsalRun::dependsAt(uint64_t address, unsigned bytes) {
  const FollowedObject *object = find(address);
  uint8_t depends = None;
  if (fits(object, address, bytes) && !object->depends.empty())
    for (uint64_t i = 0; i != bytes; ++i)
      depends |= object->depends[address - object->begin + i];
  return depends;
}

Function *RehearsalRun::functionAt(uint64_t address) {
  return functions.lookup(address);
}

/// True if both addresses belong to one object; one of them may be its end.
bool RehearsalRun::areOfOne(uint64_t address, uint64_t other) {
  auto objectAt = [&](uint64_t at) {
    FollowedObject *object = find(at);
    return object ? object : find(at - 1);
  };
  return address == other ||
         (objectAt(address) && objectAt(address) == objectAt(other));
}

/// True if the object at the address has been freed.
bool RehearsalRun::isDangling(uint64_t address) {
  if (address == 0 || functionAt(address))
    return false;
  const FollowedObject *object = find(address);
  if (!object)
    object = find(address - 1);
  return object && object->isFreed;
}

uint64_t RehearsalRun::peek(uint64_t address, unsigned bytes) {
  uint64_t value = 0;
  FollowedObject *object = find(address);
  if (!fits(object, address, bytes))
    stop("it uses memory that it does not have");
  else
    std::memcpy(&value, reinterpret_cast<const void *>(address),
                std::min(bytes, 8u));
  return value;
}

void RehearsalRun::poke(uint64_t address, uint64_t value, unsigned bytes) {
  FollowedObject *object = find(address);
  if (!fits(object, address, bytes))
    stop("it uses memory that it does not have");
  else {
    std::memcpy(reinterpret_cast<void *>(address), &value, std::min(bytes, 8u));
    // Earlier accesses no longer matter.
    uint64_t offset = address - object->begin;
    for (uint64_t i = offset; object->grain && i < offset + bytes;
         i += object->grain)
      object->cells[i / object->grain] = {};
    for (uint64_t i = 0; !object->depends.empty() && i != bytes; ++i)
      object->depends[offset + i] = None;
  }
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// True if a load only serves to update the same place.
static bool isUpdate(const Instruction &place) {
  const auto *read = dyn_cast<LoadInst>(&place);
  const auto *made = read && read->hasOneUse()
                         ? dyn_cast<BinaryOperator>(*read->user_begin())
                         : nullptr;
  const auto *write = made && made->hasOneUse()
                          ? dyn_cast<StoreInst>(*made->user_begin())
                          : nullptr;
  return write && write->getPointerOperand() == read->getPointerOperand();
}

FollowedNumber RehearsalRun::load(Thread &thread, const FollowedNumber &address,
                                  Type *type, const Instruction *place,
                                  bool isAtomic) {
  uint64_t bytes = layout.getTypeStoreSize(type);
  FollowedObject *object = find(address.bits);
  if (!fits(object, address.bits, bytes) || bytes > 8) {
    stop(bytes > 8 ? "it uses numbers of unusual types"
                   : "it uses memory that it does not have");
    return {};
  }
  FollowedNumber value;
  std::memcpy(&value.bits, reinterpret_cast<const void *>(address.bits), bytes);
  if (address.depends & ~ByThread)
    doubt("what it uses depends on its input, or on the order of threads");
  bool isMine = isOwn(*object, thread.strand);
  bool isUpdated = isMine && isUpdatedOnly(*object);
  uint8_t noted =
      note(thread, *object, address.bits, bytes,
           /*isWrite=*/false, isAtomic, isDoubtful(thread, address), place);
  // Copies may be updated and joined in any order.
  if (thread.isJoining || (isUpdated && isUpdate(*place)))
    noted &= ~Order;
  value.depends |= noted;
  if (!object->depends.empty())
    for (uint64_t i = 0; i != bytes; ++i)
      value.depends |= object->depends[address.bits - object->begin + i];
  // Each thread reads its own last value, and so do its inner teams.
  bool isInner =
      !(value.depends & OwnNumber) && onStack(thread.strand, object->stack);
  if (!isMine && !isInner && (value.depends & (OwnNumber | ByThread)))
    value.depends = (value.depends & ~(OwnNumber | ByThread)) | Input | Order;
  // Each thread has a copy with its own results.
  if (thread.isJoining && !type->isPointerTy()) {
    if (isMine && (!isUpdated || object->isByThreads))
      value.depends |= Input;
    if (value.depends & Order)
      value.depends = (value.depends & ~Order) | Input;
  }
  value.depends |= address.depends;
  return value;
}

void RehearsalRun::store(Thread &thread, const FollowedNumber &address,
                         const FollowedNumber &value, Type *type,
                         const Instruction *place, bool isAtomic) {
  uint64_t bytes = layout.getTypeStoreSize(type);
  FollowedObject *object = find(address.bits);
  if (!fits(object, address.bits, bytes) || bytes > 8) {
    stop(bytes > 8 ? "it uses numbers of unusual types"
                   : "it uses memory that it does not have");
    return;
  }
  // Writers of equal values may run in any order.
  uint64_t offset = address.bits - object->begin;
  bool isSame = std::memcmp(reinterpret_cast<const void *>(address.bits),
                            &value.bits, bytes) == 0;
  for (uint64_t i = 0; !object->depends.empty() && i != bytes; ++i)
    isSame &= object->depends[offset + i] == None;
  std::memcpy(reinterpret_cast<void *>(address.bits), &value.bits, bytes);
  if (address.depends & ~ByThread)
    doubt("what it uses depends on its input, or on the order of threads");
  uint8_t mixed = note(thread, *object, address.bits, bytes, /*isWrite=*/true,
                       isAtomic, isDoubtful(thread, address), place);
  const auto *write = dyn_cast<StoreInst>(place);
  if (isParallel(thread) && isFixed(thread.strand) && write &&
      !isa<Constant>(write->getValueOperand()))
    object->isByThreads = true;
  uint8_t depends = value.depends | doubtOf(thread) | (isSame ? None : mixed);
  if (type->isPointerTy() || bytes == 8)
    publish(thread, *object, value.bits);
  depends = keptOf(thread, *object, depends);
  if (object->depends.empty() && depends == None)
    return;
  object->depends.resize(object->size);
  for (uint64_t i = 0; i != bytes; ++i)
    object->depends[address.bits - object->begin + i] = depends;
}

void RehearsalRun::copy(Thread &thread, const FollowedNumber &to,
                        const FollowedNumber &from, uint64_t bytes,
                        const Instruction *place) {
  if (bytes == 0)
    return;
  FollowedObject *source = find(from.bits);
  FollowedObject *target = find(to.bits);
  if (!fits(source, from.bits, bytes) || !fits(target, to.bits, bytes))
    return stop("it uses memory that it does not have");
  numSteps += bytes / 8;
  bool isOpen = isDoubtful(thread, to) || isDoubtful(thread, from);
  if ((to.depends | from.depends) & ~ByThread)
    doubt("what it uses depends on its input, or on the order of threads");
  uint8_t depends = note(thread, *source, from.bits, bytes, /*isWrite=*/false,
                         /*isAtomic=*/false, isOpen, place);
  depends |= note(thread, *target, to.bits, bytes, /*isWrite=*/true,
                  /*isAtomic=*/false, isOpen, place);
  for (uint64_t i = 0; i + 8 <= bytes; i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void *>(from.bits + i), 8);
    if (word)
      publish(thread, *target, word);
  }
  std::memmove(reinterpret_cast<void *>(to.bits),
               reinterpret_cast<const void *>(from.bits), bytes);
  depends |= doubtOf(thread);
  if (source->depends.empty() && target->depends.empty() && depends == None)
    return;
  source->depends.resize(source->size);
  target->depends.resize(target->size);
  std::vector<uint8_t> old(source->depends.begin() + from.bits - source->begin,
                           source->depends.begin() + from.bits - source->begin +
                               bytes);
  for (uint64_t i = 0; i != bytes; ++i)
    target->depends[to.bits - target->begin + i] =
        keptOf(thread, *target, old[i] | depends);
}

void RehearsalRun::fill(Thread &thread, const FollowedNumber &to,
                        const FollowedNumber &byte, uint64_t bytes,
                        const Instruction *place) {
  if (bytes == 0)
    return;
  FollowedObject *target = find(to.bits);
  if (!fits(target, to.bits, bytes))
    return stop("it uses memory that it does not have");
  if (to.depends & ~ByThread)
    doubt("what it uses depends on its input, or on the order of threads");
  numSteps += bytes / 8;
  uint8_t depends = madeOf(byte.depends) | doubtOf(thread) |
                    note(thread, *target, to.bits, bytes, /*isWrite=*/true,
                         /*isAtomic=*/false, isDoubtful(thread, to), place);
  std::memset(reinterpret_cast<void *>(to.bits), uint8_t(byte.bits), bytes);
  if (!target->depends.empty() || depends) {
    target->depends.resize(target->size);
    for (uint64_t i = 0; i != bytes; ++i)
      target->depends[to.bits - target->begin + i] = depends;
  }
}
