//===- RehearsalMemory.cpp - Who uses which place in memory ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cell keeps the accesses that a later one may meet. An access goes if the
// later one would meet all that it meets.
//
//===----------------------------------------------------------------------===//

#include "RehearsalState.h"

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
  // Variables count, too, as all of them have what belongs to them.
  constexpr uint64_t ofObject = 256;
  numBytes += size + ofObject;
  numSteps += size / 64;
  // Nothing may begin where something else ends.
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

/// Nobody else may use memory that ends.
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
  // Who still uses it must not find something else in its place.
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

/// Whether bytes of an object are all there.
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

/// One of the two may be the end of the memory.
bool RehearsalRun::areOfOne(uint64_t address, uint64_t other) {
  auto objectAt = [&](uint64_t at) {
    FollowedObject *object = find(at);
    return object ? object : find(at - 1);
  };
  return address == other ||
         (objectAt(address) && objectAt(address) == objectAt(other));
}

/// Whether memory was there, and is no more.
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
    // What was there before is of no interest.
    uint64_t offset = address - object->begin;
    for (uint64_t i = offset; object->grain && i < offset + bytes;
         i += object->grain)
      object->cells[i / object->grain] = {};
    for (uint64_t i = 0; !object->depends.empty() && i != bytes; ++i)
      object->depends[offset + i] = None;
  }
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// All cells have the same size: that of the smallest access.
void RehearsalRun::setGrain(FollowedObject &object, uint64_t offset,
                            uint64_t bytes) {
  unsigned grain = object.grain ? object.grain : 8;
  while (grain > 1 && (offset % grain != 0 || bytes % grain != 0))
    grain /= 2;
  if (grain == object.grain)
    return;
  // Each cell has a list of its own.
  constexpr uint64_t mostCells = uint64_t(1) << 23;
  uint64_t number = (object.size + grain - 1) / grain;
  if (numCells + number > mostCells)
    return stop("it uses much memory");
  numCells += number - object.cells.size();
  std::vector<Cell> cells(number);
  if (object.grain)
    for (size_t i = 0; i != cells.size(); ++i)
      cells[i] = object.cells[i * grain / object.grain];
  object.cells = std::move(cells);
  object.grain = grain;
}

uint8_t RehearsalRun::note(Thread &thread, FollowedObject &object,
                           uint64_t address, uint64_t bytes, bool isWrite,
                           bool isAtomic, bool isDoubtful,
                           const Instruction *place) {
  if (object.isFreed)
    doubt("it uses memory that is freed");
  if (object.isForeign) {
    StringRef name = object.name;
    if (isWrite || !isOutput(name))
      doubt("it uses variables that are elsewhere");
    return Input;
  }
  if (object.isConstant || !isParallel(thread) || bytes == 0)
    return None;
  if (object.copies)
    noteCopies(object, address - object.begin, bytes, isWrite);
  if (isWrite && !isAtomic && isBesideJoin(thread, object))
    doubt("the join of a reduction changes other variables");
  uint8_t depends = None;
  if (object.grain == 0)
    depends |= noteOwn(thread, object, isWrite, nullptr);
  if (object.birth == thread.strand && object.grain == 0)
    return depends;
  uint64_t offset = address - object.begin;
  setGrain(object, offset, bytes);
  if (isStopped)
    return None;
  FollowedAccess access{.strand = thread.strand,
                        .place = place,
                        .locks = thread.lockSet,
                        .isWrite = isWrite,
                        .isAtomic = isAtomic,
                        .isDoubtful = isDoubtful || thread.team->isDoubtful};
  if (!isWrite && learnt.ordered.count(place) && !isOwn(object, thread.strand))
    depends |= Order;
  for (uint64_t at = offset; at < offset + bytes; at += object.grain) {
    Cell &cell = object.cells[at / object.grain];
    depends |= noteOwn(thread, object, isWrite, cell.writer);
    depends |= noteCell(thread, object, cell, access);
  }
  return depends;
}

void RehearsalRun::noteCopies(FollowedObject &object, uint64_t offset,
                              uint64_t bytes, bool isWrite) {
  constexpr uint64_t begin = 72;
  LoopCopies &copies = *object.copies;
  for (uint64_t at = std::max(offset, begin);
       at < std::min<uint64_t>(offset + bytes, object.written.size()); ++at) {
    if (isWrite) {
      object.written.set(at);
      copies.written.set(at);
    } else if (!object.written.test(at)) {
      copies.read.set(at);
    }
    if (copies.written.test(at) && copies.read.test(at))
      doubt("which iterations a task of a loop takes is not known");
  }
}

bool RehearsalRun::isBesideJoin(Thread &thread, const FollowedObject &object) {
  if (!thread.isJoining || thread.frames.size() <= thread.joinDepth ||
      isOwn(object, thread.strand) ||
      (object.birth && object.stack == thread.strand->stack))
    return false;
  const Frame &inner = thread.frames[thread.joinDepth];
  return none_of(inner.function->args(), [&](const Argument &argument) {
    auto found = inner.values.find(&argument);
    return argument.getType()->isPointerTy() && found != inner.values.end() &&
           found->second.bits - object.begin < object.size;
  });
}

