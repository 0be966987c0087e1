//===- Tracker.cpp - What memory the graphs may use -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges are keyed by their start and never overlap, so the range that holds
// an address is the last one that does not start behind it.
//
// A user that is the only one is merely noted, and registered when others come.
//
// Uses are kept by address, whether the memory is tracked or not. That of users
// who order memory which is not tracked is known only while they are in flight:
// the host may free it, and use its addresses for other data, as soon as they
// have ended.
//
//===----------------------------------------------------------------------===//

#include "Tracker.h"

#include "MemoryCopies.h"

#include "sluice-c/Plan.h"
#include "sluice/Base/Text.h"

#include <algorithm>

using namespace sluice;

std::string sluice::rangeText(uintptr_t start, uint64_t size) {
  return concat(countOf(size, "byte", "bytes"), " at ",
                reinterpret_cast<const void *>(start));
}

Status sluice::unknownPointer(uintptr_t address, std::string_view verb) {
  return Status::invalidArgument(concat("cannot ", verb, " memory at ",
                                        reinterpret_cast<const void *>(address),
                                        ": it is not tracked"));
}

MemoryTracker::RangeMap::iterator MemoryTracker::find(uintptr_t address) {
  auto next = ranges.upper_bound(address);
  if (next == ranges.begin())
    return ranges.end();
  auto range = std::prev(next);
  return address - range->first < range->second.size ? range : ranges.end();
}

MemoryTracker::RangeMap::iterator MemoryTracker::findOverlap(uintptr_t start,
                                                             uint64_t size) {
  if (auto range = find(start); range != ranges.end())
    return range;
  auto next = ranges.lower_bound(start);
  bool overlaps = next != ranges.end() && next->first - start < size;
  return overlaps ? next : ranges.end();
}

Status MemoryTracker::track(const void *pointer, uint64_t size) {
  auto start = reinterpret_cast<uintptr_t>(pointer);
  if (!pointer)
    return Status::invalidArgument(concat(
        "cannot track ", countOf(size, "byte", "bytes"), " at a null pointer"));
  if (size == 0)
    return Status::invalidArgument(
        concat("cannot track memory at ", pointer, ": its size is 0"));
  if (start + size < start)
    return Status::invalidArgument(concat("cannot track ",
                                          rangeText(start, size),
                                          ": it exceeds the address space"));
  std::lock_guard lock(mutex);
  auto other = findOverlap(start, size);
  if (other == ranges.end()) {
    auto *host = const_cast<void *>(pointer);
    ranges[start] = {size, MemoryCopies::create(host, size, &numPlaced)};
    ++numChanges;
    count.store(ranges.size(), std::memory_order_release);
    return {};
  }
  if (other->first == start && other->second.size == size)
    return Status::invalidArgument(
        concat(rangeText(start, size),
               " is tracked already; untrack memory before it is freed"));
  return Status::invalidArgument(concat(
      "cannot track ", rangeText(start, size), ": it overlaps the tracked ",
      rangeText(other->first, other->second.size),
      "; untrack memory before it is freed"));
}

/// The range that starts at `pointer`, if nobody uses it.
Result<MemoryTracker::RangeMap::iterator>
MemoryTracker::findUnused(const void *pointer) {
  registerSole();
  auto address = reinterpret_cast<uintptr_t>(pointer);
  auto range = find(address);
  if (range == ranges.end())
    return unknownPointer(address, "untrack");
  if (range->first != address)
    return Status::invalidArgument(
        concat("cannot untrack memory at ", pointer, ": it lies ",
               countOf(address - range->first, "byte", "bytes"),
               " inside of the tracked ",
               rangeText(range->first, range->second.size)));
  if (const MemoryUser *user =
          uses.findUser(address, address + range->second.size))
    return Status::misuse(concat(
        "cannot untrack ", rangeText(address, range->second.size), ": graph ",
        quoted(user->name), " is using it; wait for it first"));
  return range;
}

