//===- SpinLock.h - A lock for short critical sections --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interposer holds its locks for about ten instructions at a time, and
// never during MPI calls, because MPI may hold internal locks when it calls
// back.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_LIBRARY_SPINLOCK_H
#define SLUICE_LIB_PACKMPI_LIBRARY_SPINLOCK_H

#include <atomic>
#include <thread>

namespace sluice::mpi {

class SpinLock {
public:
  void lock() {
    for (int tries = 0; flag.exchange(true, std::memory_order_acquire);)
      if (++tries % 64 == 0)
        std::this_thread::yield();
  }
  void unlock() { flag.store(false, std::memory_order_release); }

private:
  std::atomic<bool> flag = false;
};

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_LIBRARY_SPINLOCK_H
