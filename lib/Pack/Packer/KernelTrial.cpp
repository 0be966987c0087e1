//===- KernelTrial.cpp - Comparing the speed of two kernels ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pack may take ten nanoseconds, so turns are timed with the processor's
// cycle counter if there is one.
//
//===----------------------------------------------------------------------===//

#include "KernelTrial.h"

#include <chrono>

using namespace sluice::pack;

static uint64_t ticksNow() {
#if defined(__x86_64__)
  // The fences order reading the counter after the copies before it and before
  // those after it.
  __builtin_ia32_lfence();
  uint64_t ticks = __builtin_ia32_rdtsc();
  __builtin_ia32_lfence();
  return ticks;
#else
  return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

static void lower(std::atomic<uint64_t> &shortest, uint64_t ticks) {
  uint64_t known = shortest.load(std::memory_order_relaxed);
  while (ticks < known && !shortest.compare_exchange_weak(
                              known, ticks, std::memory_order_relaxed)) {
  }
}

KernelTrial::KernelTrial(Contestant first, Contestant second)
    : contestants{first, second} {}

int KernelTrial::turnsNeeded() const {
  bool isShort = true;
  for (const std::atomic<uint64_t> &ticks : shortest)
    isShort &= ticks.load(std::memory_order_relaxed) < shortTicks;
  return 2 * turnsEach * (isShort ? timesShort : 1);
}

const Kernel *KernelTrial::winner() const {
  uint64_t first = shortest[0].load(std::memory_order_relaxed);
  uint64_t second = shortest[1].load(std::memory_order_relaxed);
  bool hadTurn = second != std::numeric_limits<uint64_t>::max();
  return contestants[hadTurn && second >= first ? 0 : 1].kernel;
}

const Kernel *KernelTrial::run(const std::byte *in, int64_t count,
                               std::byte *out) {
  auto copy = [&](const Contestant &own) {
    own.function(in, count, out, own.kernel->context.get());
  };
  int64_t tried = -1;
  if (!countTried.compare_exchange_strong(tried, count,
                                          std::memory_order_relaxed) &&
      tried != count) {
    copy(contestants[0]);
    // The program may use another count from now on, so a limited number of
    // such uses ends the trial.
    return others.fetch_add(1, std::memory_order_relaxed) + 1 < maxOthers
               ? nullptr
               : winner();
  }
  int turn = turns.fetch_add(1, std::memory_order_relaxed);
  uint64_t begin = ticksNow();
  int which = turn / turnsInRow % 2;
  copy(contestants[which]);
  lower(shortest[which], ticksNow() - begin);
  return turn + 1 < turnsNeeded() ? nullptr : winner();
}
