//===- StreamTest.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Push, pop and wait of streaming graphs.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"

#include <cfenv>
#include <chrono>
#include <stdexcept>
#include <thread>

using namespace sluice;
using namespace sluice::test;

/// Frame: factor at 0 (fixed), value at 8 (streaming), product at 16.
static void multiply(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  if (at<int64_t>(invocation, 8) == 13)
    throw std::runtime_error("thirteen");
  at<int64_t>(invocation, 16) =
      at<int64_t>(invocation, 0) * at<int64_t>(invocation, 8);
}
/// Adds the number of instances, from many chunks.
static void addInstances(const SluiceInvocation *invocation, uint64_t begin,
                         uint64_t end) {
  std::atomic_ref<int64_t>(at<int64_t>(invocation, 16)) += end - begin;
}

namespace {
class StreamTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    builder.argument("factor", 8);
    builder.argument("value", 8, SLUICE_PORT_STREAM);
    uint32_t node = builder.node("root/multiply", multiply);
    uint64_t product = builder.output(node, "product", 8);
    builder.node("root/add", addInstances, {100});
    builder.order(0, 1);
    builder.result("product", 8, product);
    builder.plan.isStreaming = 1;
    plan = builder.finish();
  }
  void *open(int64_t factor) {
    Structure structure = make(factor, 0);
    auto graph = runtime->launch(plan, structure.data(), nullptr, true);
    EXPECT_EQ(graph.status().message(), "");
    return *graph;
  }
  static Structure make(int64_t factor, int64_t value) {
    Structure structure;
    structure.add(factor).add(value);
    return structure;
  }
  std::string push(void *graph, int64_t value) {
    // The fixed argument of a push is ignored.
    return runtime->push(graph, make(999, value).data(), nullptr).message();
  }
  void expectPop(void *graph, int64_t value) {
    auto result = runtime->pop(graph);
    ASSERT_EQ(result.status().message(), "");
    int64_t found;
    std::memcpy(&found, *result, sizeof(found));
    ASSERT_EQ(found, value);
  }
  PlanBuilder builder;
  const SluicePlan *plan = nullptr;
};
} // namespace

static const char *noneLeft = "cannot pop from stream 'root': no result is "
                              "left and none is to come";

TEST_P(StreamTest, ResultsComeInPushOrder) {
  void *graph = open(3);
  for (int64_t i = 100; i < 600; ++i)
    ASSERT_EQ(push(graph, i), "");
  for (int64_t i = 100; i < 400; ++i)
    expectPop(graph, 3 * i + 100);
  ASSERT_EQ(runtime->wait(graph).message(), "");
  for (int64_t i = 400; i < 600; ++i)
    expectPop(graph, 3 * i + 100);
  EXPECT_EQ(runtime->pop(graph).status().message(), noneLeft);
}

static void tellRounding(const SluiceInvocation *invocation, uint64_t,
                         uint64_t) {
  at<int64_t>(invocation, 16) = std::fegetround();
}

/// Batches are used again by streams of other threads.
TEST_P(StreamTest, ItemsRoundAsTheThreadThatOpens) {
  PlanBuilder rounding;
  rounding.argument("factor", 8);
  rounding.argument("value", 8, SLUICE_PORT_STREAM);
  uint32_t node = rounding.node("root/tell", tellRounding);
  rounding.result("way", 8, rounding.output(node, "way", 8));
  rounding.plan.isStreaming = 1;
  plan = rounding.finish();
  for (int way : {FE_UPWARD, FE_TONEAREST, FE_DOWNWARD}) {
    std::fesetround(way);
    void *graph = open(1);
    std::fesetround(FE_TONEAREST);
    for (int64_t i = 0; i < 100; ++i)
      EXPECT_EQ(push(graph, i), "");
    for (int64_t i = 0; i < 100; ++i)
      expectPop(graph, way);
    EXPECT_EQ(runtime->wait(graph).message(), "");
  }
}

TEST_P(StreamTest, PushAndPopInTurns) {
  void *graph = open(2);
  for (int64_t i = 100; i < 300; ++i) {
    ASSERT_EQ(push(graph, i), "");
    expectPop(graph, 2 * i + 100);
  }
  EXPECT_EQ(runtime->pop(graph).status().message(), noneLeft);
  ASSERT_EQ(push(graph, 50), "");
  expectPop(graph, 200);
  EXPECT_EQ(runtime->wait(graph).message(), "");
}

TEST_P(StreamTest, TheBoundCanBeSet) {
  void *graph = open(2);
  EXPECT_EQ(runtime->setStreamBound(graph, 0).message(),
            "the bound of stream 'root' is 0, expected at least 1");
  ASSERT_TRUE(runtime->setStreamBound(graph, 1).ok());
  for (int64_t i = 100; i < 200; ++i)
    ASSERT_EQ(push(graph, i), "");
  for (int64_t i = 100; i < 200; ++i)
    expectPop(graph, 2 * i + 100);
  EXPECT_EQ(runtime->wait(graph).message(), "");
}

