//===- LaunchTest.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of small graphs: arguments in, results out, over several numbers
// of workers.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"

#include <atomic>
#include <cfenv>
#include <random>
#include <thread>

using namespace sluice;
using namespace sluice::test;

using LaunchTest = RuntimeTest;

/// data[i] += i + 1, with the array at offset 0.
static void addIndex(const SluiceInvocation *invocation, uint64_t begin,
                     uint64_t end) {
  auto *data = at<int64_t *>(invocation, 0);
  for (uint64_t i = begin; i < end; ++i)
    data[i] += static_cast<int64_t>(i + 1);
}

TEST_P(LaunchTest, OneLeafOverAnArray) {
  std::deque<PlanBuilder> builders; // A plan's address means that plan.
  for (int64_t count : {1, 2, 3, 7, 100, 10000}) {
    PlanBuilder &builder = builders.emplace_back();
    builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
    builder.node("root/leaf", addIndex, {count});
    std::vector<int64_t> data(count, 0);
    Structure structure;
    structure.add(data.data()).add(uint64_t(8 * count));
    for (int round = 0; round < 3; ++round)
      run(builder.finish(), structure);
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(data[i], 3 * (i + 1)) << "of " << count;
  }
}

TEST_P(LaunchTest, ThousandsOfLaunches) {
  PlanBuilder builder;
  builder.buffer("data", SLUICE_ACCESS_OUT);
  builder.node("root/leaf", addIndex, {2});
  std::vector<int64_t> data(2, 0);
  Structure structure;
  structure.add(data.data()).add(uint64_t(16));
  for (int round = 0; round < 5000; ++round)
    run(builder.finish(), structure);
  EXPECT_EQ(data, (std::vector<int64_t>{5000, 10000}));
}

static double third() {
  volatile double one = 1, three = 3;
  return one / three;
}

static void divide(const SluiceInvocation *invocation, uint64_t begin,
                   uint64_t end) {
  auto *data = at<double *>(invocation, 0);
  for (uint64_t i = begin; i < end; ++i)
    for (int round = 0; round < 20; ++round)
      data[i] = std::fegetround() == FE_TONEAREST ? third() : third() + 1;
}

TEST_P(LaunchTest, LeavesRoundAsTheThreadThatLaunches) {
  PlanBuilder builder;
  builder.buffer("data", SLUICE_ACCESS_OUT);
  builder.node("root/leaf", divide, {20000});
  const SluicePlan *plan = builder.finish();
  const int ways[] = {FE_UPWARD, FE_TONEAREST, FE_DOWNWARD};
  for (int round = 0; round < 5; ++round) {
    std::vector<double> data[3];
    Structure structures[3];
    void *handles[3];
    double expected[3];
    for (int way = 0; way < 3; ++way) {
      data[way].resize(20000);
      structures[way].add(data[way].data()).add(uint64_t(8 * 20000));
      std::fesetround(ways[way]);
      expected[way] = ways[way] == FE_TONEAREST ? third() : third() + 1;
      handles[way] = launch(plan, structures[way]);
    }
    std::fesetround(FE_TOWARDZERO);
    for (int way = 0; way < 3; ++way) {
      wait(handles[way]);
      EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
      EXPECT_EQ(data[way], std::vector<double>(20000, expected[way]));
    }
    std::fesetround(FE_TONEAREST);
  }
}

/// Graphs that differ in where they stand have one plan after another in the
/// same tables.
TEST(PlanInfoTest, IsTheSameAtAnotherPlace) {
  PlanBuilder builder;
  builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  builder.node("root/leaf", addIndex, {2});
  const SluicePlan *plan = builder.finish();
  Result<std::unique_ptr<PlanInfo>> info = PlanInfo::create(*plan);
  ASSERT_TRUE(info.ok());
  EXPECT_TRUE((*info)->matches(*plan));
  SluicePlan other = *plan;
  other.name = "other";
  other.location = "other.c:1:1";
  EXPECT_TRUE((*info)->matches(other));
  other.nodes = nullptr;
  EXPECT_FALSE((*info)->matches(other));
}

/// Writes down whether it is said to run alone.
static void noteAlone(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  std::atomic_ref(*at<uint32_t *>(invocation, 0)) = invocation->isAlone;
}

