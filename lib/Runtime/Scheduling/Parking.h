//===- Parking.h - Putting threads to sleep and waking them ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that publishes work must notice sleeping threads, and a thread that
// goes to sleep must not miss work published meanwhile. The usual solution is a
// full fence on both sides. Here the sleeping side executes the barrier for
// both sides, because every launch publishes work, while sleeping requires a
// system call anyway.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_PARKING_H
#define SLUICE_RUNTIME_SCHEDULING_PARKING_H

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace sluice {

/// Lets the other hardware thread of the core run; a hint in spin loops.
inline void pauseProcessor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// A pair of barriers: if one thread does A, `light`, B and another one C,
/// `heavy`, D, then D sees A or B sees C. The light side costs nothing if the
/// kernel has membarrier(2); otherwise both sides access one atomic. Two light
/// sides do not synchronize with each other.
class AsymmetricBarrier {
public:
  /// Must be called at least once per process, before the barriers are used.
  static void prepare();
  static void light() {
    if (usesKernel.load(std::memory_order_relaxed))
      std::atomic_signal_fence(std::memory_order_seq_cst);
    else
      full();
  }
  static void heavy();
  /// If one thread does A, `full`, B and another one C, `full`, D, then D sees
  /// A or B sees C.
  static void full() { meeting.fetch_add(0, std::memory_order_acq_rel); }

private:
  static std::atomic<bool> usesKernel;
  static std::atomic<uint32_t> meeting;
};

/// One sleeping thread. Lives on its stack while it sleeps.
///
/// Linux prefers to wake a thread on the processor of the waking thread, and
/// looks for an idle processor only among those that share a cache, which
/// processors of virtual machines often do not. Here both threads continue to
/// work, so one of them would wait some milliseconds until the kernel balances
/// its queues. So the thread may not run on that processor until it is awake.
class Parker {
public:
  Parker();
  Parker(const Parker &) = delete;
  Parker &operator=(const Parker &) = delete;
  /// Destroy it only when no thread can call `unpark` any more.
  ~Parker();
  /// Sleeps until `unpark` has been called since the last `reset`.
  void park();
  void unpark();
  void reset() { signal.store(0, std::memory_order_relaxed); }

private:
  void keepFrom(int processor);

  std::atomic<uint32_t> signal{0};
  /// The processor that the thread may not use until it is awake; -1: none.
  std::atomic<int> kept{-1};
  const int thread;
};

/// The atomics, locks and barriers of the scheduler. The scheduler's model test
/// replaces them by others that allow trying all orders.
struct NativeParts {
  template <typename T> using Atomic = std::atomic<T>;
  using Mutex = std::mutex;
  using Parker = sluice::Parker;
  using Barrier = AsymmetricBarrier;
};

/// Threads that sleep for the same reason. Adding and removing is rare and
/// takes a lock; checking that no thread sleeps is one load.
template <typename Parts> class BasicParkedThreads {
public:
  using Parker = typename Parts::Parker;

  void add(Parker &parker) {
    std::lock_guard lock(mutex);
    parkers.push_back(&parker);
    count.store(parkers.size(), std::memory_order_relaxed);
  }
  /// Does nothing if `parker` is no longer among them.
  void remove(Parker &parker) {
    std::lock_guard lock(mutex);
    std::erase(parkers, &parker);
    count.store(parkers.size(), std::memory_order_relaxed);
  }
  /// True if a thread sleeps. Threads that go to sleep later see the caller's
  /// earlier stores.
  bool any() const {
    Parts::Barrier::light();
    return count.load(std::memory_order_relaxed) != 0;
  }
  unsigned size() const { return count.load(std::memory_order_relaxed); }
  /// Wakes and removes up to `limit` threads, the most recent ones first;
  /// returns their number.
  unsigned wake(unsigned limit) {
    std::lock_guard lock(mutex);
    unsigned woken = 0;
    for (; woken < limit && !parkers.empty(); ++woken) {
      parkers.back()->unpark();
      parkers.pop_back();
    }
    count.store(parkers.size(), std::memory_order_relaxed);
    return woken;
  }
  void wakeAll() { wake(UINT32_MAX); }

private:
  friend Parts;
  typename Parts::template Atomic<uint32_t> count{0};
  typename Parts::Mutex mutex;
  std::vector<Parker *> parkers;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_PARKING_H
