//===- OwnedMutex.h - A lock that is cheap for its owner ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most streams are pushed and popped by one thread, for which a lock would cost
// more than the work. The thread that made the lock owns it and needs no atomic
// read-modify-write until a second thread arrives. Then the lock is an ordinary
// mutex for both, until the owner has used it alone for a while.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_OWNEDMUTEX_H
#define SLUICE_RUNTIME_SCHEDULING_OWNEDMUTEX_H

#include "Parking.h"

#include <atomic>
#include <mutex>

namespace sluice {

/// An address that identifies a thread while it runs.
inline const void *currentThread() {
  __attribute__((
      tls_model("initial-exec"))) static constinit thread_local char name = 0;
  return &name;
}

/// The owner sets a flag "inside" and then checks whether the lock is shared. A
/// second thread sets "shared" and then waits until the owner is not inside. An
/// asymmetric barrier between setting and checking ensures that at least one of
/// them sees the other's flag. Not recursive.
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
  /// After this many consecutive acquisitions of the mutex by the owner, it
  /// owns the lock again.
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
