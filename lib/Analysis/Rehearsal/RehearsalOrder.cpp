//===- RehearsalOrder.cpp - What comes before what ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strands are parts of threads, iterations and tasks. Only OpenMP's rules order
// them. Locks exclude, but do not order.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

Phase *RehearsalRun::newPhase(FollowedTeam *team) {
  return &phases.emplace_back(Phase{.team = team});
}

Strand *RehearsalRun::newStrand(Phase *phase, const Thread &thread, Unit unit) {
  constexpr size_t mostStrands = 2000000;
  if (strands.size() > mostStrands)
    stop("it has too many iterations and tasks");
  Strand &strand = strands.emplace_back();
  strand.origin = &strand;
  strand.phase = phase;
  strand.index = phase->numStrands++;
  strand.unit = unit;
  strand.stack = thread.stack;
  strand.thread = thread.number + 1;
  strand.isCrossed = thread.isCrossed;
  return &strand;
}

static void addBefore(Strand &strand, const Strand &other) {
  if (other.phase != strand.phase)
    return;
  constexpr unsigned spare = 1;
  if (strand.before.size() <= std::max(other.index, other.before.size()))
    strand.before.resize(std::max(other.index, other.before.size()) + spare);
  strand.before |= other.before;
  strand.before.set(other.index);
}

void RehearsalRun::split(Thread &thread, ArrayRef<Strand *> others) {
  Strand *old = thread.strand;
  Strand *next = newStrand(old->phase, thread, old->unit);
  next->construct = old->construct;
  next->iteration = old->iteration;
  next->numIterations = old->numIterations;
  next->sharing = old->sharing;
  next->isSharingSaid = old->isSharingSaid;
  next->chunk = old->chunk;
  next->length = old->length;
  next->stack = old->stack;
  next->thread = old->thread;
  next->origin = old->origin;
  addBefore(*next, *old);
  for (const Strand *other : others)
    addBefore(*next, *other);
  constexpr uint64_t mostBits = uint64_t(3) << 30;
  numBits += next->before.size();
  if (numBits > mostBits)
    stop("it has too many tasks");
  if (thread.own == old)
    thread.own = next;
  thread.strand = next;
}

std::pair<const Strand *, const Strand *>
RehearsalRun::partingOf(const Strand *one, const Strand *other) const {
  while (one != other) {
    const FollowedTeam *left = one->phase->team, *right = other->phase->team;
    if (left == right)
      break;
    if (left->depth >= right->depth)
      one = left->parent;
    if (right->depth >= left->depth)
      other = right->parent;
    if (!one || !other)
      return {nullptr, nullptr};
  }
  return {one, other};
}

bool RehearsalRun::isBefore(const Strand *first, const Strand *second) const {
  auto [one, other] = partingOf(first, second);
  if (one == other || one->phase != other->phase)
    return true;
  if (isFar(one, other))
    return true;
  if (one->isSharingSaid && other->isSharingSaid && isSharedAlike(*one, *other))
    return true;
  return one->index < other->before.size() && other->before.test(one->index);
}

bool RehearsalRun::isSharedAlike(const Strand &one, const Strand &other) {
  auto chunkOf = [](const Strand &strand) {
    constexpr uint64_t ofChunks = 33;
    bool isOfChunks = (strand.sharing & 0xff) == ofChunks;
    return strand.iteration /
           std::max<int64_t>(isOfChunks ? int64_t(strand.sharing >> 8) : 1, 1);
  };
  return one.sharing != 0 && one.sharing == other.sharing &&
         one.construct != other.construct && chunkOf(one) == chunkOf(other) &&
         one.numIterations == other.numIterations;
}

bool RehearsalRun::mayShareChunk(const Strand &one, const Strand &other) {
  if (one.unit != Unit::Iteration || other.unit != Unit::Iteration ||
      one.construct != other.construct || one.phase != other.phase)
    return false;
  int64_t chunk = one.chunk;
  if (chunk < 0)
    return one.iteration < -chunk && other.iteration < -chunk;
  return chunk == 0 || one.iteration / chunk == other.iteration / chunk;
}

bool RehearsalRun::isUnpromised(const Strand *first,
                                const Strand *second) const {
  auto [one, other] = partingOf(first, second);
  if (!one || one == other)
    return false;
  const Phase *phase = other->phase;
  while (phase != one->phase && phase->unpromised)
    phase = phase->unpromised;
  if (phase != one->phase || phase == other->phase)
    return false;
  // The code of one thread is ordered.
  bool isOneThreads = one->unit == Unit::Thread &&
                      other->unit == Unit::Thread &&
                      one->thread == other->thread;
  return !isOneThreads && !(one->isSharingSaid && other->isSharingSaid &&
                            isSharedAlike(*one, *other));
}

bool RehearsalRun::isLastOfFirst(const Thread &thread, const Cell &cell,
                                 const FollowedAccess &access,
                                 const FollowedAccess &other) const {
  const Phase *phase = partingOf(other.strand, access.strand).second->phase;
  if (!access.isWrite || none_of(thread.frames, [](const Frame &frame) {
        return frame.lastUntil.has_value();
      }))
    return false;
  // Accesses of a thread before it loads the first value have ended, too.
  return any_of(cell.accesses, [&](const FollowedAccess &one) {
    const DebugLoc &place = one.place->getDebugLoc();
    return !one.isWrite && phase->scope && place &&
           place->getScope() == phase->scope;
  });
}

bool RehearsalRun::isFar(const Strand *first, const Strand *second) const {
  auto [one, other] = partingOf(first, second);
  if (!one || one == other || one->phase != other->phase)
    return false;
  int64_t safeLength = one->phase->team->safeLength;
  return safeLength != 0 && other->iteration - one->iteration >= safeLength;
}

bool RehearsalRun::isParallel(const Thread &thread) const {
  return thread.strand->phase->team->isParallel;
}

bool RehearsalRun::exclude(const FollowedAccess &one,
                           const FollowedAccess &other) const {
  if (one.locks == 0 || other.locks == 0)
    return false;
  const Strand *strand = partingOf(one.strand, other.strand).first;
  if (!strand)
    return false;
  const FollowedTeam &team = *strand->phase->team;
  return any_of(lockSets[one.locks], [&](uint64_t lock) {
    return (!team.isLeague || (lock & joins)) &&
           !is_contained(lockSets[team.locks], lock) &&
           is_contained(lockSets[other.locks], lock);
  });
}

bool RehearsalRun::isWithin(unsigned locks, unsigned others) const {
  return locks == others || all_of(lockSets[locks], [&](uint64_t lock) {
           return is_contained(lockSets[others], lock);
         });
}

void RehearsalRun::setLocks(Thread &thread) {
  std::vector<uint64_t> locks = thread.locks;
  llvm::sort(locks);
  auto found = find_if(lockSets, [&](const auto &set) { return set == locks; });
  thread.lockSet = found - lockSets.begin();
  if (found == lockSets.end())
    lockSets.push_back(std::move(locks));
}
