//===- StreamMemoryTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Items with pointers of their own over tracked memory travel in batches; who
// waits for the memory of a batch that is not full has it begin.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"
#include "../Plan/Testing/RandomGraph.h"

#include <thread>

using namespace sluice;
using namespace sluice::test;

/// Frame: cell at 0, its size at 8, a number at 16. The order of two calls
/// shows.
static void mixCell(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  uint64_t &cell = *at<uint64_t *>(invocation, 0);
  cell = mix(cell, at<uint64_t>(invocation, 16));
}
static void addToCell(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  *at<uint64_t *>(invocation, 0) += at<uint64_t>(invocation, 16);
}

namespace {
/// Streams and launches over an array of cells.
class StreamMemoryTest : public RuntimeTest {
protected:
  static constexpr uint64_t numCells = 24;

  void begin(SluiceKernel kernel) {
    for (PlanBuilder *builder : {&streaming, &plain}) {
      uint32_t flags = builder == &streaming ? SLUICE_PORT_STREAM : 0;
      builder->buffer("cell", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT, flags);
      builder->argument("x", 8, flags);
      builder->node("root/mix", kernel);
    }
    streaming.plan.isStreaming = 1;
    streamPlan = streaming.finish();
    plainPlan = plain.finish();
    ASSERT_TRUE(runtime->trackMemory(cells, sizeof(cells)).ok());
  }
  void *open() {
    auto graph = runtime->launch(streamPlan, nullptr, nullptr, true);
    EXPECT_EQ(graph.status().message(), "");
    return *graph;
  }
  Structure arguments(uint64_t cell, uint64_t x) {
    Structure structure;
    structure.add(cells + cell).add(uint64_t(8)).add(x);
    return structure;
  }
  void push(void *graph, uint64_t cell, uint64_t x) {
    Structure structure = arguments(cell, x);
    ASSERT_EQ(runtime->push(graph, structure.data(), nullptr).message(), "");
  }
  void *launchOn(uint64_t cell, uint64_t x) {
    Structure structure = arguments(cell, x);
    return launch(plainPlan, structure);
  }

  PlanBuilder streaming{"stream"}, plain{"plain"};
  const SluicePlan *streamPlan = nullptr, *plainPlan = nullptr;
  uint64_t cells[numCells] = {};
};
} // namespace

TEST_P(StreamMemoryTest, ResultsAreThoseOfOneAfterAnother) {
  begin(mixCell);
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    const uint64_t spread = 1 + random() % numCells;
    uint64_t expected[numCells];
    std::memcpy(expected, cells, sizeof(cells));
    void *streams[] = {open(), open()};
    std::vector<void *> launches;
    for (uint64_t x = 0; x < 600; ++x) {
      const uint64_t cell = random() % spread;
      expected[cell] = mix(expected[cell], x);
      switch (random() % 16) {
      case 0:
        launches.push_back(launchOn(cell, x));
        break;
      case 1:
        push(streams[0], cell, x);
        ASSERT_EQ(runtime->requestMemory(cells + cell, 8).status().message(),
                  "");
        ASSERT_EQ(cells[cell], expected[cell]);
        break;
      default:
        push(streams[random() % 32 / 24], cell, x);
      }
      if (launches.size() > 5) {
        wait(launches.back());
        launches.pop_back();
      }
    }
    for (void *launch : launches)
      wait(launch);
    for (void *stream : streams)
      ASSERT_EQ(runtime->wait(stream).message(), "");
    for (uint64_t cell = 0; cell < numCells; ++cell)
      ASSERT_EQ(cells[cell], expected[cell]) << "round " << round;
  }
  EXPECT_TRUE(runtime->untrackMemory(cells).ok());
}

/// No two batches wait for each other.
TEST_P(StreamMemoryTest, ThreadsWithStreamsOfTheirOwn) {
  begin(addToCell);
  constexpr uint64_t numThreads = 3, numItems = 3000;
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < numThreads; ++i)
    threads.emplace_back([this, i] {
      std::mt19937_64 random(i);
      void *stream = open();
      for (uint64_t x = 0; x < numItems; ++x) {
        uint64_t cell = x / 100 % 2 ? random() % 4 : random() % numCells;
        if (x % 64 == 63)
          wait(launchOn(cell, 1));
        else
          push(stream, cell, 1);
        if (x % 500 == 499)
          ASSERT_TRUE(runtime->requestMemory(cells + cell, 8).ok());
      }
      ASSERT_EQ(runtime->wait(stream).message(), "");
    });
  for (std::thread &thread : threads)
    thread.join();
  uint64_t sum = 0;
  for (uint64_t cell : cells)
    sum += cell;
  EXPECT_EQ(sum, numThreads * numItems);
  EXPECT_TRUE(runtime->untrackMemory(cells).ok());
}

INSTANTIATE_TEST_SUITE_P(Workers, StreamMemoryTest,
                         testing::Values(0, 1, 2, 8));