TEST_P(StreamTest, AnotherThreadMayPop) {
  void *graph = open(5);
  constexpr int64_t count = 500;
  std::thread consumer([&] {
    for (int64_t i = 0; i < count; ++i)
      expectPop(graph, 5 * (i + 100) + 100);
  });
  for (int64_t i = 0; i < count; ++i)
    ASSERT_EQ(push(graph, i + 100), "");
  consumer.join();
  EXPECT_EQ(runtime->wait(graph).message(), "");
}

TEST_P(StreamTest, AProducerMayComeLater) {
  void *graph = open(5);
  std::thread producer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_EQ(push(graph, 100), "");
  });
  expectPop(graph, 600);
  producer.join();
  EXPECT_EQ(runtime->wait(graph).message(), "");
}

TEST_P(StreamTest, ABlockedPopEndsWithTheStream) {
  void *graph = open(5);
  std::thread consumer([&] {
    expectPop(graph, 600);
    EXPECT_EQ(runtime->pop(graph).status().message(), noneLeft);
  });
  ASSERT_EQ(push(graph, 100), "");
  EXPECT_EQ(runtime->wait(graph).message(), "");
  consumer.join();
}

TEST_P(StreamTest, SeveralStreamsAtOnce) {
  std::vector<void *> graphs;
  for (int64_t factor = 1; factor <= 4; ++factor)
    graphs.push_back(open(factor));
  for (int64_t i = 100; i < 150; ++i)
    for (void *graph : graphs)
      ASSERT_EQ(push(graph, i), "");
  for (int64_t i = 100; i < 150; ++i)
    for (int64_t factor = 1; factor <= 4; ++factor)
      expectPop(graphs[factor - 1], factor * i + 100);
  for (void *graph : graphs)
    EXPECT_EQ(runtime->wait(graph).message(), "");
}

TEST_P(StreamTest, ErrorsOfItemsSurface) {
  void *graph = open(2);
  ASSERT_EQ(push(graph, 100), "");
  expectPop(graph, 300);
  ASSERT_EQ(push(graph, 13), "");
  const char *message = "node 'root/multiply' at test.c:1:1: an exception left "
                        "it: thirteen";
  EXPECT_EQ(runtime->pop(graph).status().message(), message);
  EXPECT_EQ(push(graph, 100), message);
  EXPECT_EQ(runtime->wait(graph).message(), message);
}

TEST_P(StreamTest, WaitEndsPushing) {
  void *graph = open(2);
  EXPECT_NE(runtime->finish().message(), "");
  EXPECT_EQ(runtime->wait(graph).message(), "");
  EXPECT_EQ(push(graph, 1),
            "cannot push to stream 'root' after it was waited for");
  EXPECT_EQ(runtime->wait(graph).message(),
            "stream 'root' was waited for already");
}

TEST_P(StreamTest, ModeMustFit) {
  Structure structure = make(1, 1);
  EXPECT_EQ(runtime->launch(plan, structure.data(), nullptr, false)
                .status()
                .message(),
            "graph 'root' has streaming binds, but is not launched as a "
            "stream");
  EXPECT_EQ(
      runtime->launch(plan, nullptr, nullptr, true).status().message(),
      "the argument structure of graph 'root' is null, but the graph has 1 "
      "argument and 0 results");
}

/// Frame: buffer at 0 (streaming), its size at 8.
static void appendOne(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  ++*at<int64_t *>(invocation, 0);
}

TEST_P(StreamTest, ItemsAndLaunchesOverOneBufferAreOrdered) {
  PlanBuilder streaming("stream"), plain("plain");
  for (PlanBuilder *builder : {&streaming, &plain}) {
    builder->buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT,
                    builder == &streaming ? SLUICE_PORT_STREAM : 0);
    builder->node("root/append", appendOne);
  }
  streaming.plan.isStreaming = 1;
  const SluicePlan *plainPlan = plain.finish();
  int64_t data = 0;
  ASSERT_TRUE(runtime->trackMemory(&data, 8).ok());
  Structure structure;
  structure.add(&data).add(uint64_t(8));
  auto graph = runtime->launch(streaming.finish(), nullptr, nullptr, true);
  ASSERT_TRUE(graph.ok());
  std::vector<void *> launches;
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(runtime->push(*graph, structure.data(), nullptr).message(), "");
    if (i % 4 == 0)
      launches.push_back(launch(plainPlan, structure));
  }
  for (void *launch : launches)
    wait(launch);
  EXPECT_EQ(runtime->wait(*graph).message(), "");
  EXPECT_EQ(data, 250);
}