/// Whether a 'threadprivate' variable is used by its name.
static bool isNamed(const Instruction &place) {
  const Value *pointer = getLoadStorePointerOperand(&place);
  if (const auto *part = dyn_cast_or_null<GEPOperator>(pointer))
    pointer = part->getPointerOperand();
  const auto *copy = dyn_cast_or_null<IntrinsicInst>(pointer);
  return copy && copy->getIntrinsicID() == Intrinsic::threadlocal_address;
}

uint8_t RehearsalRun::noteCell(Thread &thread, FollowedObject &object,
                               Cell &cell, const FollowedAccess &access) {
  Strand *strand = access.strand;
  // Clang's own copies for lanes are variables like others.
  bool isNumber = object.stack != 0 && object.size <= mostOfNumber;
  uint8_t depends = noteMarks(thread, object, cell, access);
  bool isKept = true;
  SmallVector<const Strand *, 4> alike;
  for (size_t i = 0; i != cell.accesses.size();) {
    const FollowedAccess &other = cell.accesses[i];
    bool isSame = other.strand == strand;
    bool isOrdered = isSame || isBefore(other.strand, strand);
    bool isUnsaid =
        hasUnpromised && isOrdered && isUnpromised(other.strand, strand);
    if (isUnsaid && (access.isWrite || other.isWrite) &&
        !(access.isAtomic && other.isAtomic) && !exclude(access, other)) {
      bool isUnsure = false;
      if (!isApart(object, other.strand, strand, isUnsure) &&
          !isLastOfFirst(thread, cell, access, other))
        doubt("whether threads wait before a loop with first and last values "
              "is not known");
    }
    if (!isOrdered && (access.isWrite || other.isWrite) &&
        !(access.isAtomic && other.isAtomic) && !exclude(access, other)) {
      bool isUnsure = false;
      bool isFree = isApart(object, other.strand, strand, isUnsure);
      // By its name, each thread gets its own copy.
      if (isUnsure && object.thread != 0 && isNamed(*access.place) &&
          isNamed(*other.place))
        isFree = true, isUnsure = false;
      if (isUnsure)
        doubt("which thread uses a variable depends on the order of threads");
      else if (!isFree)
        report(object, other, access);
    }
    // What clang says is the length of vectors, which may be shorter than what
    // is safe. It has numbers of its own, which it copies.
    bool isOfLanes = strand->unit == Unit::Lane && strand->phase->team->loop &&
                     other.strand->unit == Unit::Lane &&
                     other.strand->phase == strand->phase;
    if (isOfLanes && !isSame && (access.isWrite || other.isWrite)) {
      bool isOwnOfLane = isOfLane(object, *strand) ||
                         isCopyOfLanes(object, *strand) ||
                         StringRef(object.name).starts_with(".");
      if (!isOwnOfLane && isNumber)
        doubt("iterations of a 'simd' loop change the same number");
      else if (!isOwnOfLane && !isNumber &&
               !strand->phase->team->loop->isLengthSaid &&
               isFar(other.strand, strand))
        doubt("how many iterations of a 'simd' loop may be run at once is not "
              "known");
    }
    if (isSame && isWithin(other.locks, access.locks) &&
        (other.isWrite || !access.isWrite) &&
        (!other.isAtomic || access.isAtomic) && !other.isDoubtful) {
      isKept = false;
    } else if (isOrdered && !isUnsaid && !access.isDoubtful &&
               isWithin(access.locks, other.locks) &&
               (access.isWrite || !other.isWrite) &&
               (!access.isAtomic || other.isAtomic)) {
      cell.accesses[i] = cell.accesses.back();
      cell.accesses.pop_back();
      continue;
    } else if (other.isWrite == access.isWrite &&
               other.isAtomic == access.isAtomic &&
               other.locks == access.locks && !other.isDoubtful &&
               other.strand != strand) {
      // Whatever comes later meets one of two, if it meets any of the others.
      auto [one, here] = partingOf(other.strand, strand);
      bool isAlike = one && one != here && one->construct != 0 &&
                     one->construct == here->construct &&
                     one->phase == here->phase && one->unit == here->unit &&
                     !here->isCrossed && one->before == here->before &&
                     !is_contained(alike, one);
      if (isAlike)
        alike.push_back(one);
    }
    ++i;
  }
  bool hasTwo = any_of(alike, [&](const Strand *one) {
    return count_if(alike, [&](const Strand *two) {
             return one->phase == two->phase &&
                    one->construct == two->construct;
           }) >= 2;
  });
  if (isKept && !hasTwo) {
    constexpr size_t mostKept = 100;
    if (cell.accesses.size() < mostKept)
      cell.accesses.push_back(access);
    else
      doubt("too many use the same memory");
  }
  if (access.isWrite)
    cell.writer = strand;
  return depends;
}

/// Whether what is read is used for nothing but to write the same place.
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
  // In which order copies are updated and joined does not matter.
  if (thread.isJoining || (isUpdated && isUpdate(*place)))
    noted &= ~Order;
  value.depends |= noted;
  if (!object->depends.empty())
    for (uint64_t i = 0; i != bytes; ++i)
      value.depends |= object->depends[address.bits - object->begin + i];
  // Each thread has what it had last, and its inner teams have that, too.
  bool isInner =
      !(value.depends & OwnNumber) && onStack(thread.strand, object->stack);
  if (!isMine && !isInner && (value.depends & (OwnNumber | ByThread)))
    value.depends = (value.depends & ~(OwnNumber | ByThread)) | Input | Order;
  // There are as many copies as there are threads, and each has what its thread
  // has done.
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
  // Writers of the same value may come in any order.
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