/// Only with one worker, and while no other runtime may run beside it.
TEST_P(LaunchTest, RunsAloneWhereNothingElseDoes) {
  std::deque<PlanBuilder> builders;
  for (int64_t count : {1, 2}) {
    PlanBuilder &builder = builders.emplace_back();
    builder.buffer("data", SLUICE_ACCESS_OUT);
    builder.node("root/leaf", noteAlone, {count});
    auto isAlone = [&] {
      uint32_t data = 2;
      Structure structure;
      structure.add(&data).add(uint64_t(4));
      run(builder.finish(), structure);
      return data;
    };
    // Other tests may have left one.
    const uint32_t before = isAlone();
    EXPECT_LE(before, GetParam() == 1 ? 1u : 0u);
    {
      RuntimeOptions others;
      Runtime other(others);
      EXPECT_EQ(isAlone(), 0u);
    }
    EXPECT_EQ(isAlone(), before);
  }
}

/// Writes down which thread ran the node.
static void noteThread(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  *at<std::thread::id *>(invocation, 0) = std::this_thread::get_id();
}

TEST_P(LaunchTest, CheapLaunchesEndBeforeLaunchReturns) {
  options.maxTimeHere = UINT64_C(1) << 40;
  start();
  // Of one unit, and of several.
  for (int64_t count : {1, 3}) {
    PlanBuilder builder;
    builder.buffer("data", SLUICE_ACCESS_OUT);
    builder.node("root/leaf", noteThread, {count});
    std::thread::id id;
    Structure structure;
    structure.add(&id).add(uint64_t(sizeof id));
    run(builder.finish(), structure); // to be timed
    for (int round = 0; round < 100; ++round) {
      id = {};
      void *graph = launch(builder.finish(), structure);
      ASSERT_EQ(id, std::this_thread::get_id());
      wait(graph);
    }
  }
}

/// Launches after one that was refused are checked as if it had not been.
TEST_P(LaunchTest, WrongLaunchesAreRefusedEachTime) {
  PlanBuilder builder;
  builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  builder.buffer("in", SLUICE_ACCESS_IN);
  builder.disjoint(0, 2);
  builder.node("root/leaf", addIndex, {1});
  const SluicePlan *plan = builder.finish();
  std::vector<int64_t> data(4, 0);
  ASSERT_TRUE(runtime->trackMemory(data.data(), 32).ok());
  auto structureOf = [&](int64_t *out, int64_t *in, uint64_t bytes) {
    Structure structure;
    structure.add(out).add(uint64_t(8)).add(in).add(bytes);
    return structure;
  };
  auto errorOf = [&](Structure structure) {
    auto graph =
        runtime->launch(plan, structure.data(), nullptr, LaunchKind::Plain);
    return graph.ok() ? (wait(*graph), std::string())
                      : graph.status().message();
  };
  for (int round = 0; round < 3; ++round) {
    // Like one of the two launches before.
    for (int turn = 0; turn < 6; ++turn) {
      EXPECT_EQ(errorOf(structureOf(&data[0], &data[1 + turn % 2], 8)), "");
      EXPECT_EQ(errorOf(structureOf(&data[0], &data[1 + turn % 3], 8)), "");
    }
    for (int again = 0; again < 2; ++again) {
      EXPECT_NE(errorOf(structureOf(&data[1], &data[1], 8)), "");
      EXPECT_NE(errorOf(structureOf(&data[0], &data[1], 800)), "");
      EXPECT_NE(errorOf(structureOf(&data[0], nullptr, 8)), "");
    }
  }
  EXPECT_EQ(data, (std::vector<int64_t>{36, 0, 0, 0}));
  EXPECT_TRUE(runtime->untrackMemory(data.data()).ok());
}

/// Computes for some time, so that a launch is worth a look.
static void compute(const SluiceInvocation *invocation, uint64_t begin,
                    uint64_t end) {
  auto *data = at<uint64_t *>(invocation, 0);
  for (uint64_t i = begin; i < end; ++i)
    for (int round = 0; round < 2000; ++round)
      data[i] = data[i] * 6364136223846793005 + i;
}

