//===- Checker.cpp - Finds violations of a graph's declarations -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares each access with its node's arguments and with earlier accesses to
// the same bytes.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

#include "../Execution/KernelCall.h"

#include "sluice-c/Reductions.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <link.h>

using namespace sluice;

/// Maximum number of reported similar accesses to the same bytes; further ones
/// add no information.
static constexpr unsigned maxSimilar = 3;
/// Maximum number of accesses kept per granule.
static constexpr size_t maxEntries = 64;

static thread_local Checker *currentChecker = nullptr;

Checker *Checker::current() { return currentChecker; }

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

void Checker::begin(const SluicePlan &newPlan, const unsigned char *frame) {
  Work work(*this);
  plan = &newPlan;
  ranges.clear();
  allocations.clear();
  copies.clear();
  for (uint32_t i = 0; i < plan->numArguments; ++i) {
    const SluicePlanArgument &argument = plan->arguments[i];
    if (!(argument.flags & SLUICE_PORT_POINTER) ||
        argument.sizeArgument == SLUICE_NO_INDEX)
      continue;
    Range range = {&argument, 0, 0};
    std::memcpy(&range.start, frame + argument.frameOffset, sizeof(uintptr_t));
    std::memcpy(&range.size,
                frame + plan->arguments[argument.sizeArgument].frameOffset,
                sizeof(uint64_t));
    if (range.start && range.size)
      ranges.push_back(range);
  }
  order.begin(*plan);
  report.begin(*plan);
  assumptions.clear();
  locks.clear();
  vouched.clear();
  pending.clear();
  shadow.clear();
  threadLocals.clear();
  wasStopped = false;
  stackTop = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  currentChecker = this;
}

Status Checker::end(Status status) {
  currentChecker = nullptr;
  settleWrites();
  if (report.isEmpty())
    return status;
  Status found = report.status();
  if (status.ok() || wasStopped)
    return found;
  return Status::error(
      StatusCode::NodeFailed,
      concat(found.message(), "\nsluice: error: ", status.message()));
}

void Checker::beginLeaf(const SluiceCheckLeaf &leaf, const int64_t *numbers) {
  Work work(*this);
  currentInstance = {order.addExecution(currentNode, leaf, numbers), 0, 0};
}

void Checker::setInstance(uint64_t instance, uint64_t phase) {
  currentInstance.index = instance;
  currentInstance.phase = static_cast<uint32_t>(phase);
  order.addBarriers(currentInstance);
}

void Checker::allocated(const void *pointer, uint64_t size) {
  Work work(*this);
  auto start = reinterpret_cast<uintptr_t>(pointer);
  allocations[start] = size;
  shadow.clear(start, size);
}

void Checker::standFor(CheckRange copy, uintptr_t memory) {
  Work work(*this);
  if (copy.start != copy.end)
    copies[copy.start] = {copy.end - copy.start, memory};
}

/// The copy that contains `address`, or null.
const std::pair<const uintptr_t, Checker::Copy> *
Checker::findCopy(uintptr_t address) const {
  auto next = copies.upper_bound(address);
  if (next == copies.begin())
    return nullptr;
  const auto &copy = *std::prev(next);
  return address - copy.first < copy.second.size ? &copy : nullptr;
}

void Checker::renewed(const void *pointer, uint64_t size) {
  // Ignores memory that the checker itself allocates.
  if (!isAtWork)
    shadow.clear(reinterpret_cast<uintptr_t>(pointer), size);
}

void Checker::freed(const void *pointer) {
  Work work(*this);
  auto found = allocations.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == allocations.end())
    return;
  shadow.clear(found->first, found->second);
  allocations.erase(found);
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

const Checker::Range *Checker::findRange(uintptr_t address) const {
  for (const Range &range : ranges)
    if (address - range.start < range.size)
      return &range;
  return nullptr;
}

/// Adds the range of thread-local variables of a library or of the program.
static int addThreadLocals(dl_phdr_info *info, size_t size, void *ranges) {
  for (int i = 0; i != info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_TLS && info->dlpi_tls_data) {
      auto start = reinterpret_cast<uintptr_t>(info->dlpi_tls_data);
      static_cast<std::vector<CheckRange> *>(ranges)->push_back(
          {start, start + info->dlpi_phdr[i].p_memsz});
    }
  return 0;
}

bool Checker::isThreadLocal(uintptr_t address) {
  if (threadLocals.empty())
    dl_iterate_phdr(addThreadLocals, &threadLocals);
  return std::any_of(threadLocals.begin(), threadLocals.end(),
                     [&](const CheckRange &range) {
                       return range.start <= address && address < range.end;
                     });
}

