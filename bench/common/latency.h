//===- latency.h - Times of single items ------------------------*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An item that takes 50 ns cannot be timed with a system call on either side.
// The processor's time-stamp counter is read when the item starts and when its
// result is there (on other processors the clock), and the p-th percentile of
// a round is its number. One reading costs about as much as a few loads; it is
// part of every program's time, and the row of the plain loop shows it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_LATENCY_H
#define SLUICE_BENCH_LATENCY_H

#include "harness.h"

#include <stdint.h>

#if defined(__x86_64__)
/// Earlier instructions have ended, later ones have not begun.
static inline uint64_t latencyNow(void) {
  __builtin_ia32_lfence();
  uint64_t now = __builtin_ia32_rdtsc();
  __builtin_ia32_lfence();
  return now;
}
#else
static inline uint64_t latencyNow(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
#endif

/// Seconds of one step of `latencyNow`, measured once over 20 ms.
static inline double latencyUnit(void) {
  static double unit;
  if (unit > 0)
    return unit;
  double start = benchSeconds(), end;
  uint64_t first = latencyNow();
  do
    end = benchSeconds();
  while (end - start < 0.02);
  unit = (end - start) / (double)(latencyNow() - first);
  return unit;
}

static inline int latencyCompare(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

/// The time in seconds that `percent` % of the items took at most. Sorts.
static inline double latencyPercentile(uint64_t *ticks, long count,
                                       int percent) {
  qsort(ticks, (size_t)count, sizeof(*ticks), latencyCompare);
  return (double)ticks[(count - 1) * percent / 100] * latencyUnit();
}

#endif // SLUICE_BENCH_LATENCY_H
