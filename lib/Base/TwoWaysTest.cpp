//===- TwoWaysTest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice between two ways, on a simulated clock: the oracle knows how long
// each way takes.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/TwoWays.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

using namespace sluice;

namespace {

/// Work that takes so long in each way, in nanoseconds.
template <typename Ways> struct Machine {
  std::array<uint64_t, 2> times;
  /// Of a run in the first or second way after one in the other way.
  std::array<uint64_t, 2> change = {0, 0};
  /// What is added to a run.
  std::function<uint64_t(uint64_t)> noise = {};
  Ways ways = {};
  std::array<unsigned, 2> numRuns = {0, 0};
  uint64_t time = 0; ///< of all runs
  bool wasSecond = false;

  bool run(uint64_t work = 1000) {
    const bool isSecond = ways.isNextSecond();
    uint64_t taken = times[isSecond] * work / 1000;
    if (isSecond != wasSecond)
      taken += change[isSecond];
    if (noise)
      taken += noise(taken);
    wasSecond = isSecond;
    ++numRuns[isSecond];
    time += taken;
    ways.add(isSecond, taken, work);
    return isSecond;
  }
  void run(unsigned count, uint64_t work) {
    time = 0;
    numRuns = {0, 0};
    for (unsigned i = 0; i < count; ++i)
      run(work);
  }
};

using Launches = TwoWays<RowMedian, launchRules>;
using Tiles = TwoWays<RowMedian, tileRules>;
using Chunks = TwoWays<RowMedian, chunkRules>;
using PlainGraphs = TwoWays<RecentTime, plainRules>;
using Kernels = TwoWays<ShortestTime, kernelRules>;

template <typename Ways> struct TwoWaysTest : testing::Test {};
using AllWays = testing::Types<Launches, Tiles, Chunks, PlainGraphs>;

} // namespace

TYPED_TEST_SUITE(TwoWaysTest, AllWays);

/// Random times without noise: trying costs at most a few percent.
TYPED_TEST(TwoWaysTest, TriesCostLittle) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const uint64_t one = 4000 + random() % 100000;
    Machine<TypeParam> machine{{one, one * (25 + random() % 400) / 100}};
    machine.run(200, 1000);
    machine.run(4000, 1000);
    const uint64_t best = std::min(machine.times[0], machine.times[1]);
    EXPECT_LE(machine.time, 4000 * best * 105 / 100)
        << machine.times[0] << " " << machine.times[1];
  }
}

/// The first runs are in the first way, and few are in a much slower one.
TYPED_TEST(TwoWaysTest, TheFirstWayIsFirst) {
  Machine<TypeParam> machine{{10000, 40000}};
  EXPECT_FALSE(machine.run());
  machine.run(100, 1000);
  EXPECT_LE(machine.numRuns[1], 20u);
}

TYPED_TEST(TwoWaysTest, TheOtherWayIsTriedAgain) {
  Machine<TypeParam> machine{{40000, 60000}};
  machine.run(2000, 1000);
  EXPECT_GE(machine.numRuns[0], 1900u);
  machine.times[1] = 22000;
  machine.run(5000, 1000);
  machine.run(1000, 1000);
  EXPECT_GE(machine.numRuns[1], 900u);
  machine.times[0] = 10000;
  machine.run(5000, 1000);
  machine.run(1000, 1000);
  EXPECT_GE(machine.numRuns[0], 900u);
}

/// The usual way needs no try to be found slow.
TYPED_TEST(TwoWaysTest, ASlowerUsualWayIsLeftAtOnce) {
  Machine<TypeParam> machine{{20000, 40000}};
  machine.run(3000, 1000);
  machine.times[0] = 80000;
  machine.run(100, 1000);
  EXPECT_GE(machine.numRuns[1], 60u);
}

TYPED_TEST(TwoWaysTest, RunsOfAnySizeAreComparedByTheirWork) {
  for (bool isSecond : {false, true}) {
    Machine<TypeParam> machine{{40000, 40000}};
    machine.times[isSecond] = 30000;
    std::mt19937 random(2);
    for (int i = 0; i < 2000; ++i)
      machine.run(500 + random() % 10000);
    EXPECT_GE(machine.numRuns[isSecond], 1800u);
  }
}