/// Whether the address is on the stack of kernels (a leaf's own variables; if
/// they were moved to the heap, each instance has its own), or thread-local,
/// such as `errno`.
bool Checker::isPrivate(uintptr_t address) {
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return (here <= address && address < stackTop) || isThreadLocal(address);
}

/// The bytes of an access in its first granule.
static uint8_t firstMask(uintptr_t start, uint64_t size) {
  uint64_t some = std::min<uint64_t>(size, Shadow::granuleSize);
  return Shadow::maskOf(start, start + some);
}

CheckFindings::Place Checker::placeOf(const Access &access, uintptr_t where,
                                      uint8_t mask) const {
  CheckFindings::Place place = {};
  place.site = &access.site;
  place.instance = access.instance;
  place.size = access.size;
  uintptr_t base = access.base;
  switch (access.site.objectKind) {
  case SLUICE_CHECK_ARGUMENT:
    place.object = quoted(access.site.object);
    break;
  case SLUICE_CHECK_GLOBAL:
    place.object = concat("global ", quoted(access.site.object));
    break;
  case SLUICE_CHECK_ALLOCATION:
    place.object = "allocated memory";
    break;
  default:
    if (const Range *range = findRange(access.start)) {
      place.object = concat("argument ", quoted(range->argument->name),
                            " of graph ", quoted(plan->name));
      base = range->start;
      break;
    }
    place.object = "memory that is no argument of the node";
    auto next = allocations.upper_bound(access.start);
    if (next == allocations.begin())
      break;
    --next;
    if (access.start - next->first < next->second) {
      place.object = "allocated memory";
      base = next->first;
    }
  }
  place.offsetKnown = base != 0;
  uintptr_t first = access.start;
  if (access.site.kind & SLUICE_CHECK_COPY) {
    // For a large block, the relevant bytes.
    uintptr_t granule = where - where % Shadow::granuleSize;
    first = granule + std::countr_zero(mask);
    place.size = granule + std::bit_width(mask) - first;
  }
  place.offset = static_cast<int64_t>(first - base);
  return place;
}

