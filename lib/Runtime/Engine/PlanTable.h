//===- PlanTable.h - Prepared plans and their idle launches ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first launch of a plan prepares it. Later launches find it here without a
// lock, together with idle launch objects.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_ENGINE_PLANTABLE_H
#define SLUICE_RUNTIME_ENGINE_PLANTABLE_H

#include "../Plan/PlanInfo.h"
#include "../Scheduling/OwnedMutex.h"
#include "Handles.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace sluice {

/// The data that streams keep for a plan.
class StreamState {
public:
  virtual ~StreamState() = default;
};

/// A plan and its idle launches. These form a stack linked by indices of the
/// handle table; the head contains a counter against reuse. The thread that
/// made the entry, often the only one that launches, has its own stack, which
/// needs no atomic operations; excess launches move to the shared stack.
class PlanEntry {
public:
  explicit PlanEntry(std::unique_ptr<PlanInfo> info);
  ~PlanEntry();
  const std::unique_ptr<PlanInfo> info;

  /// Created by the first call.
  template <typename Make> StreamState &streamState(Make &&make) {
    std::call_once(streamStateMade, [&] { theStreamState = make(); });
    return *theStreamState;
  }

  class Idle {
    friend class PlanEntry;
    std::atomic<uint32_t> next{0};
  };
  /// The launch that this thread would take first from its own idle ones; null
  /// if there are none.
  Handled *nextOwnIdle() const {
    return owner == currentThread() && numOwnIdle ? ownIdle[numOwnIdle - 1]
                                                  : nullptr;
  }
  /// Takes that launch.
  void takeOwnIdle() { --numOwnIdle; }
  /// An idle launch, or null. `at` returns the launch with an index, and
  /// `idleOf` the link of a launch.
  template <typename At, typename IdleOf>
  Handled *takeIdle(At at, IdleOf idleOf) {
    if (Handled *own = nextOwnIdle()) {
      takeOwnIdle();
      return own;
    }
    uint64_t head = idle.load(std::memory_order_acquire);
    while (uint32_t first = head & UINT32_MAX) {
      Handled &launch = at(first - 1);
      Idle &link = idleOf(launch);
      uint64_t next = nextTag(head) | link.next.load(std::memory_order_relaxed);
      if (idle.compare_exchange_weak(head, next, std::memory_order_acq_rel,
                                     std::memory_order_acquire))
        return &launch;
    }
    return nullptr;
  }
  void putIdle(Handled &launch, Idle &link) {
    if (owner == currentThread() && numOwnIdle < maxOwnIdle) {
      ownIdle[numOwnIdle++] = &launch;
      return;
    }
    uint64_t head = idle.load(std::memory_order_relaxed);
    uint64_t next;
    do {
      link.next.store(head & UINT32_MAX, std::memory_order_relaxed);
      next = nextTag(head) | (launch.tableIndex() + 1);
    } while (!idle.compare_exchange_weak(head, next, std::memory_order_acq_rel,
                                         std::memory_order_relaxed));
  }

private:
  friend class PlanTable;
  static uint64_t nextTag(uint64_t head) {
    return (head & ~uint64_t(UINT32_MAX)) + (uint64_t(1) << 32);
  }
  /// More than are in flight at a time if launches are cheap. Other threads do
  /// not find these launches.
  static constexpr uint32_t maxOwnIdle = 64;
  const void *const owner = currentThread();
  uint32_t numOwnIdle = 0;
  Handled *ownIdle[maxOwnIdle];
  std::atomic<uint64_t> idle{0};
  std::once_flag streamStateMade;
  std::unique_ptr<StreamState> theStreamState;
  PlanEntry *nextInBucket = nullptr;
};

/// Finds plans by address. An address that contains another plan than before
/// (because a library was closed and another one opened) is prepared again.
class PlanTable {
public:
  /// Called for every newly prepared plan; if it fails, the plan is not kept.
  using Prepare = Status (*)(void *context, PlanInfo &info);
  PlanTable(Prepare prepare, void *context)
      : prepare(prepare), context(context) {}

  Result<PlanEntry *> find(const SluicePlan &plan) {
    if (PlanEntry *entry = lookUp(plan))
      return entry;
    return add(plan);
  }
  /// Calls `use(info)` for all plans.
  template <typename Use> void forEach(Use &&use) {
    std::lock_guard lock(mutex);
    for (const std::unique_ptr<PlanEntry> &entry : entries)
      use(*entry->info);
  }
  /// Null if the plan is not prepared.
  [[gnu::always_inline]] PlanEntry *lookUp(const SluicePlan &plan) const {
    PlanEntry *entry = buckets[bucketOf(plan)].load(std::memory_order_acquire);
    while (entry &&
           (&entry->info->plan != &plan || !entry->info->matches(plan)))
      entry = entry->nextInBucket;
    return entry;
  }

private:
  static constexpr size_t numBuckets = 256;
  Result<PlanEntry *> add(const SluicePlan &plan);
  static size_t bucketOf(const SluicePlan &plan) {
    return (reinterpret_cast<uintptr_t>(&plan) >> 4) % numBuckets;
  }

  Prepare prepare;
  void *context;
  std::mutex mutex;
  std::vector<std::unique_ptr<PlanEntry>> entries;
  std::atomic<PlanEntry *> buckets[numBuckets] = {};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_ENGINE_PLANTABLE_H
