//===- stages.h - Four stages with next to no work --------------*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows and oracles of the near-empty streams, shared by all programs.
//
//   serial      every stage has a state that each item changes, and the change
//               depends on the order: items pass a stage one after another
//   stateless   every stage computes from its item alone
//   latency-*   the serial stages with one item in flight
//
// Item i enters as the number i. The results, in their order, and the states
// are compared with a plain loop. Peers whose stages make and take the items
// themselves do so in the first and in the last stage; Sluice's program pushes
// and pops every one.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_STAGES_H
#define SLUICE_BENCH_STAGES_H

#include "../common/latency.h"

enum {
  numStages = 4,
  stageItems = 100000,  ///< of one repetition
  stageWindow = 256,    ///< items pushed before the earlier ones are popped
  latencyItems = 20000, ///< of one round
  stateStride = 8,      ///< states on lines of their own
  stateNumbers = numStages * stateStride
};

/// Repetitions of a round; programs that are slow by design do fewer.
#ifndef STAGE_REPETITIONS
#define STAGE_REPETITIONS 10
#endif
#ifndef LATENCY_ITEMS
#define LATENCY_ITEMS latencyItems
#endif

/// The state of stage k is `stageStates[k * stateStride]`.
static uint64_t *stageStates;
static uint64_t stageFold; ///< all results, in the order in which they came
static uint64_t latencyTicks[latencyItems];

static inline uint64_t serialStage(uint64_t *state, uint64_t value) {
  *state = *state * 5 + value;
  return value + 1;
}

static inline uint64_t statelessStage(uint64_t stage, uint64_t value) {
  return value * 3 + stage;
}

static inline uint64_t foldResult(uint64_t fold, uint64_t result) {
  return fold * 7 + result;
}

static inline uint64_t *stateOf(int stage) {
  return stageStates + stage * stateStride;
}

//===----------------------------------------------------------------------===//
// Oracle
//===----------------------------------------------------------------------===//

static inline void stagesAllocate(void) {
  stageStates = (uint64_t *)benchAllocate(sizeof(uint64_t) * stateNumbers);
}

static inline void stagesRelease(void) { free(stageStates); }

static inline void stagesReset(void) {
  memset(stageStates, 0, sizeof(uint64_t) * stateNumbers);
  stageFold = 0;
}

static inline const char *verifyFold(uint64_t expected) {
  static char text[120];
  if (stageFold == expected)
    return 0;
  snprintf(text, sizeof(text),
           "the results, or their order: fold %#llx, expected %#llx",
           (unsigned long long)stageFold, (unsigned long long)expected);
  return text;
}

static inline const char *verifySerialItems(uint64_t items) {
  uint64_t states[numStages] = {0}, fold = 0;
  for (uint64_t i = 0; i < items; ++i) {
    uint64_t value = i;
    for (int stage = 0; stage < numStages; ++stage)
      value = serialStage(&states[stage], value);
    fold = foldResult(fold, value);
  }
  for (int stage = 0; stage < numStages; ++stage)
    if (*stateOf(stage) != states[stage])
      return benchWrong("state", stage, (double)states[stage],
                        (double)*stateOf(stage));
  return verifyFold(fold);
}

static inline const char *verifySerial(void) {
  return verifySerialItems(stageItems);
}

static inline const char *verifyLatency(void) {
  return verifySerialItems(LATENCY_ITEMS);
}

static inline const char *verifyStateless(void) {
  uint64_t fold = 0;
  for (uint64_t i = 0; i < stageItems; ++i) {
    uint64_t value = i;
    for (uint64_t stage = 0; stage < numStages; ++stage)
      value = statelessStage(stage, value);
    fold = foldResult(fold, value);
  }
  return verifyFold(fold);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Runs LATENCY_ITEMS items one at a time and fills `latencyTicks`.
static void runLatency(void);

static inline double measurePercentile(int percent) {
  runLatency();
  return latencyPercentile(latencyTicks, LATENCY_ITEMS, percent);
}
static inline double measureP50(void) { return measurePercentile(50); }
static inline double measureP99(void) { return measurePercentile(99); }

#define STAGES_ROW(NAME, RUN, VERIFY)                                          \
  {                                                                            \
    NAME, stageItems, STAGE_REPETITIONS, stagesAllocate, stagesReset, RUN,     \
        VERIFY, stagesRelease, stageItems, 0                                   \
  }
#define LATENCY_ROW(NAME, MEASURE)                                             \
  {                                                                            \
    NAME, 1, 1, stagesAllocate, stagesReset, runLatency, verifyLatency,        \
        stagesRelease, 1, MEASURE                                              \
  }
/// All rows of a program that has every kind of stream.
#define STAGES_ROWS(SERIAL, STATELESS)                                         \
  STAGES_ROW("serial", SERIAL, verifySerial),                                  \
      STAGES_ROW("stateless", STATELESS, verifyStateless),                     \
      LATENCY_ROW("latency-p50", measureP50),                                  \
      LATENCY_ROW("latency-p99", measureP99)

#endif // SLUICE_BENCH_STAGES_H
