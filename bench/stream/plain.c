//===- plain.c - The near-empty stages in one loop ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread, no queue, no library: the limit, and the cost of the timer in
// the latency rows. The states live in memory, as everybody's.
//
//===----------------------------------------------------------------------===//

#include "stages.h"

/// Keeps the compiler from carrying values in registers over stages or items.
static inline void forget(void) { __asm__ volatile("" ::: "memory"); }

static uint64_t pass(uint64_t value) {
  for (int stage = 0; stage < numStages; ++stage) {
    value = serialStage(stateOf(stage), value);
    forget();
  }
  return value;
}

static void runSerial(void) {
  for (uint64_t i = 0; i < stageItems; ++i)
    stageFold = foldResult(stageFold, pass(i));
}

static void runStateless(void) {
  for (uint64_t i = 0; i < stageItems; ++i) {
    uint64_t value = i;
    for (uint64_t stage = 0; stage < numStages; ++stage)
      value = statelessStage(stage, value);
    stageFold = foldResult(stageFold, value);
    forget();
  }
}

static void runLatency(void) {
  for (uint64_t i = 0; i < LATENCY_ITEMS; ++i) {
    uint64_t start = latencyNow();
    uint64_t result = pass(i);
    latencyTicks[i] = latencyNow() - start;
    stageFold = foldResult(stageFold, result);
  }
}

int main(void) {
  static const BenchRow rows[] = {STAGES_ROWS(runSerial, runStateless)};
  return benchServe(rows, sizeof(rows) / sizeof(rows[0]));
}
