//===- stages.c - The near-empty stages as a streaming graph --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host pushes a window of items, then pops the window before, so that up
// to two windows are in flight. The states are no part of the stream: they are
// given at the launch, and what orders the items is that each of them reads
// and writes these.
//
//===----------------------------------------------------------------------===//

#include "stages.h"

#include <hpvm.h>
#include <sluice-c/Runtime.h>

#define SERIAL_LEAF(NAME)                                                      \
  void NAME(uint64_t *state, size_t stateBytes, uint64_t value) {              \
    __hpvm__hint(CPU_TARGET);                                                  \
    __hpvm__attributes(1, state, 1, state);                                    \
    __hpvm__return(1, serialStage(state, value));                              \
  }

#define STATELESS_LEAF(NAME, STAGE)                                            \
  void NAME(uint64_t value) {                                                  \
    __hpvm__hint(CPU_TARGET);                                                  \
    __hpvm__attributes(0, 0);                                                  \
    __hpvm__return(1, statelessStage(STAGE, value));                           \
  }

SERIAL_LEAF(serial0)
SERIAL_LEAF(serial1)
SERIAL_LEAF(serial2)
SERIAL_LEAF(serial3)
STATELESS_LEAF(stateless0, 0)
STATELESS_LEAF(stateless1, 1)
STATELESS_LEAF(stateless2, 2)
STATELESS_LEAF(stateless3, 3)

void serialRoot(uint64_t *a, size_t aBytes, uint64_t *b, size_t bBytes,
                uint64_t *c, size_t cBytes, uint64_t *d, size_t dBytes,
                uint64_t value) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, a, b, c, d, 4, a, b, c, d);
  void *first = __hpvm__createNodeND(0, serial0);
  void *second = __hpvm__createNodeND(0, serial1);
  void *third = __hpvm__createNodeND(0, serial2);
  void *fourth = __hpvm__createNodeND(0, serial3);
  __hpvm__bindIn(first, 0, 0, 0);
  __hpvm__bindIn(first, 1, 1, 0);
  __hpvm__bindIn(second, 2, 0, 0);
  __hpvm__bindIn(second, 3, 1, 0);
  __hpvm__bindIn(third, 4, 0, 0);
  __hpvm__bindIn(third, 5, 1, 0);
  __hpvm__bindIn(fourth, 6, 0, 0);
  __hpvm__bindIn(fourth, 7, 1, 0);
  __hpvm__bindIn(first, 8, 2, 1);
  __hpvm__edge(first, second, 0, 0, 2, 1);
  __hpvm__edge(second, third, 0, 0, 2, 1);
  __hpvm__edge(third, fourth, 0, 0, 2, 1);
  __hpvm__bindOut(fourth, 0, 0, 1);
}

void statelessRoot(uint64_t value) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *first = __hpvm__createNodeND(0, stateless0);
  void *second = __hpvm__createNodeND(0, stateless1);
  void *third = __hpvm__createNodeND(0, stateless2);
  void *fourth = __hpvm__createNodeND(0, stateless3);
  __hpvm__bindIn(first, 0, 0, 1);
  __hpvm__edge(first, second, 0, 0, 0, 1);
  __hpvm__edge(second, third, 0, 0, 0, 1);
  __hpvm__edge(third, fourth, 0, 0, 0, 1);
  __hpvm__bindOut(fourth, 0, 0, 1);
}

typedef struct __attribute__((__packed__)) {
  uint64_t *a;
  size_t aBytes;
  uint64_t *b;
  size_t bBytes;
  uint64_t *c;
  size_t cBytes;
  uint64_t *d;
  size_t dBytes;
  uint64_t value;
} SerialArguments;

typedef struct __attribute__((__packed__)) {
  uint64_t value;
} StatelessArguments;

static SerialArguments serialArguments(uint64_t value) {
  const size_t bytes = sizeof(uint64_t);
  SerialArguments arguments = {stateOf(0), bytes,      stateOf(1),
                               bytes,      stateOf(2), bytes,
                               stateOf(3), bytes,      value};
  return arguments;
}

static void popResults(void *graph, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    stageFold = foldResult(stageFold, *(uint64_t *)__hpvm__pop(graph));
}

static uint64_t windowAt(uint64_t begin) {
  return stageItems - begin < stageWindow ? stageItems - begin : stageWindow;
}

static void runSerial(void) {
  SerialArguments arguments = serialArguments(0);
  void *graph = __hpvm__launch(1, serialRoot, (void *)&arguments);
  sluiceSetStreamBound(graph, 2 * stageWindow);
  uint64_t inFlight = 0;
  for (uint64_t begin = 0; begin < stageItems; begin += stageWindow) {
    uint64_t count = windowAt(begin);
    for (uint64_t i = 0; i < count; ++i) {
      arguments.value = begin + i;
      __hpvm__push(graph, &arguments);
    }
    popResults(graph, inFlight);
    inFlight = count;
  }
  popResults(graph, inFlight);
  __hpvm__wait(graph);
}

static void runStateless(void) {
  StatelessArguments arguments = {0};
  void *graph = __hpvm__launch(1, statelessRoot, (void *)&arguments);
  sluiceSetStreamBound(graph, 2 * stageWindow);
  uint64_t inFlight = 0;
  for (uint64_t begin = 0; begin < stageItems; begin += stageWindow) {
    uint64_t count = windowAt(begin);
    for (uint64_t i = 0; i < count; ++i) {
      arguments.value = begin + i;
      __hpvm__push(graph, &arguments);
    }
    popResults(graph, inFlight);
    inFlight = count;
  }
  popResults(graph, inFlight);
  __hpvm__wait(graph);
}

static void runLatency(void) {
  SerialArguments arguments = serialArguments(0);
  void *graph = __hpvm__launch(1, serialRoot, (void *)&arguments);
  for (uint64_t i = 0; i < LATENCY_ITEMS; ++i) {
    arguments.value = i;
    uint64_t start = latencyNow();
    __hpvm__push(graph, &arguments);
    uint64_t result = *(uint64_t *)__hpvm__pop(graph);
    latencyTicks[i] = latencyNow() - start;
    stageFold = foldResult(stageFold, result);
  }
  __hpvm__wait(graph);
}

static void allocateTracked(void) {
  stagesAllocate();
  llvm_hpvm_track_mem(stageStates, sizeof(uint64_t) * stateNumbers);
}

static void releaseTracked(void) {
  llvm_hpvm_untrack_mem(stageStates);
  stagesRelease();
}

int main(void) {
  BenchRow rows[] = {STAGES_ROWS(runSerial, runStateless)};
  enum { numRows = sizeof(rows) / sizeof(rows[0]) };
  for (int i = 0; i < numRows; ++i) {
    rows[i].allocate = allocateTracked;
    rows[i].release = releaseTracked;
  }
  __hpvm__init();
  int status = benchServe(rows, numRows);
  __hpvm__cleanup();
  return status;
}
