//===- RehearsalAccesses.cpp - Who uses which place in memory -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cell keeps the accesses that a later one may meet. An access is
// dropped if the later one would meet all that it meets.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

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

/// True if code uses a 'threadprivate' variable by its name.
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
  // Clang's copies for lanes are ordinary variables.
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
      // Code that uses the name gets the copy of its own thread.
      if (isUnsure && object.thread != 0 && isNamed(*access.place) &&
          isNamed(*other.place))
        isFree = true, isUnsure = false;
      if (isUnsure)
        doubt("which thread uses a variable depends on the order of threads");
      else if (!isFree)
        report(object, other, access);
    }
    // Clang keeps only the length of vectors, which may be less than the safe
    // length. Clang copies numbers for each lane.
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
      // Two accesses suffice: a later access that meets any other one also
      // meets one of these.
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
