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

KernelTrial::KernelTrial(Contestant first, Contestant second)
    : contestants{first, second} {}

int KernelTrial::turnsNeeded() const {
  const uint64_t first = ways.time(false), second = ways.time(true);
  const bool isShort = second && std::max(first, second) <= shortTicks;
  return 2 * turnsEach * (isShort ? timesShort : 1);
}

const Kernel *KernelTrial::winner() const {
  const uint64_t second = ways.time(true);
  return contestants[second && second >= ways.time(false) ? 0 : 1].kernel;
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
  const bool isSecond = ways.isNextSecond();
  const uint64_t begin = ticksNow();
  copy(contestants[isSecond]);
  ways.add(isSecond, ticksNow() - begin, 1000);
  return turn + 1 < turnsNeeded() ? nullptr : winner();
}