/// However the host behaves, and whatever was measured.
TEST_P(LaunchTest, WaitingAtOnceAndLaterGivesTheSame) {
  constexpr int64_t count = 24;
  PlanBuilder builder;
  builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  uint32_t first = builder.node("root/first", compute, {count});
  uint32_t second = builder.node("root/second", compute, {1});
  uint32_t third = builder.node("root/third", compute, {count / 2});
  builder.order(first, second);
  builder.order(second, third);
  const SluicePlan *plan = builder.finish();
  options.maxTimeHere = 1000;
  start();
  std::vector<uint64_t> data(count, 1), expected(count, 1);
  Structure structure;
  structure.add(data.data()).add(uint64_t(8 * count));
  for (int round = 0; round < 300; ++round) {
    void *graph = launch(plan, structure);
    if (round % 100 > 90)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    wait(graph);
    for (int64_t n : {count, int64_t(1), count / 2})
      for (int64_t i = 0; i < n; ++i)
        for (int step = 0; step < 2000; ++step)
          expected[i] = expected[i] * 6364136223846793005 + i;
    ASSERT_EQ(data, expected) << "round " << round;
  }
}

/// Some 0.2 microseconds a unit.
static void mixUnits(const SluiceInvocation *invocation, uint64_t begin,
                     uint64_t end) {
  auto *data = at<uint64_t *>(invocation, 0);
  for (uint64_t i = begin; i < end; ++i)
    for (int round = 0; round < 200; ++round)
      data[i] = data[i] * 6364136223846793005 + i;
}
static void readCount(const unsigned char *frame, int64_t *extents) {
  std::memcpy(extents, frame + 16, sizeof(int64_t));
  extents[1] = extents[2] = 1;
}

/// Launches that are waited for at once run alone or shared, as is measured;
/// their sizes change, and some are wrong.
TEST_P(LaunchTest, SizesThatChangeFromLaunchToLaunch) {
  constexpr int64_t most = 400;
  options.maxTimeHere = 20000;
  start();
  PlanBuilder builder;
  builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  builder.argument("count", 8);
  uint32_t first = builder.node("root/first", mixUnits, readCount);
  uint32_t second = builder.node("root/second", mixUnits, readCount);
  builder.order(first, second);
  const SluicePlan *plan = builder.finish();
  std::vector<uint64_t> data(most, 1), expected(most, 1);
  std::mt19937 random(7);
  int64_t count = most;
  for (int round = 0; round < 1000; ++round) {
    if (round % 100 == 0)
      count = 1 + random() % most;
    const int64_t now = random() % 50 == 0   ? -1
                        : random() % 20 == 0 ? int64_t(random() % most)
                                             : count;
    Structure structure;
    structure.add(data.data()).add(uint64_t(8 * most)).add(now);
    void *graph = launch(plan, structure);
    EXPECT_EQ(runtime->wait(graph).ok(), now >= 0);
    for (int64_t i = 0; i < now; ++i)
      for (int step = 0; step < 400; ++step)
        expected[i] = expected[i] * 6364136223846793005 + i;
    ASSERT_EQ(data, expected) << "round " << round;
  }
}

static std::atomic<bool> isRunning;

/// Keeps the host that runs it busy until others sleep.
static void runLong(const SluiceInvocation *, uint64_t, uint64_t) {
  isRunning = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
}
static void runShort(const SluiceInvocation *, uint64_t, uint64_t) {}

/// A host that is woken for work, but has what it waited for, leaves the work
/// to the next one.
TEST_P(LaunchTest, NoHostSleepsBesideWork) {
  PlanBuilder longBuilder("long"), shortBuilder("short");
  longBuilder.buffer("data", SLUICE_ACCESS_OUT);
  longBuilder.node("long/node", runLong);
  shortBuilder.node("short/node", runShort);
  const SluicePlan *longPlan = longBuilder.finish();
  const SluicePlan *shortPlan = shortBuilder.finish();
  int64_t data = 0;
  ASSERT_TRUE(runtime->trackMemory(&data, 8).ok());
  for (int round = 0; round < 5; ++round) {
    isRunning = false;
    Structure none, structure;
    structure.add(&data).add(uint64_t(8));
    void *later = launch(shortPlan, none);
    // The sequential mode runs it here.
    void *now = launch(longPlan, structure);
    auto whileItRuns = [](int milliseconds) {
      while (!isRunning)
        std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    };
    std::thread waits([&] {
      whileItRuns(10);
      wait(later);
    });
    std::thread requests([&] {
      whileItRuns(30);
      EXPECT_TRUE(runtime->requestMemory(&data, 8).ok());
    });
    wait(now);
    requests.join();
    waits.join();
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, LaunchTest,
                         testing::Values(0, 1, 2, 3, 8, recorded,
                                         recordedTwice));