Status MemoryTracker::untrack(const void *pointer) {
  if (!pointer)
    return Status::invalidArgument("cannot untrack a null pointer");
  while (true) {
    // Waiting and freeing happen after the lock was released.
    std::shared_ptr<MemoryCopies> copies;
    RangeMap::node_type removed;
    {
      std::lock_guard lock(mutex);
      Result<RangeMap::iterator> range = findUnused(pointer);
      if (!range.ok())
        return range.takeStatus();
      copies = (*range)->second.copies;
      if (copies->isHome()) {
        removed = ranges.extract(*range);
        ++numChanges;
        count.store(ranges.size(), std::memory_order_release);
        return {};
      }
    }
    if (Status status =
            copies->useOnHost({"", copies->all(), SLUICE_ACCESS_IN});
        !status.ok())
      return status;
    copies->waitForAll();
  }
}

Status MemoryTracker::drop(const void *pointer) {
  if (!pointer)
    return Status::invalidArgument("cannot untrack a null pointer");
  // Waiting and freeing happen after the lock was released.
  std::shared_ptr<MemoryCopies> copies;
  RangeMap::node_type removed;
  {
    std::lock_guard lock(mutex);
    Result<RangeMap::iterator> range = findUnused(pointer);
    if (!range.ok())
      return range.takeStatus();
    copies = (*range)->second.copies;
    removed = ranges.extract(*range);
    ++numChanges;
    count.store(ranges.size(), std::memory_order_release);
  }
  // Some of it may be on its way here.
  copies->waitForAll();
  return {};
}

void MemoryTracker::forget(const void *pointer) {
  RangeMap::node_type removed;
  std::lock_guard lock(mutex);
  removed = ranges.extract(reinterpret_cast<uintptr_t>(pointer));
  ++numChanges;
  count.store(ranges.size(), std::memory_order_release);
}

void MemoryTracker::addDevicesOf(MemoryTracker &other) {
  std::vector<DevicePlace *> found;
  {
    std::lock_guard lock(other.mutex);
    found = other.devices;
  }
  std::lock_guard lock(mutex);
  devices = std::move(found);
}

bool MemoryTracker::isTracked(const void *pointer) {
  std::lock_guard lock(mutex);
  return find(reinterpret_cast<uintptr_t>(pointer)) != ranges.end();
}

uint64_t MemoryTracker::bytesBehind(const void *pointer) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  std::lock_guard lock(mutex);
  auto range = find(address);
  return range == ranges.end() ? 0
                               : range->second.size - (address - range->first);
}

Status MemoryTracker::checkRequest(const void *pointer, uint64_t size) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  if (!pointer)
    return Status::invalidArgument(concat("cannot request ",
                                          countOf(size, "byte", "bytes"),
                                          " at a null pointer"));
  if (size == 0)
    return Status::invalidArgument(
        concat("cannot request memory at ", pointer, ": the size is 0"));
  std::lock_guard lock(mutex);
  auto range = find(address);
  if (range == ranges.end())
    return unknownPointer(address, "request");
  uint64_t available = range->second.size - (address - range->first);
  if (size > available)
    return Status::invalidArgument(
        concat("cannot request ", rangeText(address, size), ": only ",
               available, " of the tracked ",
               rangeText(range->first, range->second.size), " lie behind it"));
  return {};
}

Status MemoryTracker::bringHome(const void *pointer, uint64_t size,
                                HostUse use) {
  uint32_t access = use == HostUse::Read
                        ? uint32_t(SLUICE_ACCESS_IN)
                        : uint32_t(SLUICE_ACCESS_IN) | SLUICE_ACCESS_OUT;
  MemoryAccess memory = {"", reinterpret_cast<uintptr_t>(pointer), size, true,
                         true};
  return useOnHost(memory, access);
}

/// The first address behind the bytes.
static uintptr_t endOf(uintptr_t start, uint64_t size) {
  return start + std::min<uint64_t>(size, UINTPTR_MAX - start);
}

