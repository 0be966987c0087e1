//===- Tracker.h - The memory that graphs may use -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host programs tell the runtime which memory their graphs use. The tracker
// knows these ranges, where each is valid, and which launches use them. It
// detects wrong sizes, and orders launches that would race by the bytes that
// they use (Order/MemoryUses.h).
//
//
// Room: the memory of programs. Contains its users and their order (the
// tracker), the location and validity of copies (places, validity), and
// transfers (staging, packing of strided parts). May include Base, Pack, Device
// and the locks of Scheduling; passes on workers without using them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_TRACKER_H
#define SLUICE_RUNTIME_MEMORY_TRACKER_H

#include "../Scheduling/OwnedMutex.h"
#include "Order/MemoryUses.h"
#include "Places.h"

#include "sluice/Base/Status.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sluice {

class DevicePlace;
class MemoryCopies;

/// "16 bytes at 0x1000", for messages.
std::string rangeText(uintptr_t start, uint64_t size);
/// An error for memory that is not tracked.
Status unknownPointer(uintptr_t address, std::string_view verb);

/// How a host program may use memory that it requested.
enum class HostUse {
  Read,
  ReadWrite ///< makes copies elsewhere stale
};

/// Any thread may call the functions.
class MemoryTracker {
public:
  /// Starts tracking; the host has the content.
  Status track(const void *pointer, uint64_t size);
  /// Stops tracking and frees the copies on devices. First fetches data that
  /// only a device has: the host's memory then has the same content as if the
  /// graph had run on the host.
  Status untrack(const void *pointer);
  /// The same for memory that is about to be freed: data that only a device has
  /// is lost.
  Status drop(const void *pointer);
  /// The same for memory that nobody uses.
  void forget(const void *pointer);
  bool isTracked(const void *pointer);
  /// The number of bytes from there to the end of its object; 0 if it is in no
  /// object.
  uint64_t bytesBehind(const void *pointer);
  /// Checks a host program's request for `size` bytes at `pointer`.
  Status checkRequest(const void *pointer, uint64_t size);
  /// Makes the host's memory valid, for a checked request. No other thread may
  /// write the range meanwhile.
  Status bringHome(const void *pointer, uint64_t size, HostUse use);

  /// The same for listed bytes of one object: ranges of addresses, sorted and
  /// disjoint, all within a checked request.
  Status bringPartsHome(std::vector<ByteRange> addresses, HostUse use);
  /// Makes such bytes valid on a device before a node requests them.
  Status sendParts(MemoryPlace place, std::vector<ByteRange> addresses);

  /// Adds a place, which must live as long as the tracker; at most 63.
  MemoryPlace addDevice(DevicePlace &device);
  /// Adds the places of another tracker, under the same numbers.
  void addDevicesOf(MemoryTracker &other);

  // For nodes on devices. `access` is SluiceAccess; memory of unknown size
  // counts as the whole object, read and written. Ranges of one kernel may
  // overlap. Errors leave nothing pinned and no memory less valid.

  /// Makes memory that a user has acquired usable at a place: enqueues the
  /// required transfers, appends the events for which the kernel must wait, and
  /// pins the memory until `enqueued` or `notEnqueued`. StatusCode::Exhausted
  /// means that the device has no room for it, even without all memory that no
  /// kernel uses. Blocks only if bytes come from another device or room must be
  /// made.
  Result<PlacedMemory> prepare(MemoryPlace place, const MemoryAccess &memory,
                               uint32_t access,
                               std::vector<device::Event> &after);
  /// The kernel was enqueued and ends with `end`.
  void enqueued(MemoryPlace place, const MemoryAccess &memory, uint32_t access,
                device::Event end);
  /// The kernel was not enqueued.
  void notEnqueued(MemoryPlace place, const MemoryAccess &memory,
                   uint32_t access);
  /// An enqueued kernel has ended with an error: the memory that it should have
  /// written gets back its previous content, if another place has it.
  void failed(MemoryPlace place, const MemoryAccess &memory, uint32_t access);
  /// Makes memory usable on the host, for a node there. Blocks until it is
  /// usable; if the access writes, copies elsewhere become stale. Does nothing
  /// for memory that is not tracked.
  Status useOnHost(const MemoryAccess &memory, uint32_t access);
  /// Begins to fetch the bytes of the memory that the host lacks. The event is
  /// only for the host, not for queues; see DevicePlace::notifyFetches.
  Result<device::Event> beginFetchHome(const MemoryAccess &memory);
  /// The transfers and allocations of a device's memory; all 0 for other
  /// places.
  MemoryCounters counters(MemoryPlace place);
  /// Whether any tracked memory has a copy on a device; takes no lock.
  bool anyOnDevices() const {
    return numPlaced.load(std::memory_order_relaxed) != 0;
  }
  /// The state of the copy at a place, of the object that contains `pointer`,
  /// or of `size` bytes at `pointer`.
  MemoryValidity validity(const void *pointer, MemoryPlace place,
                          uint64_t size = 0);

