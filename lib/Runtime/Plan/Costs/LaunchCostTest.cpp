//===- LaunchCostTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice between a launch alone and a shared one, with invented times.
//
//===----------------------------------------------------------------------===//

#include "BurstCost.h"
#include "LaunchCosts.h"

#include <gtest/gtest.h>

#include <random>

using namespace sluice;

namespace {
/// A graph that takes so long either way, in nanoseconds.
struct LaunchMachine {
  uint64_t alone, shared;
  /// Of a shared launch behind one that was not: workers sleep.
  uint64_t wake = 0;
  LaunchCost cost = {};
  unsigned numAlone = 0, numShared = 0;
  uint64_t time = 0; ///< of all launches
  /// Of a launch alone behind one that was shared.
  uint64_t move = 0;
  bool isAwake = false;

  /// `interruption` is other load on the machine.
  void run(uint64_t expected = 40000, uint64_t interruption = 0) {
    const bool isAlone = cost.isNextAlone();
    uint64_t taken =
        isAlone ? alone + (isAwake ? move : 0) : shared + (isAwake ? 0 : wake);
    taken = taken * expected / 40000 + interruption;
    isAwake = !isAlone;
    ++(isAlone ? numAlone : numShared);
    time += taken;
    cost.add(isAlone, taken, expected);
  }
  /// A launch that takes `alone` by one worker; shared ones take three times as
  /// long until workers have been called for that long. Percents by which
  /// shared ones scatter around what they take on average.
  unsigned scatter = 50;
  uint64_t called = 0;
  void runShort(uint64_t timeToWake) {
    const bool isAlone = cost.isNextAlone();
    uint64_t taken = isAlone ? alone : shared * (50 + scatter) / 100;
    if (!isAlone && called < timeToWake)
      taken = 3 * alone;
    called = isAlone ? 0 : called + taken;
    ++(isAlone ? numAlone : numShared);
    cost.add(isAlone, taken, alone);
  }
  /// A launch of the usual size of which `expected` is believed.
  void runAsIf(uint64_t expected, bool isAlone) {
    ++(isAlone ? numAlone : numShared);
    cost.add(isAlone, isAlone ? alone : shared, expected);
  }
  void runTimes(unsigned times) {
    numAlone = numShared = time = 0;
    for (unsigned i = 0; i < times; ++i)
      run();
  }
};
} // namespace

TEST(LaunchCostTest, TheFasterWayIsUsed) {
  for (uint64_t shared : {20000, 30000, 39000, 41000, 60000, 200000}) {
    LaunchMachine machine{40000, shared};
    machine.runTimes(20);
    machine.runTimes(2000);
    uint64_t best = std::min<uint64_t>(40000, shared);
    EXPECT_LE(machine.time, 2000 * best * 105 / 100) << shared;
    EXPECT_GE(shared < 40000 ? machine.numShared : machine.numAlone, 1800u);
  }
}

/// The first launch after a shared one finds its data elsewhere.
TEST(LaunchCostTest, WhatTheWayBeforeLeftIsNotCounted) {
  LaunchMachine machine{40000, 42000};
  machine.move = 8000;
  machine.runTimes(200);
  machine.runTimes(4000);
  EXPECT_GE(machine.numAlone, 3600u);
}

/// Times that scatter do not make the choice change all the time.
TEST(LaunchCostTest, ShortLaunchesThatScatterStayWhereTheyAreFaster) {
  LaunchMachine machine{5500, 7300, /*wake=*/0};
  std::mt19937 random(4);
  for (int i = 0; i < 8000; ++i) {
    machine.scatter = random() % 100;
    machine.runShort(/*timeToWake=*/0);
  }
  EXPECT_GE(machine.numAlone, 7300u);
}

/// A worker that takes long to wake is awake when times begin to count.
TEST(LaunchCostTest, ShortLaunchesWaitForWorkersToWake) {
  LaunchMachine machine{9300, 6400};
  for (int i = 0; i < 4000; ++i)
    machine.runShort(/*timeToWake=*/80000);
  EXPECT_GE(machine.numShared, 3700u);
}

