//===- Parking.cpp - Putting threads to sleep and waking them -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system calls behind Parking.h: futex(2) and membarrier(2).
//
//===----------------------------------------------------------------------===//

#include "Parking.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace sluice;

constinit std::atomic<bool> AsymmetricBarrier::usesKernel{false};
constinit std::atomic<uint32_t> AsymmetricBarrier::meeting{0};

static long kernelBarrier(int command) {
  return ::syscall(SYS_membarrier, command, 0, 0);
}

void AsymmetricBarrier::prepare() {
  bool registered =
      kernelBarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 &&
      kernelBarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0;
  usesKernel.store(registered, std::memory_order_relaxed);
}

void AsymmetricBarrier::heavy() {
  full();
  if (usesKernel.load(std::memory_order_relaxed))
    kernelBarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

static long futex(std::atomic<uint32_t> &word, int operation, uint32_t value) {
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));
  return ::syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

void Parker::park() {
  while (signal.load(std::memory_order_acquire) == 0)
    futex(signal, FUTEX_WAIT_PRIVATE, 0);
}

void Parker::unpark() {
  signal.store(1, std::memory_order_release);
  futex(signal, FUTEX_WAKE_PRIVATE, 1);
}