  /// Whether a registered user still waits for others; takes no lock.
  bool anyWaits() const {
    return numWaiting.load(std::memory_order_acquire) != 0;
  }
  /// Whether a launch or item in flight writes any of `size` bytes at
  /// `pointer`. Adds those that are held back to `heldBack`.
  bool isBeingWritten(const void *pointer, uint64_t size,
                      std::vector<MemoryUser *> &heldBack);

  /// Registers a user of the accessed bytes; an access of unknown size uses its
  /// whole object. True: the user may start; false: `memoryReady` will be
  /// called. An error registers nothing.
  Result<bool> acquire(MemoryUser &user,
                       std::span<const MemoryAccess> accesses) {
    return claim(user, accesses, /*mayWait=*/true);
  }
  /// The same, but if the user would have to wait, registers nothing and
  /// returns false.
  Result<bool> tryAcquire(MemoryUser &user,
                          std::span<const MemoryAccess> accesses) {
    return claim(user, accesses, /*mayWait=*/false);
  }
  /// Registers the same bytes as at the last successful acquisition of this
  /// user, by the same accesses. True: it may start; false registers nothing:
  /// another user uses memory, or the tracked memory has changed.
  [[gnu::always_inline]] bool acquireAgain(MemoryUser &user) {
    if (user.numChanges == MemoryUser::whileNoneIsTracked)
      return isEmpty();
    std::lock_guard lock(mutex);
    return user.numChanges == numChanges &&
           (user.claims.empty() || makeSole(user));
  }
  /// Ends a use. Calls `memoryReady` for the users that waited only for it.
  /// Returns true if the user had any tracked memory.
  [[gnu::always_inline]] bool release(MemoryUser &user, Worker *worker) {
    return user.holdsMemory &&
           (releaseSole(user) || releaseAmongOthers(user, worker));
  }

  size_t numRanges();
  /// Whether nothing is tracked; a hint that takes no lock.
  bool isEmpty() const { return count.load(std::memory_order_acquire) == 0; }
  /// A byte that represents memory without a known address, a global of leaf
  /// code, in accesses. Equal names result in the same byte.
  MemoryAccess named(const char *name, bool writes);

private:
  struct Range {
    uint64_t size;
    /// Shared with transfers in progress.
    std::shared_ptr<MemoryCopies> copies;
  };
  using RangeMap = std::map<uintptr_t, Range>;

  /// A part of an object.
  struct Found;

  Result<bool> claim(MemoryUser &user, std::span<const MemoryAccess> accesses,
                     bool mayWait);
  RangeMap::iterator find(uintptr_t address);
  Result<RangeMap::iterator> findUnused(const void *pointer);
  Result<Found> findPieces(MemoryPlace place, std::vector<ByteRange> &addresses,
                           uint32_t access);
  Result<Found> findPart(MemoryPlace place, const MemoryAccess &memory,
                         uint32_t access);
  RangeMap::iterator findOverlap(uintptr_t start, uint64_t size);
  Status checkUntracked(const MemoryUser &user, const MemoryAccess &access);
  bool needsCheck(const MemoryAccess &access, RangeMap::iterator range);
  Status checkAccess(const MemoryUser &user, const MemoryAccess &access,
                     RangeMap::iterator range);
  ByteRange bytesOf(const MemoryUser &user, const MemoryAccess &access,
                    RangeMap::iterator range);
  bool claimBesideFamily(MemoryUser &user,
                         std::span<const MemoryAccess> accesses);
  void settleUnused(std::span<const uintptr_t> addresses);
  bool makeSole(MemoryUser &user);
  bool releaseSole(MemoryUser &user);
  bool releaseAmongOthers(MemoryUser &user, Worker *worker);
  void registerSole();

  /// Must outlive the ranges.
  std::atomic<size_t> numPlaced{0};
  /// Most programs launch, and run cheap work, in one thread.
  OwnedMutex mutex;
  RangeMap ranges;
  MemoryUses uses;
  /// The only user of memory, if it is stored here and not in `uses`: most
  /// launches end before others look.
  MemoryUser *sole = nullptr;
  /// The number of changes of `ranges`, plus 1.
  uint64_t numChanges = 1;
  /// Number of open streams that hold memory.
  uint32_t numOpenStreams = 0;
  std::map<std::string, char> names;
  /// All places except the host.
  std::vector<DevicePlace *> devices;
  std::atomic<size_t> count{0};
  std::atomic<uint32_t> numWaiting{0};
};

// Every launch calls these functions.

/// If nobody else uses memory, this user is not registered yet. Returns false
/// if somebody does.
[[gnu::always_inline]] inline bool MemoryTracker::makeSole(MemoryUser &user) {
  if (sole || !uses.isEmpty() || numOpenStreams)
    return false;
  sole = &user;
  user.holdsMemory = true;
  return true;
}

/// Ends the use of a user that remained the only one.
[[gnu::always_inline]] inline bool
MemoryTracker::releaseSole(MemoryUser &user) {
  if (anyOnDevices())
    return false;
  std::lock_guard lock(mutex);
  if (sole != &user)
    return false;
  sole = nullptr;
  user.holdsMemory = false;
  return true;
}

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_TRACKER_H
