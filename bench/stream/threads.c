//===- threads.c - A thread for every stage -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How streams are written by hand: four threads and five channels, while the
// host pushes and pops in windows as Sluice's program does. Built once with
// CHANNEL_MUTEX and once without.
//
//===----------------------------------------------------------------------===//

#define STAGE_REPETITIONS 1 // around a microsecond an item
#define LATENCY_ITEMS 2000

#include "channels.h"
#include "stages.h"

typedef struct {
  int number;
  int isSerial;
  uint64_t items;
} Stage;

static Channel channels[numStages + 1];

static void *runStage(void *argument) {
  const Stage *stage = (const Stage *)argument;
  Channel *from = &channels[stage->number], *to = from + 1;
  for (uint64_t i = 0; i < stage->items; ++i) {
    uint64_t value = channelTake(from);
    value = stage->isSerial ? serialStage(stateOf(stage->number), value)
                            : statelessStage((uint64_t)stage->number, value);
    channelPut(to, value);
  }
  return 0;
}

static void popResults(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    stageFold = foldResult(stageFold, channelTake(&channels[numStages]));
}

static void pushAndPop(void) {
  uint64_t inFlight = 0;
  for (uint64_t begin = 0; begin < stageItems; begin += stageWindow) {
    uint64_t end = begin + stageWindow;
    if (end > stageItems)
      end = stageItems;
    for (uint64_t i = begin; i < end; ++i)
      channelPut(&channels[0], i);
    popResults(inFlight);
    inFlight = end - begin;
  }
  popResults(inFlight);
}

static void oneAtATime(void) {
  for (uint64_t i = 0; i < LATENCY_ITEMS; ++i) {
    uint64_t start = latencyNow();
    channelPut(&channels[0], i);
    uint64_t result = channelTake(&channels[numStages]);
    latencyTicks[i] = latencyNow() - start;
    stageFold = foldResult(stageFold, result);
  }
}

static void runStages(int isSerial, uint64_t items, void (*host)(void)) {
  pthread_t threads[numStages];
  Stage stages[numStages];
  for (int i = 0; i <= numStages; ++i)
    channels[i] = (Channel)CHANNEL_START;
  for (int i = 0; i < numStages; ++i) {
    stages[i] = (Stage){i, isSerial, items};
    if (pthread_create(&threads[i], 0, runStage, &stages[i]) != 0) {
      fprintf(stderr, "cannot start a thread\n");
      exit(1);
    }
  }
  host();
  for (int i = 0; i < numStages; ++i)
    pthread_join(threads[i], 0);
}

static void runSerial(void) { runStages(1, stageItems, pushAndPop); }
static void runStateless(void) { runStages(0, stageItems, pushAndPop); }
static void runLatency(void) { runStages(1, LATENCY_ITEMS, oneAtATime); }

int main(void) {
  static const BenchRow rows[] = {STAGES_ROWS(runSerial, runStateless)};
  return benchServe(rows, sizeof(rows) / sizeof(rows[0]));
}