/// Other programs take a processor for some runs now and then.
TYPED_TEST(TwoWaysTest, InterruptionsDecideNothing) {
  for (bool isSecond : {false, true}) {
    std::mt19937 random(3);
    Machine<TypeParam> machine{{40000, 40000}, {0, 0}, [&](uint64_t) {
                                 return random() % 64 ? 0 : 4000000;
                               }};
    machine.times[isSecond] = 25000;
    machine.run(4000, 1000);
    EXPECT_GE(machine.numRuns[isSecond], 3300u);
  }
}

/// Ways that differ little do not take turns, however their times scatter.
TYPED_TEST(TwoWaysTest, NoiseDoesNotChangeTheWayAllTheTime) {
  std::mt19937 random(4);
  Machine<TypeParam> machine{{40000, 41000}, {0, 0}, [&](uint64_t time) {
                               return random() % time / 20;
                             }};
  machine.run(200, 1000);
  unsigned numChanges = 0;
  bool last = false;
  for (int i = 0; i < 4000; ++i) {
    const bool isSecond = machine.run();
    numChanges += isSecond != last;
    last = isSecond;
  }
  // Each try is two changes.
  EXPECT_LE(numChanges, 200u);
}

TYPED_TEST(TwoWaysTest, ThreadsMayShareThem) {
  TypeParam ways;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        const bool isSecond = ways.isNextSecond();
        ways.add(isSecond, isSecond ? 90000 : 30000, 1000);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  unsigned numSecond = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool isSecond = ways.isNextSecond();
    numSecond += isSecond;
    ways.add(isSecond, isSecond ? 90000 : 30000, 1000);
  }
  EXPECT_LE(numSecond, 200u);
}

//===----------------------------------------------------------------------===//
// Launches: workers wake, and data moves
//===----------------------------------------------------------------------===//

/// The first launch in one thread finds its data elsewhere.
TEST(LaunchWaysTest, WhatTheWayBeforeLeftIsNotCounted) {
  Machine<Launches> machine{{42000, 40000}, {0, 8000}};
  machine.run(200, 1000);
  machine.run(4000, 1000);
  EXPECT_GE(machine.numRuns[1], 3600u);
}

/// Whatever it takes to wake workers.
TEST(LaunchWaysTest, WorkersThatAreAwakeAreCompared) {
  Machine<Launches> machine{{25000, 40000}, {100000, 0}};
  machine.run(100, 1000);
  machine.run(2000, 1000);
  EXPECT_GE(machine.numRuns[0], 1900u);
}

namespace {
/// Short launches; shared ones take three times as long as one thread until
/// workers have been called for `timeToWake`, and then scatter.
unsigned shortLaunchesAlone(uint64_t shared, uint64_t alone, unsigned count,
                            uint64_t timeToWake, unsigned scatter) {
  Launches ways;
  std::mt19937 random(5);
  unsigned numAlone = 0;
  uint64_t called = 0;
  for (unsigned i = 0; i < count; ++i) {
    const bool isAlone = ways.isNextSecond();
    uint64_t taken =
        shared * (100 + (scatter ? random() % scatter : 0) - scatter / 2) / 100;
    if (called < timeToWake)
      taken = 3 * alone;
    called = isAlone ? 0 : called + taken;
    numAlone += isAlone;
    ways.add(isAlone, isAlone ? alone : taken, 1000);
  }
  return numAlone;
}
} // namespace

TEST(LaunchWaysTest, ShortLaunchesThatScatterStayWhereTheyAreFaster) {
  EXPECT_GE(shortLaunchesAlone(7300, 5500, 8000, 0, 100), 7300u);
}

/// A worker that takes long to wake is awake when times begin to count.
TEST(LaunchWaysTest, ShortLaunchesWaitForWorkersToWake) {
  EXPECT_LE(shortLaunchesAlone(6400, 9300, 4000, 80000, 0), 300u);
  EXPECT_LE(shortLaunchesAlone(2800, 4000, 4000, 80000, 0), 300u);
}

