//===- RehearsalValues.cpp - Values in other orders of threads ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rehearsal follows one order of the threads, and one thread for each
// iteration. A value that it reads is known only if it is the same in all other
// orders and for all threads that may read it.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

/// True if two accesses with one address use different memory: code that
/// several threads may run uses the memory of the thread that runs it.
bool RehearsalRun::isApart(const FollowedObject &object, const Strand *one,
                           const Strand *other, bool &isUnsure) const {
  // Clang's copies for lanes are ordinary variables.
  if (one->unit == Unit::Lane && other->unit == Unit::Lane &&
      one->phase == other->phase)
    return (object.stack != 0 && object.size <= mostOfNumber) ||
           isOfLane(object, *one) || isCopyOfLanes(object, *one);
  bool isBothOwn = isOwn(object, one) && isOwn(object, other);
  const Strand *first = onStack(one, object.stack);
  const Strand *second = onStack(other, object.stack);
  bool isBothInner =
      first && second && first != second && first->phase == second->phase;
  if (!isBothOwn && !isBothInner)
    return false;
  // Code on another thread may use this memory through its address.
  if (!object.isPublished || (isFixed(one) && isFixed(other)))
    return true;
  isUnsure = true;
  return false;
}

bool RehearsalRun::isOver(const Mark &mark, const Strand *strand) const {
  if (!mark.isWhole)
    return mark.strand == strand || isBefore(mark.strand, strand);
  const Strand *other = partingOf(mark.strand, strand).second;
  return other && other->phase != mark.strand->phase &&
         isBefore(mark.strand, strand);
}

void RehearsalRun::addMark(std::vector<Mark> &marks, const Mark &mark) {
  constexpr unsigned mostOfPhase = 3;
  constexpr size_t mostMarks = 48;
  auto isAlike = [&](const Mark &other) {
    return other.place == mark.place &&
           other.strand->phase == mark.strand->phase;
  };
  unsigned numAlike = 0;
  for (const Mark &other : marks) {
    if (!isAlike(other))
      continue;
    if (other.isWhole || other.strand == mark.strand)
      return;
    ++numAlike;
  }
  Mark added = mark;
  if (numAlike >= mostOfPhase) {
    llvm::erase_if(marks, isAlike);
    added.isWhole = true;
  }
  // Strands of inner teams are replaced by the strands around them.
  while (marks.size() >= mostMarks) {
    unsigned depth = 0;
    for (const Mark &other : marks)
      depth = std::max(depth, other.strand->phase->team->depth);
    if (depth == 0)
      return doubt("too many use the same memory");
    std::vector<Mark> fewer;
    for (Mark other : marks) {
      const FollowedTeam *team = other.strand->phase->team;
      if (team->depth == depth)
        other = {team->parent, other.place, /*isWhole=*/true};
      bool isKnown = any_of(fewer, [&](const Mark &kept) {
        return kept.isWhole && kept.place == other.place &&
               kept.strand->phase == other.strand->phase;
      });
      if (!isKnown)
        fewer.push_back(other);
    }
    marks = std::move(fewer);
  }
  marks.push_back(added);
}

/// Records which strands may be the last writer of a cell in some run, and
/// which may read it before or after. Returns the dependence of the value that
/// is read or written.
uint8_t RehearsalRun::noteMarks(Thread &thread, FollowedObject &object,
                                Cell &cell, const FollowedAccess &access) {
  Strand *strand = access.strand;
  bool isMine = isOwn(object, strand);
  auto isFree = [&](const Mark &mark) {
    bool isUnsure = false;
    return isOver(mark, strand) ||
           (!mark.isWhole && isApart(object, mark.strand, strand, isUnsure));
  };
  uint8_t depends = None;
  if (!access.isWrite) {
    for (const Mark &mark : cell.writers) {
      const Strand *writer = mark.strand;
      bool isLanes = strand->unit == Unit::Lane && writer->unit == Unit::Lane &&
                     writer->phase == strand->phase;
      if (writer == strand)
        continue;
      if (isLanes && isFree(mark)) {
        if (isOver(mark, strand) || StringRef(object.name).starts_with("."))
          continue;
        // The content of its copy depends on which iterations run at the same
        // time.
        if (isCopyOfLanes(object, *strand))
          depends |= Order;
        else
          doubt("iterations of a 'simd' loop pass on a number");
        continue;
      }
      bool isThreads = isMine && !object.isPublished && !mark.isWhole &&
                       isOwn(object, writer) && isFixed(writer);
      if (!isThreads && !isOver(mark, strand))
        depends |= Order;
    }
    if (thread.isJoining)
      return depends;
    if (depends)
      learnt.ordered.insert(access.place);
    if (!isMine || object.isPublished) {
      llvm::erase_if(cell.readers, [&](const Mark &mark) {
        return mark.place == access.place && !mark.isWhole &&
               isOver(mark, strand);
      });
      addMark(cell.readers, {strand, access.place});
    }
    return depends;
  }
  for (const Mark &mark : cell.readers)
    if (!isFree(mark))
      learnt.ordered.insert(mark.place);
  llvm::erase_if(cell.writers, isFree);
  // Copies may be joined in any order.
  if (!cell.writers.empty() && !thread.isJoining)
    depends = Order;
  addMark(cell.writers, {strand, nullptr});
  return depends;
}

