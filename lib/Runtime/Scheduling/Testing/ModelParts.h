//===- ModelParts.h - What models are made of -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces NativeParts in models, where an explorer chooses what happens next.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_TESTING_MODELPARTS_H
#define SLUICE_RUNTIME_SCHEDULING_TESTING_MODELPARTS_H

#include "../Deque.h"
#include "Explorer.h"

#include <bit>
#include <string_view>

namespace sluice::model {

/// Has the members of std::atomic that the runtime uses.
template <typename T> class ModelAtomic {
public:
  constexpr ModelAtomic(T value)
      : location(Explorer::current().addLocation(pack(value))) {}
  ModelAtomic(const ModelAtomic &) = delete;

  T load(std::memory_order order, Site site = Site::current()) const {
    return unpack(Explorer::current().load(location, order, site));
  }
  void store(T value, std::memory_order order, Site site = Site::current()) {
    Explorer::current().store(location, pack(value), order, site);
  }
  T exchange(T value, std::memory_order order, Site site = Site::current()) {
    return unpack(Explorer::current().modify(
        location, order, site, [&](uint64_t) { return pack(value); }));
  }
  T fetch_add(T value, std::memory_order order, Site site = Site::current()) {
    return unpack(
        Explorer::current().modify(location, order, site, [&](uint64_t before) {
          return pack(T(unpack(before) + value));
        }));
  }
  T fetch_sub(T value, std::memory_order order, Site site = Site::current()) {
    return fetch_add(T(T(0) - value), order, site);
  }
  bool compare_exchange_strong(T &expected, T desired,
                               std::memory_order success,
                               std::memory_order failure,
                               Site site = Site::current()) {
    uint64_t value = pack(expected);
    bool isSame = Explorer::current().compareExchange(
        location, value, pack(desired), success, failure, site);
    expected = unpack(value);
    return isSame;
  }

private:
  static uint64_t pack(T value) {
    if constexpr (std::is_pointer_v<T>)
      return std::bit_cast<uint64_t>(value);
    else
      return static_cast<uint64_t>(value);
  }
  static T unpack(uint64_t value) {
    if constexpr (std::is_pointer_v<T>)
      return std::bit_cast<T>(value);
    else
      return static_cast<T>(value);
  }
  const unsigned location;
};

class ModelMutex {
public:
  ModelMutex() { Explorer::current().addLock(gate); }
  ModelMutex(const ModelMutex &) = delete;
  void lock() { Explorer::current().lock(gate); }
  void unlock() { Explorer::current().unlock(gate); }

private:
  Gate gate;
};

/// Sleeps until somebody opens it; for parkers, and for tasks that wait.
class ModelEvent {
public:
  ModelEvent() : owner(Explorer::current().runningThread()) {
    gate.open = false;
  }
  void wait() { Explorer::current().wait(gate); }
  void set() { Explorer::current().open(gate); }
  void park() { wait(); }
  void unpark() { set(); }

  const int owner;

private:
  Gate gate;
};

struct ModelBarrier {
  static void light(Site site = Site::current()) {
    Explorer::current().lightBarrier(site);
  }
  static void heavy(Site site = Site::current()) {
    Explorer::current().heavyBarrier(site);
  }
  static void full(Site site = Site::current()) {
    Explorer::current().fullBarrier(site);
  }
};

/// Gives up at once: the orders in which it would find something are those in
/// which it comes later. Where the scheduler makes or resets one, it knows
/// nothing of what was before: a worker in `search` begins anew, and a host
/// thread goes on where its spinner was made.
class ModelSpinner {
public:
  explicit ModelSpinner(uint64_t, Site site = Site::current()) {
    if (std::string_view(site.function_name()).find("search") !=
        std::string_view::npos)
      Explorer::current().forget(0);
    seen = Explorer::current().seen();
  }
  bool spin() {
    Explorer::current().yield();
    return false;
  }
  void reset(Site site = Site::current()) {
    Explorer::current().forget(seen + site.line());
  }

private:
  uint64_t seen;
};

struct ModelWorker {
  explicit ModelWorker(unsigned index) : index(index) {}
  static void setCurrent(ModelWorker *) {}
  const unsigned index;
  /// So short that it has to grow.
  BasicTaskDeque<ModelAtomic> deque{2};
};

struct ModelParts {
  template <typename T> using Atomic = ModelAtomic<T>;
  using Mutex = ModelMutex;
  using Parker = ModelEvent;
  using Barrier = ModelBarrier;
  using Worker = ModelWorker;
  using Spinner = ModelSpinner;
  static void run(ModelWorker &worker, WorkItem task);
  static uint64_t nanoseconds() { return 0; }

  /// What only locks guard: who sleeps, and what was injected.
  template <typename Threads> static uint64_t stateOf(const Threads &parked) {
    uint64_t all = 1;
    for (const ModelEvent *parker : parked.parkers)
      all = all * 8 + parker->owner + 1;
    return all;
  }
  template <typename Scheduler>
  static uint64_t stateOf(const Scheduler &scheduler,
                          const typename Scheduler::WaitPoint &point) {
    uint64_t all = 1;
    for (WorkItem task : scheduler.injected)
      all = all * 8 + task.argument + 1;
    return ((all * 4096 + stateOf(scheduler.parkedWorkers)) * 4096 +
            stateOf(scheduler.parkedHosts)) *
               4096 +
           stateOf(point.waiting);
  }
};

} // namespace sluice::model

#endif // SLUICE_RUNTIME_SCHEDULING_TESTING_MODELPARTS_H