/// Whether an access reads bytes that the graph has not written. Copies may
/// read the padding of structures: only granules without a written byte count.
bool Checker::isUnwritten(const Access &access, uintptr_t &where,
                          uint8_t &mask) {
  uintptr_t end = access.start + access.size;
  bool isCopy = access.site.kind & SLUICE_CHECK_COPY;
  for (where = access.start; where < end;
       where += Shadow::granuleSize - where % Shadow::granuleSize) {
    mask = Shadow::maskOf(where, end);
    uint8_t written = shadow.at(where).written;
    if (isCopy ? (mask == 0xff || access.size < Shadow::granuleSize) &&
                     !(written & mask)
               : (written & mask) != mask)
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void Checker::access(const SluiceCheckSite &site, const void *address,
                     uint64_t size, uint64_t instance, uint64_t phase,
                     const void *base, uint64_t extent) {
  if (!size)
    return;
  Work work(*this);
  settleWrites();
  Access access = {site, reinterpret_cast<uintptr_t>(address), size,
                   currentInstance, reinterpret_cast<uintptr_t>(base)};
  if (instance != SLUICE_CHECK_CURRENT) {
    access.instance.index = instance;
    access.instance.phase = static_cast<uint32_t>(phase);
  }
  // An access to a copy is reported as an access to the original memory.
  if (const auto *copy = findCopy(base ? access.base : access.start)) {
    access.isReduction = true;
    uintptr_t distance = copy->second.memory - copy->first;
    access.start += distance;
    if (base) {
      extent = copy->second.size - (access.base - copy->first);
      access.base += distance;
    }
  }
  uint64_t offset = access.start - access.base;
  if (extent != UINT64_MAX && (offset > extent || size > extent - offset)) {
    report.outside(placeOf(access, access.start, firstMask(access.start, size)),
                   extent);
    wasStopped = true;
    throw KernelFailure{"an access outside of its object"};
  }
  const Range *range = findRange(access.start);
  if (site.objectKind == SLUICE_CHECK_UNKNOWN && !range &&
      isPrivate(access.start))
    return;
  checkAttributes(access, range);
  checkRaces(access);
}

void Checker::assume(const SluiceCheckSite &site, uint64_t instance,
                     uint64_t phase, CheckRange a, CheckRange b) {
  Work work(*this);
  CheckInstance speaker = currentInstance;
  speaker.index = instance;
  speaker.phase = static_cast<uint32_t>(phase);
  const SluiceCheckLeaf &leaf = *order.execution(speaker.execution).leaf;
  std::optional<CheckAssumptions::Violation> violation =
      assumptions.add(site, leaf, speaker, a, b);
  if (!violation)
    return;
  auto [start, end] = violation->bytes;
  Access access = {site, start, end - start, speaker, 0};
  report.assumption(placeOf(access, start, firstMask(start, access.size)),
                    violation->other);
}

void Checker::vouch(CheckRange memory) {
  Work work(*this);
  vouched.add(*order.execution(currentInstance.execution).leaf, memory);
}

void Checker::turn(uint64_t instance, const void *lock, uint32_t turn) {
  Work work(*this);
  CheckInstance owner = currentInstance;
  if (instance != SLUICE_CHECK_CURRENT)
    owner.index = instance;
  locks.note(owner, reinterpret_cast<uintptr_t>(lock), turn);
}

bool Checker::isVouched(uint32_t execution, uintptr_t address) const {
  return vouched.contains(*order.execution(execution).leaf, address);
}

/// Checks that bytes written under sluice_assume_ordered have kept their value.
void Checker::settleWrites() {
  for (const PendingWrite &write : pending)
    if (std::memcmp(write.before.data(),
                    reinterpret_cast<const void *>(write.start),
                    write.before.size()) != 0)
      report.otherValue(write.place, *write.otherSite, write.other);
  pending.clear();
}

/// Reports two unordered instances that use the same bytes, at least one of
/// them writing.
void Checker::checkConflict(const Access &access, const ShadowEntry &entry,
                            const ShadowEntry &fresh, uintptr_t where) {
  if (locks.haveCommon(entry.locks, fresh.locks))
    return;
  uint8_t mask = entry.mask & fresh.mask;
  CheckInstance other = {entry.execution, entry.phase, entry.instance};
  uintptr_t granule = where - where % Shadow::granuleSize;
  uintptr_t start = granule + std::countr_zero(mask);
  if (!isVouched(entry.execution, start) ||
      !isVouched(fresh.execution, start)) {
    report.race(placeOf(access, where, mask), *entry.site, other,
                order.compare(other, access.instance));
    return;
  }
  if (!entry.writes() || !fresh.writes())
    return;
  auto *bytes = reinterpret_cast<const unsigned char *>(start);
  size_t size = granule + std::bit_width(mask) - start;
  pending.push_back({placeOf(access, where, mask),
                     other,
                     entry.site,
                     start,
                     {bytes, bytes + size}});
}

/// Reports an access that violates the attributes of node or graph.
void Checker::checkAttributes(const Access &access, const Range *range) {
  uint32_t nodeAccess = access.site.objectKind == SLUICE_CHECK_ARGUMENT
                            ? access.site.access
                            : uint32_t(SLUICE_ACCESS_NONE);
  uint32_t graphAccess =
      range ? range->argument->access : uint32_t(SLUICE_ACCESS_NONE);
  if (access.site.kind & SLUICE_CHECK_WRITE) {
    bool ofNode = nodeAccess == SLUICE_ACCESS_IN;
    if (ofNode || graphAccess == SLUICE_ACCESS_IN)
      report.writeToInput(
          placeOf(access, access.start, firstMask(access.start, access.size)),
          !ofNode);
  }
  bool ofNode = nodeAccess == SLUICE_ACCESS_OUT;
  uintptr_t where;
  uint8_t mask;
  const bool isTemporary =
      range && range->argument->flags & SLUICE_PORT_TEMPORARY;
  if (!(access.site.kind & SLUICE_CHECK_READ) ||
      (!ofNode && !isTemporary && graphAccess != SLUICE_ACCESS_OUT) ||
      !isUnwritten(access, where, mask))
    return;
  if (isTemporary && !ofNode)
    report.readOfTemporary(placeOf(access, where, mask));
  else
    report.readOfOutput(placeOf(access, where, mask), !ofNode);
}

void Checker::checkRaces(const Access &access) {
  uintptr_t end = access.start + access.size;
  for (uintptr_t where = access.start; where < end;
       where += Shadow::granuleSize - where % Shadow::granuleSize) {
    ShadowGranule &granule = shadow.at(where);
    uint8_t mask = Shadow::maskOf(where, end);
    checkGranule(access, granule, mask, where);
    if (access.site.kind & SLUICE_CHECK_WRITE)
      granule.written |= mask;
  }
}

/// Whether everything that conflicts with `old` also conflicts with `fresh`.
static bool covers(const ShadowEntry &fresh, const ShadowEntry &old) {
  return (fresh.kind == old.kind || (fresh.writes() && !fresh.isAtomic())) &&
         CheckLocks::isPartOf(fresh.locks, old.locks);
}

static bool isRepeated(const ShadowEntry &old, const ShadowEntry &fresh) {
  return old.instance == fresh.instance && old.execution == fresh.execution &&
         old.phase == fresh.phase && old.kind == fresh.kind &&
         old.locks == fresh.locks && (old.mask & fresh.mask) == fresh.mask;
}

static bool conflict(const ShadowEntry &a, const ShadowEntry &b) {
  return (a.writes() || b.writes()) && !(a.isAtomic() && b.isAtomic());
}

void Checker::checkGranule(const Access &access, ShadowGranule &granule,
                           uint8_t mask, uintptr_t where) {
  const ShadowEntry fresh = {
      access.instance.index,
      &access.site,
      access.instance.execution,
      access.instance.phase,
      locks.heldBy(access.instance),
      mask,
      static_cast<uint8_t>(
          (access.site.kind & ~uint32_t(SLUICE_CHECK_COPY)) |
          (access.isReduction ? uint32_t(SLUICE_CHECK_ATOMIC) : 0))};
  std::vector<ShadowEntry> &entries = granule.entries;
  // The same instance made the same access, with no other access in between.
  if (!entries.empty() && isRepeated(entries.back(), fresh))
    return;
  size_t kept = 0, lastSimilar = 0;
  unsigned numSimilar = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    ShadowEntry &entry = entries[i];
    if (entry.mask & mask) {
      CheckInstance other = {entry.execution, entry.phase, entry.instance};
      if (order.isOrdered(other, access.instance)) {
        if (covers(fresh, entry))
          entry.mask &= ~mask;
        if (!entry.mask)
          continue;
      } else {
        if (conflict(entry, fresh))
          checkConflict(access, entry, fresh, where);
        if (entry.kind == fresh.kind && entry.mask == mask &&
            entry.locks == fresh.locks &&
            order.execution(entry.execution).node == currentNode) {
          ++numSimilar;
          lastSimilar = kept;
        }
      }
    }
    if (kept != i)
      entries[kept] = entry;
    ++kept;
  }
  entries.resize(kept);
  // Other instances wait until a static is initialised.
  if (locks.isInitializing(access.instance))
    return;
  if (numSimilar >= maxSimilar)
    entries[lastSimilar] = fresh;
  else if (kept == maxEntries)
    entries.back() = fresh;
  else
    entries.push_back(fresh);
}

//===----------------------------------------------------------------------===//
// Calls of instrumented code
//===----------------------------------------------------------------------===//

void sluiceCheckLeaf(const SluiceInvocation *invocation,
                     const SluiceCheckLeaf *leaf, const int64_t *numbers) {
  if (Checker *checker = Checker::current())
    checker->beginLeaf(*leaf, numbers);
}

void sluiceCheckInstance(uint64_t instance, uint64_t phase) {
  if (Checker *checker = Checker::current())
    checker->setInstance(instance, phase);
}

void sluiceCheckAccess(const SluiceCheckSite *site, const void *address,
                       uint64_t size, uint64_t instance, uint64_t phase,
                       const void *base, uint64_t extent) {
  if (Checker *checker = Checker::current())
    checker->access(*site, address, size, instance, phase, base, extent);
}

void sluiceCheckOrdered(const SluiceCheckSite *site, uint64_t instance,
                        const void *memory, uint64_t size) {
  auto first = reinterpret_cast<uintptr_t>(memory);
  if (Checker *checker = Checker::current())
    checker->vouch({first, first + std::min(size, UINTPTR_MAX - first)});
}

void sluiceCheckReduction(const void *copy, const void *memory, uint64_t size) {
  auto first = reinterpret_cast<uintptr_t>(copy);
  if (Checker *checker = Checker::current())
    checker->standFor({first, first + size},
                      reinterpret_cast<uintptr_t>(memory));
}

void sluiceCheckTurn(const void *lock, uint32_t turn, uint64_t instance) {
  if (Checker *checker = Checker::current())
    checker->turn(instance, lock, turn);
}

void sluiceCheckNewMemory(const void *address, uint64_t size) {
  if (Checker *checker = Checker::current())
    checker->renewed(address, size);
}

void sluiceCheckDisjoint(const SluiceCheckSite *site, uint64_t instance,
                         uint64_t phase, const void *a, uint64_t aSize,
                         const void *b, uint64_t bSize) {
  auto range = [](const void *start, uint64_t size) {
    auto first = reinterpret_cast<uintptr_t>(start);
    return CheckRange{first, first + std::min(size, UINTPTR_MAX - first)};
  };
  if (Checker *checker = Checker::current())
    checker->assume(*site, instance, phase, range(a, aSize), range(b, bSize));
}
