//===- OwnedMutex.h - A lock that costs its owner next to nothing ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most streams are pushed and popped by one thread, which would pay for a lock
// more than for its work. The thread that made the lock owns it and takes no
// atomic read-modify-write until a second thread comes; then it is an ordinary
// mutex for both, until the owner is alone with it for a while.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_OWNEDMUTEX_H
#define SLUICE_RUNTIME_SCHEDULING_OWNEDMUTEX_H

#include "Parking.h"

#include <atomic>
#include <mutex>

namespace sluice {

/// What names a thread as long as it runs.
inline const void *currentThread() {
  __attribute__((
      tls_model("initial-exec"))) static constinit thread_local char name = 0;
  return &name;
}

/// The owner says that it is inside and looks whether the lock is shared; the
/// second thread says that it is shared and waits until the owner is outside.
/// An asymmetric barrier between saying and looking makes one see the other.
/// Not recursive.
class OwnedMutex {
public:
  OwnedMutex() : owner(currentThread()) {}
  OwnedMutex(const OwnedMutex &) = delete;
  OwnedMutex &operator=(const OwnedMutex &) = delete;

  void lock() {
    if (owner == currentThread()) {
      ownerInside.store(true, std::memory_order_relaxed);
      AsymmetricBarrier::light();
      if (!shared.load(std::memory_order_acquire))
        return;
      ownerInside.store(false, std::memory_order_release);
    }
    lockShared();
  }
  void unlock() {
    if (owner == currentThread() && ownerInside.load(std::memory_order_relaxed))
      ownerInside.store(false, std::memory_order_release);
    else
      mutex.unlock();
  }

private:
  /// Times in a row that the owner takes the mutex before it is alone again.
  static constexpr uint32_t aloneAfter = 256;

  void lockShared();

  const void *const owner;
  uint32_t timesInARow = 0; ///< guarded by `mutex`
  std::atomic<bool> ownerInside{false};
  std::atomic<bool> shared{false};
  std::mutex mutex;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_OWNEDMUTEX_H