TEST_P(StreamTest, FixedMemoryBelongsToTheOpenStream) {
  PlanBuilder streaming("stream"), plain("plain");
  streaming.buffer("data", SLUICE_ACCESS_IN);
  streaming.argument("x", 8, SLUICE_PORT_STREAM);
  streaming.plan.isStreaming = 1;
  plain.buffer("data", SLUICE_ACCESS_OUT);
  streaming.node("root/append", appendOne);
  plain.node("root/append", appendOne);
  int64_t data = 0;
  ASSERT_TRUE(runtime->trackMemory(&data, 8).ok());
  Structure structure;
  structure.add(&data).add(uint64_t(8)).add(uint64_t(0));
  auto graph =
      runtime->launch(streaming.finish(), structure.data(), nullptr, true);
  ASSERT_TRUE(graph.ok());
  std::string message = errorOf(plain.finish(), structure.data());
  EXPECT_NE(message.find("conflicts with the open stream 'stream'"),
            std::string::npos)
      << message;
  ASSERT_TRUE(runtime->wait(*graph).ok());
  EXPECT_EQ(errorOf(plain.finish(), structure.data()), "");
  EXPECT_EQ(data, 1);
}

/// Frame: state at 0, its size at 8, block at 16, its size at 24, result at 32.
static int64_t mix(int64_t state, int64_t value) {
  auto mixed = static_cast<uint64_t>(state);
  for (int round = 0; round < 150; ++round)
    mixed = mixed * 6364136223846793005 + static_cast<uint64_t>(value);
  return static_cast<int64_t>(mixed);
}
static void mixState(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  auto &state = *at<int64_t *>(invocation, 0);
  auto &block = *at<int64_t *>(invocation, 16);
  state = mix(state, block);
  block = state;
}
static void mixBlock(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  auto &block = *at<int64_t *>(invocation, 16);
  block = mix(block, 7);
  at<int64_t>(invocation, 32) = block;
}

/// Items of half a microsecond run in both ways, in turns; blocks come back
/// while earlier items still use them.
TEST_P(StreamTest, BothWaysToRunSmallItemsGiveTheSame) {
  PlanBuilder blocks;
  blocks.buffer("state", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  blocks.buffer("block", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT,
                SLUICE_PORT_STREAM);
  uint32_t first = blocks.node("root/state", mixState);
  uint32_t second = blocks.node("root/block", mixBlock);
  blocks.order(first, second);
  blocks.operand(first, 0, SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  blocks.operand(first, 2, SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  blocks.operand(second, 2, SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  uint64_t result = blocks.output(second, "result", 8);
  blocks.result("result", 8, result);
  blocks.plan.isStreaming = 1;
  const SluicePlan *blocksPlan = blocks.finish();
  constexpr int64_t numBlocks = 80;
  int64_t state = 1, expectedState = 1;
  std::vector<int64_t> data(numBlocks, 3), expected(numBlocks, 3);
  for (int64_t &block : data)
    ASSERT_TRUE(runtime->trackMemory(&block, 8).ok());
  ASSERT_TRUE(runtime->trackMemory(&state, 8).ok());
  for (int round = 0; round < 3; ++round) {
    Structure structure;
    structure.add(&state).add(uint64_t(8)).add(&data[0]).add(uint64_t(8));
    auto graph = runtime->launch(blocksPlan, structure.data(), nullptr, true);
    ASSERT_EQ(graph.status().message(), "");
    std::vector<int64_t> results;
    auto popOne = [&] {
      auto found = runtime->pop(*graph);
      ASSERT_EQ(found.status().message(), "");
      std::memcpy(&results.emplace_back(), *found, 8);
    };
    int64_t numItems = 6000 + round, inFlight = 0;
    std::vector<int64_t> expectedResults;
    for (int64_t item = 0; item < numItems; ++item) {
      int64_t index = item % (item / 1000 % 2 ? 3 : numBlocks);
      if (inFlight++ == 64) {
        popOne();
        --inFlight;
      }
      Structure pushed;
      pushed.add(&state).add(uint64_t(8)).add(&data[index]).add(uint64_t(8));
      ASSERT_EQ(runtime->push(*graph, pushed.data(), nullptr).message(), "");
      expectedState = mix(expectedState, expected[index]);
      expected[index] = mix(expectedState, 7);
      expectedResults.push_back(expected[index]);
    }
    ASSERT_EQ(runtime->wait(*graph).message(), "");
    while (results.size() < expectedResults.size())
      popOne();
    EXPECT_EQ(results, expectedResults);
    EXPECT_EQ(data, expected);
    EXPECT_EQ(state, expectedState);
  }
  for (int64_t &block : data)
    EXPECT_TRUE(runtime->untrackMemory(&block).ok());
  EXPECT_TRUE(runtime->untrackMemory(&state).ok());
}

INSTANTIATE_TEST_SUITE_P(Workers, StreamTest,
                         testing::Values(0, 1, 2, 8, recorded, recordedTwice));