bool MemoryTracker::isBeingWritten(const void *pointer, uint64_t size,
                                   std::vector<MemoryUser *> &heldBack) {
  std::lock_guard lock(mutex);
  registerSole();
  auto start = reinterpret_cast<uintptr_t>(pointer);
  bool isWritten = false;
  uses.visitWriters(start, endOf(start, size), [&](MemoryUser &user) {
    isWritten |= !user.isOpenStream;
    if (user.isHeldBack.load(std::memory_order_relaxed))
      heldBack.push_back(&user);
  });
  return isWritten;
}

/// An argument may be untracked, but then all of it.
Status MemoryTracker::checkUntracked(const MemoryUser &user,
                                     const MemoryAccess &access) {
  if (!access.sizeKnown || !access.size)
    return {};
  auto range = findOverlap(access.start, access.size);
  if (range == ranges.end())
    return {};
  return Status::invalidArgument(concat(
      "argument ", quoted(access.name), " of graph ", quoted(user.name), " is ",
      rangeText(access.start, access.size), ", of which only a part from byte ",
      range->first - access.start, " on is tracked, as ",
      rangeText(range->first, range->second.size), "; track all of it"));
}

/// Whether an access may be an error, which checkAccess finds.
bool MemoryTracker::needsCheck(const MemoryAccess &access,
                               RangeMap::iterator range) {
  if (range == ranges.end())
    return access.sizeKnown;
  uint64_t available = range->second.size - (access.start - range->first);
  return numOpenStreams != 0 || (access.sizeKnown && access.size > available);
}

Status MemoryTracker::checkAccess(const MemoryUser &user,
                                  const MemoryAccess &access,
                                  RangeMap::iterator range) {
  if (range == ranges.end())
    return checkUntracked(user, access);
  uint64_t available = range->second.size - (access.start - range->first);
  if (access.sizeKnown && access.size > available)
    return Status::invalidArgument(
        concat("argument ", quoted(access.name), " of graph ",
               quoted(user.name), " is ", rangeText(access.start, access.size),
               ", but only ", available, " of the tracked ",
               rangeText(range->first, range->second.size), " lie behind it"));
  const MemoryUser *stream = nullptr;
  auto find = [&](const MemoryUser &other) {
    if (other.isOpenStream && other.family != user.family)
      stream = &other;
  };
  ByteRange bytes = bytesOf(user, access, range);
  uses.visitWriters(bytes.begin, bytes.end, find);
  if (access.writes)
    uses.visitReaders(bytes.begin, bytes.end, find);
  if (!stream)
    return {};
  return Status::misuse(
      concat("argument ", quoted(access.name), " of graph ", quoted(user.name),
             " conflicts with the open stream ", quoted(stream->name),
             " over the tracked ", rangeText(range->first, range->second.size),
             "; wait for the stream first"));
}

/// The addresses that an access uses; none if nothing orders them.
ByteRange MemoryTracker::bytesOf(const MemoryUser &user,
                                 const MemoryAccess &access,
                                 RangeMap::iterator range) {
  bool isTracked = range != ranges.end();
  if (isTracked && (user.usesWholeObjects || !access.sizeKnown))
    return {range->first, range->first + range->second.size};
  if (!access.sizeKnown || !(isTracked || user.ordersUntracked))
    return {0, 0};
  return {access.start, endOf(access.start, access.size)};
}

MemoryAccess MemoryTracker::named(const char *name, bool writes) {
  std::lock_guard lock(mutex);
  const char &byte = names[name];
  return {name, reinterpret_cast<uintptr_t>(&byte), 1, true, writes};
}

void MemoryTracker::registerSole() {
  if (!sole)
    return;
  for (const MemoryClaim &claim : sole->claims)
    uses.add(*sole, claim.first, claim.end, claim.writes);
  sole = nullptr;
}

