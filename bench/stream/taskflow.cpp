//===- taskflow.cpp - The near-empty stages with Taskflow's pipeline ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built by gcc where Taskflow's headers are found, run once with 1 and once
// with 16 lines (BENCH_TOKENS). The values of a line stand in a buffer that
// the program owns, as Taskflow wants it. Its first pipe must be serial.
//
//===----------------------------------------------------------------------===//

#include "stages.h"

#include <taskflow/taskflow.hpp>

#include <taskflow/algorithm/pipeline.hpp>

namespace {

constexpr size_t maxLines = 64;

struct alignas(64) Line {
  uint64_t value, start;
};

size_t numLines = 1;
Line lines[maxLines];
tf::Executor *executor;

template <typename Pipeline> void runPipeline(Pipeline &pipeline) {
  tf::Taskflow flow;
  flow.composed_of(pipeline);
  executor->run(flow).wait();
}

void runSerial() {
  auto stage = [](int number) {
    return tf::Pipe{tf::PipeType::SERIAL, [number](tf::Pipeflow &flow) {
                      uint64_t &value = lines[flow.line()].value;
                      value = serialStage(stateOf(number), value);
                    }};
  };
  tf::Pipeline pipeline(
      numLines,
      tf::Pipe{tf::PipeType::SERIAL,
               [](tf::Pipeflow &flow) {
                 if (flow.token() == stageItems)
                   return flow.stop();
                 lines[flow.line()].value =
                     serialStage(stateOf(0), flow.token());
               }},
      stage(1), stage(2),
      tf::Pipe{tf::PipeType::SERIAL, [](tf::Pipeflow &flow) {
                 uint64_t value = lines[flow.line()].value;
                 stageFold =
                     foldResult(stageFold, serialStage(stateOf(3), value));
               }});
  runPipeline(pipeline);
}

void runStateless() {
  auto stage = [](uint64_t number) {
    return tf::Pipe{tf::PipeType::PARALLEL, [number](tf::Pipeflow &flow) {
                      uint64_t &value = lines[flow.line()].value;
                      value = statelessStage(number, value);
                    }};
  };
  tf::Pipeline pipeline(
      numLines,
      tf::Pipe{tf::PipeType::SERIAL,
               [](tf::Pipeflow &flow) {
                 if (flow.token() == stageItems)
                   return flow.stop();
                 lines[flow.line()].value = statelessStage(0, flow.token());
               }},
      stage(1), stage(2),
      tf::Pipe{tf::PipeType::SERIAL, [](tf::Pipeflow &flow) {
                 uint64_t value = lines[flow.line()].value;
                 stageFold = foldResult(stageFold, statelessStage(3, value));
               }});
  runPipeline(pipeline);
}

/// The item's time begins in the first pipe and ends in the last.
void runLatencyItems() {
  auto stage = [](int number) {
    return tf::Pipe{tf::PipeType::SERIAL, [number](tf::Pipeflow &flow) {
                      uint64_t &value = lines[flow.line()].value;
                      value = serialStage(stateOf(number), value);
                    }};
  };
  tf::Pipeline pipeline(
      size_t(1),
      tf::Pipe{tf::PipeType::SERIAL,
               [](tf::Pipeflow &flow) {
                 if (flow.token() == LATENCY_ITEMS)
                   return flow.stop();
                 Line &line = lines[flow.line()];
                 line.start = latencyNow();
                 line.value = serialStage(stateOf(0), flow.token());
               }},
      stage(1), stage(2),
      tf::Pipe{tf::PipeType::SERIAL, [](tf::Pipeflow &flow) {
                 const Line &line = lines[flow.line()];
                 uint64_t value = serialStage(stateOf(3), line.value);
                 latencyTicks[flow.token()] = latencyNow() - line.start;
                 stageFold = foldResult(stageFold, value);
               }});
  runPipeline(pipeline);
}

} // namespace

static void runLatency() { runLatencyItems(); }

int main() {
  if (const char *text = std::getenv("BENCH_TOKENS"))
    numLines = std::min<size_t>(static_cast<size_t>(std::atoi(text)), maxLines);
  tf::Executor pool(static_cast<size_t>(benchThreads()));
  executor = &pool;
  static const BenchRow rows[] = {STAGES_ROWS(runSerial, runStateless)};
  return benchServe(rows, sizeof(rows) / sizeof(rows[0]));
}
