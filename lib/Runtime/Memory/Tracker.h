//===- Tracker.h - What memory the graphs may use -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host programs tell the runtime which memory their graphs use. The tracker
// knows these ranges, where each is valid, and which launches use them; it
// finds wrong sizes and orders launches that would race, by the bytes that they
// use (Order/MemoryUses.h).
//
//
// Room: the memory of programs. Who uses it and in which order (the tracker),
// where its copies are and how valid (places, validity), and how bytes move
// there (transfers, staging, packing of strided parts). May include Base, Pack,
// Device and the locks of Scheduling; knows a worker only as a name that it
// hands on.
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
/// An error: memory that is not tracked.
Status unknownPointer(uintptr_t address, std::string_view verb);

/// What a host program may do with memory that it requested.
enum class HostUse {
  Read,
  ReadWrite ///< copies elsewhere count as old from now on
};

/// All functions may be called from any thread.
class MemoryTracker {
public:
  /// Starts tracking; the content is the host's.
  Status track(const void *pointer, uint64_t size);
  /// Stops tracking and frees the copies on devices. Data that only a device
  /// has is fetched first: the host's memory then has the same content as if
  /// the graph had run there.
  Status untrack(const void *pointer);
  /// The same for memory that is to be freed: data that only a device has is
  /// lost.
  Status drop(const void *pointer);
  /// The same for memory that nobody uses.
  void forget(const void *pointer);
  bool isTracked(const void *pointer);
  /// From there to the end of its object; 0 if it is in none.
  uint64_t bytesBehind(const void *pointer);
  /// Checks a host program's request for `size` bytes at `pointer`.
  Status checkRequest(const void *pointer, uint64_t size);
  /// Makes the host's memory valid, for a request that was checked. No other
  /// thread may write the range meanwhile.
  Status bringHome(const void *pointer, uint64_t size, HostUse use);

  /// The same for listed bytes of one object: ranges of addresses, in order
  /// and apart, all within a request that was checked.
  Status bringPartsHome(std::vector<ByteRange> addresses, HostUse use);
  /// Makes such bytes valid at a device before a node asks for them.
  Status sendParts(MemoryPlace place, std::vector<ByteRange> addresses);

  /// Adds a place, which must live as long as the tracker; at most 63.
  MemoryPlace addDevice(DevicePlace &device);
  /// Adds the places of another tracker, under the same numbers.
  void addDevicesOf(MemoryTracker &other);

  // For nodes on devices. `access` is SluiceAccess; memory whose size is not
  // known counts as all of its object, read and written. Ranges of one kernel
  // may overlap. Errors leave nothing pinned and no memory less valid.

  /// Makes memory that a user has acquired usable at a place: enqueues the
  /// transfers that are needed, appends the events that the kernel has to wait
  /// for, and pins the memory until `enqueued` or `notEnqueued`. An error with
  /// StatusCode::Exhausted: the device has no room for it, even without all
  /// memory that no kernel uses. Blocks only where bytes come from another
  /// device or room must be made.
  Result<PlacedMemory> prepare(MemoryPlace place, const MemoryAccess &memory,
                               uint32_t access,
                               std::vector<device::Event> &after);
  /// The kernel was enqueued and ends with `end`.
  void enqueued(MemoryPlace place, const MemoryAccess &memory, uint32_t access,
                device::Event end);
  /// The kernel was not enqueued.
  void notEnqueued(MemoryPlace place, const MemoryAccess &memory,
                   uint32_t access);
  /// A kernel that was enqueued has ended with an error: the memory it should
  /// have written has its former content again, if another place has that.
  void failed(MemoryPlace place, const MemoryAccess &memory, uint32_t access);
  /// Makes memory usable on the host, for a node there. Blocks until it is;
  /// if the access writes, copies elsewhere count as old from now on. Does
  /// nothing with memory that is not tracked.
  Status useOnHost(const MemoryAccess &memory, uint32_t access);
  /// Begins to fetch the bytes that the host lacks of the memory. The event is
  /// for the host only, not for queues; see DevicePlace::notifyFetches.
  Result<device::Event> beginFetchHome(const MemoryAccess &memory);
  /// The transfers and allocations of a device's memory; all 0 for other
  /// places.
  MemoryCounters counters(MemoryPlace place);
  /// Whether any tracked memory has a copy on a device; takes no lock.
  bool anyOnDevices() const {
    return numPlaced.load(std::memory_order_relaxed) != 0;
  }
  /// The state of the copy, at a place, of the object of `pointer`, or of
  /// `size` bytes at `pointer`.
  MemoryValidity validity(const void *pointer, MemoryPlace place,
                          uint64_t size = 0);

