//===- OwnedMutex.cpp - A lock that costs its owner next to nothing -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a lock stops to belong to one thread.
//
//===----------------------------------------------------------------------===//

#include "OwnedMutex.h"

#include <thread>

using namespace sluice;

void OwnedMutex::lockShared() {
  mutex.lock();
  if (shared.load(std::memory_order_relaxed))
    return;
  shared.store(true, std::memory_order_release);
  AsymmetricBarrier::heavy();
  while (ownerInside.load(std::memory_order_acquire))
    std::this_thread::yield();
}