/// An iteration, a 'single' or a task leaves its results in the memory of the
/// thread that runs it. So the values of this memory are unknown to other code.
uint8_t RehearsalRun::noteOwn(Thread &thread, const FollowedObject &object,
                              bool isWrite, const Strand *writer) {
  if (!object.made || StringRef(object.name).starts_with(".") ||
      !isOwn(object, thread.strand))
    return None;
  const Strand *unit = unitOf(thread.strand);
  if (unit->unit == Unit::Task)
    return None;
  if (isWrite) {
    bool isOlder = !object.birth || unitOf(object.birth) != unit;
    if (unit->unit != Unit::Thread && isOlder)
      learnt.moved.insert(object.made);
    if (thread.numNamed != 0 && object.stamp <= thread.namedSince)
      learnt.differing.insert(object.made);
    return None;
  }
  uint8_t depends = None;
  bool isUnits = unit->unit != Unit::Thread &&
                 ((writer && unitOf(writer) == unit) ||
                  (object.birth && unitOf(object.birth) == unit));
  if (!isUnits && learnt.moved.count(object.made))
    depends |= Order;
  if (learnt.differing.count(object.made))
    depends |= isFixed(thread.strand) ? ByThread : (isUnits ? None : Order);
  return depends;
}

uint8_t RehearsalRun::keptOf(const Thread &thread, const FollowedObject &object,
                             uint8_t depends) const {
  if (isOwn(object, thread.strand))
    return depends;
  // Other threads read this thread's value, not their own.
  if (depends & OwnNumber)
    depends |= Input;
  return depends & ~(OwnNumber | ByThread);
}

/// If a value is an address, notes that other threads may learn it.
void RehearsalRun::publish(const Thread &thread, const FollowedObject &target,
                           uint64_t value) {
  FollowedObject *last = lastFound;
  FollowedObject *object = find(value);
  lastFound = last;
  if (!object || object->isPublished ||
      (object->stack == 0 && object->home == 0 && object->thread == 0))
    return;
  bool isSame =
      object->stack != 0 || object->home != 0
          ? (target.stack | target.home) == (object->stack | object->home) &&
                !target.isPublished
          : isOwn(target, thread.strand) && !target.isPublished &&
                object->thread == thread.strand->thread;
  // Code of an inner team gets addresses of outer variables.
  bool isInner = target.stack != 0 && target.stack == thread.strand->stack &&
                 onStack(thread.strand, object->stack);
  if (!isSame && !isInner)
    object->isPublished = true;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The operation of an update, if its results do not depend on the order.
static std::optional<unsigned> operationOf(const BinaryOperator &update,
                                           const LoadInst &read) {
  const auto *other = dyn_cast<LoadInst>(
      update.getOperand(update.getOperand(0) == &read ? 1 : 0));
  bool isTwice =
      other && other->getPointerOperand() == read.getPointerOperand();
  if (!update.getType()->isIntegerTy() || !update.hasOneUse() || isTwice)
    return std::nullopt;
  switch (update.getOpcode()) {
  case Instruction::Sub:
    if (update.getOperand(0) != &read)
      return std::nullopt;
    return Instruction::Add;
  case Instruction::Add:
  case Instruction::Mul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return update.getOpcode();
  default:
    return std::nullopt;
  }
}

/// True if a variable is a thread's copy of a number that is only updated, by
/// one operation. Then results do not depend on which thread makes which
/// update.
bool RehearsalRun::isUpdatedOnly(const FollowedObject &object) {
  const auto *copy = dyn_cast_or_null<AllocaInst>(object.made);
  if (!copy)
    return false;
  auto [known, isNew] = updatedOnly.try_emplace(copy, false);
  if (!isNew)
    return known->second;
  std::set<unsigned> operations;
  unsigned numStarts = 0;
  for (const User *user : copy->users()) {
    if (const auto *call = dyn_cast<IntrinsicInst>(user);
        call && call->isLifetimeStartOrEnd())
      continue;
    if (const auto *write = dyn_cast<StoreInst>(user)) {
      const Value *value = write->getValueOperand();
      if (value == copy) {
        const Value *list = write->getPointerOperand();
        if (const auto *part = dyn_cast<GEPOperator>(list))
          list = part->getPointerOperand();
        if (!list->getName().starts_with(".omp.reduction."))
          return false;
        continue;
      }
      const auto *update = dyn_cast<BinaryOperator>(value);
      bool isUpdate = update && any_of(update->operands(), [&](const Use &use) {
                        const auto *read = dyn_cast<LoadInst>(use.get());
                        return read && read->getPointerOperand() == copy;
                      });
      numStarts += isa<ConstantInt>(value);
      if ((!isa<ConstantInt>(value) && !isUpdate) || numStarts > 1)
        return false;
      continue;
    }
    const auto *read = dyn_cast<LoadInst>(user);
    if (!read || !read->hasOneUse())
      return false;
    const User *use = *read->user_begin();
    if (const auto *update = dyn_cast<BinaryOperator>(use)) {
      std::optional<unsigned> operation = operationOf(*update, *read);
      if (!operation || !isa<StoreInst>(*update->user_begin()))
        return false;
      const auto *write = cast<StoreInst>(*update->user_begin());
      // Only the join may store the value elsewhere.
      const auto *first = dyn_cast<LoadInst>(update->getOperand(0));
      if (write->getValueOperand() != update ||
          (write->getPointerOperand() != copy &&
           (!first || first == read ||
            first->getPointerOperand() != write->getPointerOperand())))
        return false;
      operations.insert(*operation);
    } else if (!isa<AtomicRMWInst>(use) && !isa<AtomicCmpXchgInst>(use)) {
      return false;
    }
  }
  return updatedOnly[copy] = operations.size() == 1;
}
