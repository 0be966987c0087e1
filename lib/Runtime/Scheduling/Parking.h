//===- Parking.h - Putting threads to sleep and waking them ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that publishes work must learn whether somebody sleeps, a thread
// that goes to sleep must not miss work published meanwhile. The usual answer
// is a full fence on both sides; here the sleeping side pays for both, since
// publishing happens for every launch and sleeping costs a system call anyhow.
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

/// A pair of barriers: if one thread does A, `light`, B and another C,
/// `heavy`, D, then D sees A or B sees C. The light side is free where the
/// kernel has membarrier(2); elsewhere both sides meet in one atomic. Two light
/// sides do not see each other.
class AsymmetricBarrier {
public:
  /// To be called before threads meet, once per process at least.
  static void prepare();
  static void light() {
    if (usesKernel.load(std::memory_order_relaxed))
      std::atomic_signal_fence(std::memory_order_seq_cst);
    else
      full();
  }
  static void heavy();
  /// If one thread does A, `full`, B and another C, `full`, D, then D sees A or
  /// B sees C.
  static void full() { meeting.fetch_add(0, std::memory_order_acq_rel); }

private:
  static std::atomic<bool> usesKernel;
  static std::atomic<uint32_t> meeting;
};

/// One sleeping thread. Lives on its stack while it sleeps.
class Parker {
public:
  /// Sleeps until `unpark` was called since the last `reset`.
  void park();
  void unpark();
  void reset() { signal.store(0, std::memory_order_relaxed); }

private:
  std::atomic<uint32_t> signal{0};
};

/// What the scheduler is made of. Its model puts other parts in their places,
/// which try all orders.
struct NativeParts {
  template <typename T> using Atomic = std::atomic<T>;
  using Mutex = std::mutex;
  using Parker = sluice::Parker;
  using Barrier = AsymmetricBarrier;
};

/// Threads asleep for one reason. Adding and removing is rare and locks;
/// finding nobody asleep is one load.
template <typename Parts> class BasicParkedThreads {
public:
  using Parker = typename Parts::Parker;

  void add(Parker &parker) {
    std::lock_guard lock(mutex);
    parkers.push_back(&parker);
    count.store(parkers.size(), std::memory_order_relaxed);
  }
  /// Does nothing if `parker` is not among them any more.
  void remove(Parker &parker) {
    std::lock_guard lock(mutex);
    std::erase(parkers, &parker);
    count.store(parkers.size(), std::memory_order_relaxed);
  }
  /// True if somebody sleeps; the caller's earlier stores are visible to
  /// whoever goes to sleep later.
  bool any() const {
    Parts::Barrier::light();
    return count.load(std::memory_order_relaxed) != 0;
  }
  unsigned size() const { return count.load(std::memory_order_relaxed); }
  /// Wakes and removes up to `limit` threads, the last that came first;
  /// returns how many.
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