  /// Whether a user that was acquired still waits for others; takes no lock.
  bool anyWaits() const {
    return numWaiting.load(std::memory_order_acquire) != 0;
  }
  /// Whether a launch or item in flight writes any of `size` bytes at
  /// `pointer`. Adds to `heldBack` those of these that are held back.
  bool isBeingWritten(const void *pointer, uint64_t size,
                      std::vector<MemoryUser *> &heldBack);

  /// Registers a user of the bytes that the accesses name; if the size of one
  /// is not known, of all of its object. True: it may start; false:
  /// `memoryReady` will be called. An error registers nothing.
  Result<bool> acquire(MemoryUser &user,
                       std::span<const MemoryAccess> accesses) {
    return claim(user, accesses, /*mayWait=*/true);
  }
  /// The same, but false registers nothing either: the user would have to wait.
  Result<bool> tryAcquire(MemoryUser &user,
                          std::span<const MemoryAccess> accesses) {
    return claim(user, accesses, /*mayWait=*/false);
  }
  /// The same bytes as the last time this user acquired memory, which went
  /// well, by accesses that are the same. True: it may start; false registers
  /// nothing: somebody else uses memory, or what is tracked has changed.
  [[gnu::always_inline]] bool acquireAgain(MemoryUser &user) {
    if (user.numChanges == MemoryUser::whileNoneIsTracked)
      return isEmpty();
    std::lock_guard lock(mutex);
    return user.numChanges == numChanges &&
           (user.claims.empty() || makeSole(user));
  }
  /// Ends a use. Calls `memoryReady` of the users that waited for it last.
  /// True if the user had any tracked memory.
  [[gnu::always_inline]] bool release(MemoryUser &user, Worker *worker) {
    return user.holdsMemory &&
           (releaseSole(user) || releaseAmongOthers(user, worker));
  }

  size_t numRanges();
  /// Nothing is tracked; a hint that takes no lock.
  bool isEmpty() const { return count.load(std::memory_order_acquire) == 0; }
  /// A byte that represents memory without a known address, a global of leaf
  /// code, in accesses. Equal names give the same byte.
  MemoryAccess named(const char *name, bool writes);

private:
  struct Range {
    uint64_t size;
    /// Shared with transfers under way.
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

  /// Outlives the ranges.
  std::atomic<size_t> numPlaced{0};
  /// Most programs launch, and run what is cheap, in one thread.
  OwnedMutex mutex;
  RangeMap ranges;
  MemoryUses uses;
  /// Who alone uses memory, if it stands here and not in `uses`: most launches
  /// end before others look.
  MemoryUser *sole = nullptr;
  /// Of `ranges`, and 1.
  uint64_t numChanges = 1;
  /// That hold memory.
  uint32_t numOpenStreams = 0;
  std::map<std::string, char> names;
  /// Places after the host's.
  std::vector<DevicePlace *> devices;
  std::atomic<size_t> count{0};
  std::atomic<uint32_t> numWaiting{0};
};

// Every launch does these.

/// If nobody else uses memory, this one is not registered yet. False: somebody
/// does.
[[gnu::always_inline]] inline bool MemoryTracker::makeSole(MemoryUser &user) {
  if (sole || !uses.isEmpty() || numOpenStreams)
    return false;
  sole = &user;
  user.holdsMemory = true;
  return true;
}

/// Ends the use of a user beside whom nobody came.
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
