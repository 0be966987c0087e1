//===- OwnedMutex.cpp - A lock that is cheap for its owner ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements how a lock becomes shared, and how one thread becomes its owner
// again.
//
//===----------------------------------------------------------------------===//

#include "OwnedMutex.h"

#include <thread>

using namespace sluice;

void OwnedMutex::lockShared() {
  mutex.lock();
  if (owner == currentThread()) {
    // The ownership changes only while the mutex is held.
    if (++timesInARow == aloneAfter)
      shared.store(false, std::memory_order_release);
    return;
  }
  timesInARow = 0;
  if (shared.load(std::memory_order_relaxed))
    return;
  shared.store(true, std::memory_order_release);
  AsymmetricBarrier::heavy();
  while (ownerInside.load(std::memory_order_acquire))
    std::this_thread::yield();
}
