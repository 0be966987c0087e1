//===- Parking.cpp - Putting threads to sleep and waking them -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system calls behind Parking.h: futex(2), membarrier(2) and
// sched_setaffinity(2).
//
//===----------------------------------------------------------------------===//

#include "Parking.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
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

Parker::Parker() : thread(static_cast<int>(::syscall(SYS_gettid))) {}

Parker::~Parker() {
  const int processor = kept.load(std::memory_order_relaxed);
  cpu_set_t allowed;
  if (processor < 0 || ::sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return;
  CPU_SET(processor, &allowed);
  ::sched_setaffinity(0, sizeof(allowed), &allowed);
}

/// Does nothing if the thread may use no other processor.
void Parker::keepFrom(int processor) {
  cpu_set_t allowed;
  if (processor < 0 || kept.load(std::memory_order_relaxed) >= 0 ||
      ::sched_getaffinity(thread, sizeof(allowed), &allowed) != 0 ||
      !CPU_ISSET(processor, &allowed) || CPU_COUNT(&allowed) == 1)
    return;
  CPU_CLR(processor, &allowed);
  if (::sched_setaffinity(thread, sizeof(allowed), &allowed) == 0)
    kept.store(processor, std::memory_order_relaxed);
}

void Parker::park() {
  while (signal.load(std::memory_order_acquire) == 0)
    futex(signal, FUTEX_WAIT_PRIVATE, 0);
}

void Parker::unpark() {
  keepFrom(::sched_getcpu());
  signal.store(1, std::memory_order_release);
  futex(signal, FUTEX_WAKE_PRIVATE, 1);
}
