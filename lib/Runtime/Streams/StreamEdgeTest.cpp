//===- StreamEdgeTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams where something fails, is refused, or has to wait for memory.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"
#include "../Memory/Testing/Access.h"
#include "../Scheduling/Clock.h"

#include <stdexcept>
#include <thread>

using namespace sluice;
using namespace sluice::test;

namespace {
class StreamEdgeTest : public RuntimeTest {
protected:
  void *open(const SluicePlan *plan, Structure structure = {}) {
    auto graph = runtime->launch(plan, structure.data(), nullptr, true);
    EXPECT_EQ(graph.status().message(), "");
    return graph.ok() ? *graph : nullptr;
  }
  std::string push(void *graph, Structure structure) {
    return runtime->push(graph, structure.data(), nullptr).message();
  }
  int64_t pop(void *graph) {
    auto result = runtime->pop(graph);
    EXPECT_EQ(result.status().message(), "");
    int64_t value = 0;
    if (result.ok())
      std::memcpy(&value, *result, sizeof(value));
    return value;
  }
  template <typename... Values> static Structure make(Values... values) {
    Structure structure;
    (structure.add(values), ...);
    return structure;
  }
};
} // namespace

static void sleepFor(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

static void copyUnlucky(const SluiceInvocation *invocation, uint64_t,
                        uint64_t) {
  int64_t x = at<int64_t>(invocation, 0);
  if (x == 13)
    throw std::runtime_error("thirteen");
  at<int64_t>(invocation, 8) = x;
}

TEST_P(StreamEdgeTest, AStreamKnowsNothingOfAnEarlierOnesFailure) {
  PlanBuilder builder;
  builder.argument("x", 8, SLUICE_PORT_STREAM);
  uint32_t node = builder.node("root/copy", copyUnlucky);
  builder.result("x", 8, builder.output(node, "x", 8));
  builder.plan.isStreaming = 1;
  const SluicePlan *plan = builder.finish();
  void *failing = open(plan);
  for (int64_t i = 0; i < 30; ++i)
    if (!push(failing, make(int64_t(13))).empty())
      break;
  EXPECT_NE(runtime->wait(failing).message(), "");
  void *good = open(plan);
  for (int64_t i = 100; i < 140; ++i)
    ASSERT_EQ(push(good, make(i)), "");
  for (int64_t i = 100; i < 140; ++i)
    ASSERT_EQ(pop(good), i);
  EXPECT_EQ(runtime->wait(good).message(), "");
}

/// As many instances as the value at 0 says, or the one at 8.
static void firstExtent(const unsigned char *frame, int64_t *extents) {
  std::memcpy(extents, frame, 8);
  extents[1] = extents[2] = 1;
}
static void secondExtent(const unsigned char *frame, int64_t *extents) {
  firstExtent(frame + 8, extents);
}
static uint64_t arrayAt;
static void fillArray(const SluiceInvocation *invocation, uint64_t begin,
                      uint64_t end) {
  for (uint64_t i = begin; i < end; ++i)
    at<int64_t *>(invocation, arrayAt)[i] = 1;
}

TEST_P(StreamEdgeTest, AnArrayThatFitsNowhereIsAnError) {
  PlanBuilder builder;
  builder.argument("count", 8, SLUICE_PORT_STREAM);
  uint32_t node = builder.node("root/fill", fillArray, firstExtent);
  uint64_t last = builder.output(node, "one", 8, true, &arrayAt);
  builder.result("one", 8, last);
  builder.plan.isStreaming = 1;
  void *graph = open(builder.finish());
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(push(graph, make(int64_t(i % 5))), "");
  push(graph, make(int64_t(1) << 50));
  std::string message = runtime->wait(graph).message();
  EXPECT_NE(message.find("no memory for"), std::string::npos) << message;
}

static void doNothingWithPairs(const SluiceInvocation *, uint64_t, uint64_t) {}

TEST_P(StreamEdgeTest, OneToOneExtentsAreCompared) {
  PlanBuilder builder;
  builder.argument("a", 8, SLUICE_PORT_STREAM);
  builder.argument("b", 8, SLUICE_PORT_STREAM);
  builder.node("root/a", doNothingWithPairs, firstExtent);
  builder.node("root/b", doNothingWithPairs, secondExtent);
  builder.order(0, 1, SLUICE_ONE_TO_ONE);
  builder.plan.isStreaming = 1;
  void *graph = open(builder.finish());
  for (int64_t i = 0; i < 100; ++i)
    ASSERT_EQ(push(graph, make(i % 5, i % 5)), "");
  push(graph, make(int64_t(4), int64_t(5)));
  EXPECT_EQ(runtime->wait(graph).message(),
            "node 'root/a' at test.c:1:1 has extents [4], but node 'root/b' at "
            "test.c:1:1, joined to it by one-to-one edges, has [5]");
}

static void sleepAndCount(const SluiceInvocation *invocation, uint64_t,
                          uint64_t) {
  sleepFor(20);
  ++*at<int64_t *>(invocation, 0);
}

TEST_P(StreamEdgeTest, ARefusedItemIsNoItem) {
  PlanBuilder builder;
  builder.buffer("data", inOut, SLUICE_PORT_STREAM);
  builder.node("root/count", sleepAndCount);
  builder.plan.isStreaming = 1;
  int64_t data = 0;
  void *graph = open(builder.finish());
  ASSERT_EQ(push(graph, make(&data, uint64_t(8))), "");
  EXPECT_NE(push(graph, make(static_cast<int64_t *>(nullptr), uint64_t(8))),
            "");
  ASSERT_TRUE(runtime->pop(graph).ok()); // Of no bytes.
  EXPECT_FALSE(runtime->pop(graph).ok());
  ASSERT_EQ(push(graph, make(&data, uint64_t(8))), "");
  EXPECT_EQ(runtime->wait(graph).message(), "");
  EXPECT_EQ(data, 2);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Frame: log at 0, its size at 8, x at 16.
static void appendSlowly(const SluiceInvocation *invocation, uint64_t,
                         uint64_t) {
  int64_t x = at<int64_t>(invocation, 16);
  if (x % 2 == 0)
    sleepFor(2);
  at<std::vector<int64_t> *>(invocation, 0)->push_back(x);
}

TEST_P(StreamEdgeTest, ASizeMayComeWithTheItem) {
  PlanBuilder builder;
  builder.argument("log", sizeof(void *), SLUICE_PORT_POINTER, inOut, 1);
  builder.argument("size", 8, SLUICE_PORT_STREAM);
  builder.argument("x", 8, SLUICE_PORT_STREAM);
  builder.operand(builder.node("root/append", appendSlowly), 0, inOut);
  builder.plan.isStreaming = 1;
  std::vector<int64_t> log;
  auto arguments = [&](int64_t x) { return make(&log, sizeof(log), x); };
  void *graph = open(builder.finish(), arguments(0));
  for (int64_t i = 0; i < 60; ++i)
    ASSERT_EQ(push(graph, arguments(i)), "");
  EXPECT_EQ(runtime->wait(graph).message(), "");
  ASSERT_EQ(log.size(), 60u);
  for (int64_t i = 0; i < 60; ++i)
    EXPECT_EQ(log[i], i);
}

static std::atomic<int> stage;
static void await(int wanted) {
  while (stage < wanted)
    std::this_thread::yield();
}

/// Frame: two counters with their sizes. The first call waits for others.
static void countBoth(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  int expected = 0;
  if (stage.compare_exchange_strong(expected, 1)) {
    await(2);
    sleepFor(50);
  }
  for (uint64_t offset : {0, 16})
    if (auto *counter = at<int64_t *>(invocation, offset))
      ++*counter;
}

namespace {
class SequentialStreamTest : public StreamEdgeTest {};
} // namespace

/// An item of one stream lets an item of another run, which lets the next item
/// of the first run, while that one's pusher is at it. Only the sequential mode
/// runs items inside of push.
TEST_P(SequentialStreamTest, StreamsMayWaitForEachOther) {
  PlanBuilder builder;
  builder.buffer("first", inOut, SLUICE_PORT_STREAM);
  builder.buffer("second", inOut, SLUICE_PORT_STREAM);
  builder.node("root/count", countBoth);
  builder.plan.isStreaming = 1;
  const SluicePlan *plan = builder.finish();
  int64_t x = 0, y = 0, *none = nullptr;
  for (int64_t *counter : {&x, &y})
    ASSERT_TRUE(runtime->trackMemory(counter, 8).ok());
  void *a = open(plan), *b = open(plan);
  stage = 0;
  constexpr uint64_t size = 8, zero = 0;
  std::thread other([&] {
    await(1);
    EXPECT_EQ(push(b, make(&x, size, &y, size)), "");
    stage = 2;
    EXPECT_EQ(push(a, make(&y, size, none, zero)), "");
  });
  EXPECT_EQ(push(a, make(&x, size, none, zero)), "");
  other.join();
  EXPECT_EQ(runtime->wait(a).message(), "");
  EXPECT_EQ(runtime->wait(b).message(), "");
  EXPECT_EQ(x, 2);
  EXPECT_EQ(y, 2);
}

static void failOrCount(const SluiceInvocation *invocation, uint64_t,
                        uint64_t) {
  if (++*at<int64_t *>(invocation, 0) == 2)
    throw std::runtime_error("two");
}

TEST_P(StreamEdgeTest, ItemsBehindAFailureDoNotRun) {
  PlanBuilder plain("plain"), streaming("stream");
  plain.buffer("first", inOut);
  plain.buffer("second", inOut);
  plain.node("plain/count", countBoth);
  streaming.buffer("data", inOut, SLUICE_PORT_STREAM);
  streaming.node("stream/count", failOrCount);
  streaming.plan.isStreaming = 1;
  int64_t x = 0, *none = nullptr;
  ASSERT_TRUE(runtime->trackMemory(&x, 8).ok());
  void *graph = open(streaming.finish());
  stage = 0;
  constexpr uint64_t size = 8, zero = 0;
  std::thread other([&] {
    Structure structure = make(&x, size, none, zero);
    run(plain.finish(), structure);
  });
  await(1);
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(push(graph, make(&x, size)), "");
  stage = 2;
  EXPECT_NE(runtime->wait(graph).message().find("two"), std::string::npos);
  other.join();
  EXPECT_EQ(x, 2);
}

//===----------------------------------------------------------------------===//
// Graphs without nodes
//===----------------------------------------------------------------------===//

TEST_P(StreamEdgeTest, AGraphWithoutNodesPassesValuesOn) {
  PlanBuilder builder;
  builder.result("x", 8, builder.argument("x", 8, SLUICE_PORT_STREAM));
  builder.plan.isStreaming = 1;
  void *graph = open(builder.finish());
  for (int64_t i = 0; i < 500; ++i)
    ASSERT_EQ(push(graph, make(i)), "");
  for (int64_t i = 0; i < 500; ++i)
    ASSERT_EQ(pop(graph), i);
  EXPECT_EQ(runtime->wait(graph).message(), "");
}

INSTANTIATE_TEST_SUITE_P(Workers, StreamEdgeTest, testing::Values(0, 1, 2, 8));
INSTANTIATE_TEST_SUITE_P(Workers, SequentialStreamTest, testing::Values(0));
