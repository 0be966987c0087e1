//===- onetbb.cpp - The near-empty stages with parallel_pipeline ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built by gcc, run once with 1 and once with 16 tokens (BENCH_TOKENS). The
// first filter makes the items, the last one takes the results; both keep
// their order in every row.
//
//===----------------------------------------------------------------------===//

#include "stages.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

using tbb::filter_mode;
using tbb::flow_control;

namespace {

size_t tokens = 1;

void runSerial() {
  constexpr filter_mode mode = filter_mode::serial_in_order;
  uint64_t next = 0;
  uint64_t *states[numStages] = {stateOf(0), stateOf(1), stateOf(2),
                                 stateOf(3)};
  tbb::parallel_pipeline(
      tokens,
      tbb::make_filter<void,
                       uint64_t>(mode, [&](flow_control &control) -> uint64_t {
        if (next == stageItems) {
          control.stop();
          return 0;
        }
        return serialStage(states[0], next++);
      }) & tbb::make_filter<uint64_t, uint64_t>(mode, [&](uint64_t value) {
        return serialStage(states[1], value);
      }) & tbb::make_filter<uint64_t, uint64_t>(mode, [&](uint64_t value) {
        return serialStage(states[2], value);
      }) & tbb::make_filter<uint64_t, void>(mode, [&](uint64_t value) {
        stageFold = foldResult(stageFold, serialStage(states[3], value));
      }));
}

void runStateless() {
  uint64_t next = 0;
  tbb::parallel_pipeline(
      tokens,
      tbb::make_filter<void, uint64_t>(filter_mode::serial_in_order,
                                       [&](flow_control &control) -> uint64_t {
                                         if (next == stageItems) {
                                           control.stop();
                                           return 0;
                                         }
                                         return statelessStage(0, next++);
                                       }) &
          tbb::make_filter<uint64_t, uint64_t>(
              filter_mode::parallel,
              [](uint64_t value) { return statelessStage(1, value); }) &
          tbb::make_filter<uint64_t, uint64_t>(
              filter_mode::parallel,
              [](uint64_t value) { return statelessStage(2, value); }) &
          tbb::make_filter<uint64_t, void>(
              filter_mode::serial_in_order, [](uint64_t value) {
                stageFold = foldResult(stageFold, statelessStage(3, value));
              }));
}

struct Timed {
  uint64_t value, start;
};

/// The item's time begins in the first filter and ends in the last.
void runLatencyItems() {
  constexpr filter_mode mode = filter_mode::serial_in_order;
  uint64_t next = 0;
  tbb::parallel_pipeline(
      1,
      tbb::make_filter<void, Timed>(mode, [&](flow_control &control) -> Timed {
        if (next == LATENCY_ITEMS) {
          control.stop();
          return {};
        }
        uint64_t start = latencyNow();
        return {serialStage(stateOf(0), next++), start};
      }) & tbb::make_filter<Timed, Timed>(mode, [&](Timed item) -> Timed {
        return {serialStage(stateOf(1), item.value), item.start};
      }) & tbb::make_filter<Timed, Timed>(mode, [&](Timed item) -> Timed {
        return {serialStage(stateOf(2), item.value), item.start};
      }) & tbb::make_filter<Timed, void>(mode, [&](Timed item) {
        uint64_t index = item.value - 3;
        uint64_t value = serialStage(stateOf(3), item.value);
        latencyTicks[index] = latencyNow() - item.start;
        stageFold = foldResult(stageFold, value);
      }));
}

} // namespace

static void runLatency() { runLatencyItems(); }

int main() {
  if (const char *text = std::getenv("BENCH_TOKENS"))
    tokens = static_cast<size_t>(std::atoi(text));
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                            static_cast<size_t>(benchThreads()));
  static const BenchRow rows[] = {STAGES_ROWS(runSerial, runStateless)};
  return benchServe(rows, sizeof(rows) / sizeof(rows[0]));
}