/// For a member of a family that uses nothing but tracked memory, which nobody
/// outside of the family uses. False: nothing was claimed, it may be otherwise.
bool MemoryTracker::claimBesideFamily(MemoryUser &user,
                                      std::span<const MemoryAccess> accesses) {
  if (!user.family || user.isOpenStream || user.usesWholeObjects ||
      user.waits || sole)
    return false;
  for (const MemoryAccess &access : accesses) {
    auto range = find(access.start);
    if (range == ranges.end() || !access.sizeKnown ||
        access.size > range->second.size - (access.start - range->first) ||
        uses.wouldWait(user, access.start, access.start + access.size,
                       access.writes))
      return false;
  }
  // Bytes of several objects are kept apart: see settleUnused.
  for (const MemoryAccess &access : accesses) {
    const uintptr_t end = access.start + access.size;
    if (find(access.start)->first == access.start)
      uses.add(user, access.start, end, access.writes);
    else
      uses.addFree(user, access.start, end, access.writes);
  }
  user.holdsMemory = user.uses;
  return true;
}

/// This counts whole launches and items before they start, not predecessors of
/// nodes: their order follows from pointers that only this call knows. The
/// executor counts the predecessors of nodes (PendingCount).
Result<bool> MemoryTracker::claim(MemoryUser &user,
                                  std::span<const MemoryAccess> accesses,
                                  bool mayWait) {
  std::lock_guard lock(mutex);
  if (ranges.empty() && !user.ordersUntracked)
    return true;
  if (claimBesideFamily(user, accesses))
    return true;
  user.claims.clear();
  user.numChanges = 0;
  bool usesAny = false;
  for (const MemoryAccess &access : accesses) {
    auto range = find(access.start);
    if (needsCheck(access, range))
      if (Status status = checkAccess(user, access, range); !status.ok())
        return status;
    ByteRange bytes = bytesOf(user, access, range);
    user.claims.push_back({bytes.begin, bytes.end, access.writes});
    usesAny |= !bytes.isEmpty();
  }
  if (!usesAny)
    user.claims.clear();
  if (!user.family && !user.isOpenStream) {
    user.numChanges = numChanges;
    if (!usesAny || makeSole(user))
      return true;
  }
  registerSole();
  for (const MemoryClaim &claim : user.claims)
    if (!mayWait && uses.wouldWait(user, claim.first, claim.end, claim.writes))
      return false;
  for (const MemoryClaim &claim : user.claims)
    uses.add(user, claim.first, claim.end, claim.writes);
  user.holdsMemory = user.uses;
  numOpenStreams += user.isOpenStream && user.holdsMemory;
  if (user.waits == 0)
    return true;
  numWaiting.fetch_add(1, std::memory_order_release);
  return false;
}

/// The users of these addresses have ended well: if nobody uses the objects, no
/// kernel will turn out to have failed.
void MemoryTracker::settleUnused(std::span<const uintptr_t> addresses) {
  for (uintptr_t address : addresses)
    if (auto range = find(address);
        range != ranges.end() &&
        !uses.findUser(range->first, range->first + range->second.size))
      range->second.copies->settle();
}

bool MemoryTracker::releaseAmongOthers(MemoryUser &user, Worker *worker) {
  user.holdsMemory = false;
  std::vector<MemoryUser *> ready;
  {
    std::lock_guard lock(mutex);
    registerSole();
    std::vector<uintptr_t> left;
    if (anyOnDevices())
      left = uses.addressesOf(user);
    uses.end(user, ready);
    numOpenStreams -= user.isOpenStream;
    settleUnused(left);
    if (!ready.empty())
      numWaiting.fetch_sub(static_cast<uint32_t>(ready.size()),
                           std::memory_order_release);
  }
  for (MemoryUser *dependent : ready)
    dependent->memoryReady(worker);
  return true;
}

size_t MemoryTracker::numRanges() {
  std::lock_guard lock(mutex);
  return ranges.size();
}