/// Tries are runs in a row: one that does not count, and those that decide.
TEST(LaunchWaysTest, TriesAreAsLongAsTheyMustBe) {
  Machine<Launches> close{{40000, 50000}}, far{{40000, 100000}};
  for (auto [machine, expected] : {std::pair(&close, 9u), {&far, 4u}}) {
    unsigned length = 0, numTries = 0;
    for (int i = 0; i < 4000; ++i) {
      const bool isSecond = machine->run();
      if (!isSecond && length) {
        EXPECT_EQ(length, expected);
        ++numTries;
      }
      length = isSecond ? length + 1 : 0;
    }
    EXPECT_GE(numTries, 4u);
  }
}

/// Another program takes a processor for some launches in a row, also when they
/// are tried for the first time.
TEST(LaunchWaysTest, TurnsOfOtherProgramsDecideNothing) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    unsigned left = 3;
    Machine<Launches> machine{{105000, 200000}, {0, 0}, [&](uint64_t) {
                                if (!left && random() % 100 == 0)
                                  left = 1 + random() % 12;
                                left -= left != 0;
                                return left ? 400000 : 0;
                              }};
    machine.run(3000, 1000);
    EXPECT_GE(machine.numRuns[0], 2400u) << seed;
  }
}

//===----------------------------------------------------------------------===//
// Plain graphs: the work changes
//===----------------------------------------------------------------------===//

TEST(PlainWaysTest, ChangedWorkIsForgotten) {
  PlainGraphs ways;
  ways.add(false, 1000, 1000);
  ways.add(true, 2000, 1000);
  ways.add(false, 1100, 1000);
  EXPECT_NE(ways.time(true), 0u);
  ways.add(false, 5000, 1000);
  EXPECT_EQ(ways.time(true), 0u);
  EXPECT_TRUE(ways.isNextSecond());
}

TEST(PlainWaysTest, ChangedWorkIsComparedAnew) {
  std::mt19937 random(6);
  Machine<PlainGraphs> machine{{1000, 1000}};
  for (int i = 0; i < 200; ++i) {
    const uint64_t old = machine.times[0];
    while (2 * machine.times[0] < 4 * old && 2 * machine.times[0] > old)
      machine.times[0] = 1000 + random() % 100000;
    machine.times[1] = machine.times[0] * (random() % 2 ? 1 : 4) / 2;
    machine.run(20, 1000);
    // Besides the runs in which the change is seen.
    machine.run(20, 1000);
    const bool isSecond = machine.times[1] < machine.times[0];
    EXPECT_GE(machine.numRuns[isSecond], 15u);
  }
}

//===----------------------------------------------------------------------===//
// Kernels and tries
//===----------------------------------------------------------------------===//

/// The shortest time of many turns counts.
TEST(KernelWaysTest, NoiseDoesNotHideTheFasterKernel) {
  for (bool isSecond : {false, true})
    for (unsigned seed = 0; seed < 50; ++seed) {
      std::mt19937 random(seed);
      Machine<Kernels> machine{{1000, 1000}, {0, 0}, [&](uint64_t time) {
                                 return random() % 4 ? random() % time : 0;
                               }};
      machine.times[isSecond] = 700;
      machine.run(64, 1000);
      EXPECT_EQ(machine.numRuns[0], machine.numRuns[1]);
      EXPECT_EQ(machine.ways.time(true) < machine.ways.time(false), isSecond);
    }
}

TEST(TryTimesTest, PausesDoubleUntilTheyAreReset) {
  TryTimes<WayRules{1, 1, 0, 0, 2, 16, 16}> tries;
  auto pauseBefore = [&](bool prefersSecond) {
    int runs = 0;
    while (tries.next(prefersSecond, 3) == prefersSecond)
      ++runs;
    EXPECT_TRUE(tries.isTrying(!prefersSecond));
    EXPECT_EQ(tries.next(prefersSecond, 3), !prefersSecond);
    EXPECT_EQ(tries.next(prefersSecond, 3), !prefersSecond);
    EXPECT_FALSE(tries.isTrying());
    return runs;
  };
  for (int expected : {2, 4, 8, 16, 16})
    EXPECT_EQ(pauseBefore(false), expected);
  tries.restart();
  for (int expected : {2, 4, 8})
    EXPECT_EQ(pauseBefore(true), expected);
  tries.postpone(100);
  EXPECT_EQ(pauseBefore(true), 16);
}