/// What is expected of a launch is only a guess, which moves.
TEST(LaunchCostTest, GuessesThatMoveDecideNothing) {
  LaunchMachine machine{40000, 44000};
  std::mt19937 random(3);
  uint64_t guess = 40000;
  for (int i = 0; i < 4000; ++i) {
    if (random() % 16 == 0)
      guess = 36000 + random() % 12000;
    machine.runAsIf(guess, machine.cost.isNextAlone());
  }
  EXPECT_GE(machine.numAlone, 3500u);
}

/// Trying it costs some launches, whatever waking workers takes.
TEST(LaunchCostTest, WorkersThatAreAwakeAreCompared) {
  LaunchMachine machine{40000, 25000, /*wake=*/100000};
  machine.runTimes(100);
  machine.runTimes(2000);
  EXPECT_GE(machine.numShared, 1900u);
}

TEST(LaunchCostTest, TheOtherWayIsTriedAgain) {
  LaunchMachine machine{40000, 60000};
  machine.runTimes(2000);
  EXPECT_GE(machine.numAlone, 1900u);
  machine.shared = 22000; // The other load is gone.
  machine.runTimes(5000);
  machine.runTimes(1000);
  EXPECT_GE(machine.numShared, 900u);
  machine.alone = 10000; // A variant is ready.
  machine.runTimes(5000);
  machine.runTimes(1000);
  EXPECT_GE(machine.numAlone, 900u);
}

TEST(LaunchCostTest, SizesThatDifferAreComparedByWhatIsExpected) {
  LaunchMachine machine{40000, 30000};
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i)
    machine.run(20000 + random() % 400000);
  EXPECT_GE(machine.numShared, 900u);
}

TEST(LaunchCostTest, InterruptionsDecideNothing) {
  LaunchMachine machine{40000, 30000};
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i)
    machine.run(40000, random() % 64 ? 0 : 4000000);
  EXPECT_GE(machine.numShared, 1800u);
}

/// Another program takes a processor for some launches in a row, also when they
/// are tried for the first time.
TEST(LaunchCostTest, TurnsOfOtherProgramsDecideNothing) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    LaunchMachine machine{200000, 105000};
    std::mt19937 random(seed);
    unsigned left = 3;
    for (int i = 0; i < 3000; ++i) {
      if (!left && random() % 100 == 0)
        left = 1 + random() % 12;
      machine.run(40000, left ? 400000 : 0);
      left -= left != 0;
    }
    EXPECT_GE(machine.numShared, 2400u) << seed;
  }
}

/// As levels of a search do: small ones lose what big ones gain.
TEST(LaunchCostsTest, EachSizeGoesItsOwnWay) {
  LaunchCosts costs;
  unsigned numSmallShared = 0, numBigAlone = 0;
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    for (uint64_t size : {300, 5000, 40000}) {
      const uint64_t units = size * (100 + random() % 20) / 100;
      const bool isAlone = costs.isNextAlone(units);
      // A unit costs more on small levels, and waking workers always.
      const uint64_t time = units * (size == 300 ? 20 : 4);
      costs.add(units, isAlone, isAlone ? time : time / 2 + 12000);
      numSmallShared += size == 300 && !isAlone;
      numBigAlone += size == 40000 && isAlone;
    }
  }
  EXPECT_LE(numSmallShared, 300u);
  EXPECT_LE(numBigAlone, 300u);
}

namespace {
/// How many of 400 bursts of 200 launches stayed in the thread that launches.
unsigned burstsAlone(uint64_t alone, uint64_t shared) {
  BurstCost cost;
  unsigned count = 0;
  for (int i = 0; i < 400; ++i) {
    const bool isAlone = cost.isNextAlone();
    count += isAlone;
    cost.add(isAlone, 200 * (isAlone ? alone : shared), 200);
  }
  return count;
}
} // namespace

TEST(BurstCostTest, TheFasterWayIsUsed) {
  EXPECT_GE(burstsAlone(3000, 5700), 350u);
  EXPECT_LE(burstsAlone(5000, 3700), 50u);
}

TEST(BurstCostTest, LongBurstsAreShared) {
  EXPECT_EQ(burstsAlone(10000, 20001), 0u);
}
