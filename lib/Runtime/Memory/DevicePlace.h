//===- DevicePlace.h - A device's memory and its transfers ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers run on two separate queues, one per direction, so that they overlap
// with each other and with kernels; events order them.
//
// When the memory is full, copies that no kernel uses are evicted, the least
// recently used first. This cannot deadlock: eviction waits for enqueued
// kernels, which complete by themselves, and never for kernels that are being
// prepared. If only the latter could make room, the allocation fails
// (Exhausted). The caller then releases what it has prepared (notEnqueued)
// before it tries again or uses another place. If `preparing` is held from the
// first `prepare` of a kernel to its launch, two kernels that fit one after
// another never make each other fail.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_DEVICEPLACE_H
#define SLUICE_RUNTIME_MEMORY_DEVICEPLACE_H

#include "BufferPool.h"
#include "Staging/Staging.h"

#include <atomic>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace sluice {

class DevicePlace;

/// A copy in a device's memory that may be evicted.
class EvictableCopy {
public:
  virtual ~EvictableCopy() = default;
  /// Frees the copy on a device, after fetching the bytes that only this copy
  /// has. Does nothing if a kernel that uses it is being prepared or, without
  /// `mayWait`, if operations are in progress. Returns the number of freed
  /// bytes.
  virtual uint64_t evict(DevicePlace &device, bool mayWait) = 0;
};

/// Parts of an object to transfer between the host and a buffer.
struct MemoryTransfer {
  device::Buffer &buffer;
  /// Offset of the buffer's first byte in the object.
  uint64_t bufferBegin;
  /// The object's first byte.
  unsigned char *host;
  /// Sorted; adjacent ranges are allowed.
  std::span<const ValidRange> parts;
};

/// All functions may be called from any thread.
class DevicePlace {
public:
  struct Options {
    /// Maximum number of bytes of the device's memory to use; 0: 15/16 of it.
    uint64_t budget = 0;
    StagingOptions staging;
  };
  static Result<std::unique_ptr<DevicePlace>> create(device::Device &device,
                                                     const Options &options);
  static Result<std::unique_ptr<DevicePlace>> create(device::Device &device,
                                                     uint64_t budget = 0) {
    return create(device, Options{budget, {}});
  }
  /// All memory there must have been freed. Waits for operations in flight.
  ~DevicePlace();
  DevicePlace(const DevicePlace &) = delete;
  DevicePlace &operator=(const DevicePlace &) = delete;

  device::Device &device;
  /// Set by MemoryTracker::addDevice.
  MemoryPlace number = hostPlace;
  /// See above.
  std::mutex preparing;

  /// For messages: "opencl:0".
  const char *name() const { return device.properties().name.c_str(); }
  MemoryCounters counters();

  /// Calls `function(context, status)` when all fetches begun so far have
  /// completed; see device::Queue::notify. Staged bytes are in place when
  /// MemoryTracker::useOnHost has returned.
  Status notifyFetches(void (*function)(void *context, Status status),
                       void *context);

  // For MemoryCopies.

  /// The maximum size of a buffer.
  uint64_t maxBuffer() const { return pool.largest(); }
  /// Allocates; evicts copies if there is no room.
  Result<std::unique_ptr<device::Buffer>> allocate(uint64_t size);
  void release(std::unique_ptr<device::Buffer> buffer) {
    pool.release(std::move(buffer));
  }
  /// Makes the copy evictable; `lastUse` comes from `tick`.
  void addResident(std::weak_ptr<EvictableCopy> copy, EvictableCopy *key,
                   const std::atomic<uint64_t> &lastUse);
  void removeResident(EvictableCopy *key);
  uint64_t tick() { return clock.fetch_add(1, std::memory_order_relaxed); }

  /// Enqueue the transfers of all parts after the events `after`, and append
  /// their events; after an error, the events of the enqueued transfers.
  Status send(const MemoryTransfer &transfer,
              std::span<const device::Event> after,
              std::vector<device::Event> &events);
  Status fetch(const MemoryTransfer &transfer,
               std::span<const device::Event> after,
               std::vector<device::Event> &events);
  void countHit(uint64_t bytes) { bytesHit += bytes; }
  void countEviction(uint64_t bytes) {
    bytesEvicted += bytes;
    ++numEvictions;
  }

private:
  DevicePlace(device::Device &device, const Options &options);
  uint64_t evict(uint64_t size);

  struct Resident {
    std::weak_ptr<EvictableCopy> copy;
    const std::atomic<uint64_t> *lastUse;
  };

  BufferPool pool;
  Staging staging;
  TransferQueue uploads, downloads;
  std::mutex residentsMutex;
  std::unordered_map<EvictableCopy *, Resident> residents;
  std::atomic<uint64_t> clock{0}, bytesHit{0}, bytesEvicted{0}, numEvictions{0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_DEVICEPLACE_H
