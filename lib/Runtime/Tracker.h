//===- Tracker.h - What memory the graphs may use -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host programs tell the runtime which memory their graphs use. The tracker
// knows these ranges, where each is valid, and which launches use them; it
// finds wrong sizes and orders launches that would race.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TRACKER_H
#define SLUICE_RUNTIME_TRACKER_H

#include "MemoryCopies.h"

#include "sluice/Base/Status.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace sluice {

class MemoryTracker;
class Worker;

/// One pointer that a launch receives.
struct MemoryAccess {
  const char *name; ///< of the argument
  uintptr_t start;
  /// Bytes; only meaningful if `sizeKnown`.
  uint64_t size;
  bool sizeKnown;
  bool writes;
};

class MemoryUser;

/// Memory that a user in flight uses although nobody tracks it.
struct UntrackedUse {
  uint64_t size;
  MemoryUser *user;
  bool writes;
};
/// By their starts. They may overlap.
using UntrackedUses = std::multimap<uintptr_t, UntrackedUse>;

/// A launch, stream or stream item as a user of tracked memory.
class MemoryUser {
public:
  virtual ~MemoryUser() = default;
  /// Called once if `acquire` said that the user must wait, when all earlier
  /// conflicting users have released their memory. `worker` as in `release`.
  virtual void memoryReady(Worker *worker) = 0;

  /// Users of one family never conflict (a stream and its items).
  const void *family = nullptr;
  /// Holds its memory until the host ends it: others cannot wait for it.
  bool isOpenStream = false;
  /// Memory that is not tracked, but whose size is known, is ordered, too:
  /// among users that say so.
  bool ordersUntracked = false;
  /// The plan's name, for messages.
  const char *name = "";

  /// Room for the pointers of a launch, kept from one to the next.
  std::vector<MemoryAccess> accesses;

private:
  friend class MemoryTracker;
  std::vector<uintptr_t> ranges;
  std::vector<UntrackedUses::iterator> untracked;
  std::vector<MemoryUser *> dependents;
  uint32_t waits = 0;
};

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
  /// Stops tracking and frees the copies elsewhere. What only a device has
  /// comes home first: the host's memory then holds what it would hold if the
  /// graph had run there.
  Status untrack(const void *pointer);
  bool isTracked(const void *pointer);
  /// Checks a host program's request for `size` bytes at `pointer`.
  Status checkRequest(const void *pointer, uint64_t size);
  /// Makes the host's memory valid, for a request that was checked. Nobody may
  /// write the range meanwhile.
  Status bringHome(const void *pointer, uint64_t size, HostUse use);

  /// Adds a place; the device must live as long as the tracker.
  MemoryPlace addDevice(MemoryDevice &device);
  /// Makes memory that a user has acquired usable at a place, for a node that
  /// accesses it as `access` (SluiceAccess) says. Returns its address there.
  /// Untracked memory is an error except on the host.
  Result<void *> use(MemoryPlace place, const MemoryAccess &memory,
                     uint32_t access);
  /// How good the copy of the range of `pointer` at a place is.
  MemoryValidity validity(const void *pointer, MemoryPlace place);

  /// Whether a running launch or item writes the range of `pointer`, or any
  /// of `size` bytes there that are not tracked.
  bool isBeingWritten(const void *pointer, uint64_t size = 1);

  /// Registers a user. True: it may start; false: `memoryReady` will be
  /// called. An error registers nothing.
  Result<bool> acquire(MemoryUser &user,
                       std::span<const MemoryAccess> accesses);
  /// Ends a use. Calls `memoryReady` of the users that waited for it last.
  /// True if the user had any tracked memory.
  bool release(MemoryUser &user, Worker *worker);

  size_t numRanges();
  /// Nothing is tracked; a hint that takes no lock.
  bool isEmpty() const { return count.load(std::memory_order_acquire) == 0; }
  /// A byte that stands for memory without an address that is known, a global
  /// of leaf code, in accesses. Equal names give the same byte.
  MemoryAccess named(const char *name, bool writes);

private:
  struct Use {
    MemoryUser *user;
    bool writes;
  };
  struct Range {
    uint64_t size;
    /// Shared with transfers under way.
    std::shared_ptr<MemoryCopies> copies;
    std::vector<Use> uses;
  };
  using RangeMap = std::map<uintptr_t, Range>;

  RangeMap::iterator find(uintptr_t address);
  RangeMap::iterator findOverlap(uintptr_t start, uint64_t size);
  Status checkUntracked(const MemoryUser &user, const MemoryAccess &access);
  Status checkAccess(const MemoryUser &user, const MemoryAccess &access,
                     RangeMap::iterator range);
  void addUse(RangeMap::iterator range, MemoryUser &user, bool writes);
  void addUntracked(const MemoryAccess &access, MemoryUser &user);
  template <typename Visitor>
  void visitUntracked(uintptr_t start, uint64_t size, Visitor &&visitor);
  void waitForUntracked(uintptr_t start, uint64_t size, bool writes,
                        MemoryUser &user);

  std::mutex mutex;
  RangeMap ranges;
  UntrackedUses untracked;
  /// No entry of `untracked` is larger.
  uint64_t largestUntracked = 0;
  std::map<std::string, char> names;
  /// Places after the host's.
  std::vector<MemoryDevice *> devices;
  std::atomic<size_t> count{0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_TRACKER_H
