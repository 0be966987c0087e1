//===- NodeCostTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When nodes are shared, by the times that were measured.
//
//===----------------------------------------------------------------------===//

#include "NodeCost.h"

#include <gtest/gtest.h>

using namespace sluice;
using Sharing = NodeCost::Sharing;

TEST(NodeCostTest, NothingIsExpectedBeforeItWasMeasured) {
  NodeCost cost;
  EXPECT_EQ(cost.expected(1), UINT64_MAX);
  cost.estimate(3);
  EXPECT_EQ(cost.expected(1), UINT64_MAX);
  cost.wantsTiming();
  cost.addTiming(1000, 100);
  EXPECT_EQ(cost.expected(100), 100 * cost.unitCost());
  EXPECT_NEAR(cost.expected(100), 1e6, 1e3);
  EXPECT_EQ(cost.expected(UINT64_MAX), UINT64_MAX);
}

TEST(NodeCostTest, WhatIsNotKnownIsShared) {
  NodeCost cost;
  EXPECT_EQ(cost.shareAmong(1000, 2), Sharing::Yes);
}

/// Times of runs by one worker.
static void addTimings(NodeCost &cost, uint64_t nanoseconds, uint64_t units) {
  for (int run = 0; run != 4; ++run)
    cost.addTiming(nanoseconds, units);
}

TEST(NodeCostTest, WhatIsGuessedToBeCheapRunsAloneOnce) {
  NodeCost cost;
  cost.estimate(10);
  EXPECT_TRUE(cost.wantsToKnow(2000));
  EXPECT_FALSE(cost.wantsToKnow(2000, 19'000'000));
  EXPECT_EQ(cost.shareAmong(2000, 2), Sharing::TryAlone);
  EXPECT_EQ(cost.shareAmong(1000000, 2), Sharing::Yes);
  cost.addTiming(20000, 2000);
  EXPECT_FALSE(cost.wantsToKnow(2000));
  EXPECT_EQ(cost.shareAmong(2000, 2), Sharing::Yes);
}

/// So does what was shared, if it was cheap.
TEST(NodeCostTest, WhatWasSharedRunsAloneOnce) {
  NodeCost cost;
  cost.addShared(12000, 20000, 2000, 2);
  EXPECT_EQ(cost.expected(2000), UINT64_MAX);
  EXPECT_EQ(cost.shareAmong(2000, 2), Sharing::TryAlone);
}

// Even if the machine was busy when it was shared first. It runs alone only to
// be measured.
TEST(NodeCostTest, WhatTakesLongIsShared) {
  NodeCost cost;
  cost.addTiming(28'000'000, 1000);
  cost.addShared(35'000'000, 70'000'000, 1000, 2);
  int numTries = 0;
  for (int run = 0; run < 100; ++run) {
    const Sharing sharing = cost.shareAmong(1000, 2);
    EXPECT_NE(sharing, Sharing::No);
    numTries += sharing == Sharing::TryAlone;
  }
  EXPECT_LE(numTries, 2);
}

TEST(NodeCostTest, WhatTakesAMicrosecondNeverIs) {
  NodeCost cost;
  addTimings(cost, 1000, 1000);
  for (int run = 0; run != 5000; ++run)
    ASSERT_EQ(cost.shareAmong(1000, 2), Sharing::No);
}

TEST(NodeCostTest, WhatCannotGainStaysAlone) {
  NodeCost cheap, single;
  addTimings(cheap, 100, 10);
  addTimings(single, 100000, 10);
  for (int run = 0; run != 5000; ++run) {
    ASSERT_TRUE(cheap.staysAlone(10, 2));
    cheap.countAlone();
    ASSERT_TRUE(single.staysAlone(10, 1));
    single.countAlone();
  }
  EXPECT_FALSE(single.staysAlone(10, 2));
}

namespace {
/// A node of 100 units of 300 nanoseconds that two workers share.
struct ChunkedNode {
  uint64_t perChunk;   ///< nanoseconds that each chunk costs beyond its units
  uint64_t perMissing; ///< that the end is later, in parts of a chunk
  NodeCost cost = {};
  uint64_t time = 0; ///< of all runs
  uint32_t numChunks = 0;

  void run() {
    NodeCounts counts;
    counts.units = 100;
    numChunks =
        splitUnits(counts, cost.unitCost(), 2, cost.minChunkCost()).numChunks;
    const uint64_t busy = 30000 + perChunk * numChunks;
    const uint64_t taken = busy / 2 + perMissing * (30000 / numChunks) / 100;
    time += taken;
    cost.addShared(taken, busy, 100, 2);
  }
  void run(int times) {
    time = 0;
    for (int i = 0; i < times; ++i)
      run();
  }
};
} // namespace

/// A node that does something anew in each chunk, such as a histogram of its
/// own, has fewer of them.
TEST(NodeCostTest, ChunksThatCostMuchAreFew) {
  ChunkedNode node{/*perChunk=*/900, /*perMissing=*/20};
  addTimings(node.cost, 30000, 100);
  node.run();
  EXPECT_EQ(node.numChunks, 16u);
  const uint64_t first = node.time;
  node.run(200);
  node.run(2000);
  EXPECT_LE(node.numChunks, 8u);
  EXPECT_LE(node.time, 2000 * first * 9 / 10);
}

/// Unless the run then ends later.
TEST(NodeCostTest, ChunksThatAreNeededStayMany) {
  ChunkedNode node{/*perChunk=*/600, /*perMissing=*/100};
  addTimings(node.cost, 30000, 100);
  node.run();
  const uint64_t first = node.time;
  node.run(200);
  node.run(2000);
  EXPECT_LE(node.time, 2000 * first * 102 / 100);
}

TEST(NodeCostTest, ChunksThatCostNothingStayMany) {
  ChunkedNode node{/*perChunk=*/50, /*perMissing=*/0};
  addTimings(node.cost, 30000, 100);
  for (int i = 0; i < 2000; ++i) {
    node.run();
    ASSERT_EQ(node.numChunks, 16u);
  }
}

TEST(NodeCostTest, OneLongRunIsChance) {
  NodeCost cost;
  addTimings(cost, 10000, 1000);
  uint64_t before = cost.expected(1000);
  cost.addTiming(4000000, 1000);
  EXPECT_EQ(cost.expected(1000), before);
  // Two in a row are not.
  cost.addTiming(4000000, 1000);
  EXPECT_NEAR(cost.expected(1000), 4e9, 4e6);
  // Nor is every second one.
  NodeCost other;
  addTimings(other, 10000, 1000);
  for (int run = 0; run != 4; ++run) {
    other.addTiming(4000000, 1000);
    other.addTiming(10000, 1000);
  }
  EXPECT_GT(other.expected(1000), 1e9);
}

/// The first run finds cold caches, and pages that are not there yet.
TEST(NodeCostTest, FasterRunsCountAtOnceAtFirst) {
  NodeCost cost;
  cost.addTiming(100000, 1000);
  cost.addTiming(10000, 1000);
  EXPECT_NEAR(cost.expected(1000), 1e7, 1e4);
}

TEST(NodeCostTest, DoubtsAreSettledByTheNextRun) {
  NodeCost cost;
  addTimings(cost, 10000, 1000);
  for (int run = 0; run != 9; ++run)
    cost.wantsTiming(); // the eighth was timed
  EXPECT_FALSE(cost.wantsTiming());
  cost.addTiming(4000000, 1000);
  EXPECT_TRUE(cost.wantsTiming());
}

/// Looking at the clock takes about as long as the shortest runs.
TEST(NodeCostTest, ShortRunsAreTimedMoreRarely) {
  auto countTimed = [](uint64_t expected) {
    NodeCost cost;
    int count = 0;
    for (int run = 0; run != 4 + 1024; ++run)
      count += cost.wantsTiming(expected) && run >= 4;
    return count;
  };
  EXPECT_EQ(countTimed(UINT64_MAX), 128);
  EXPECT_EQ(countTimed(500'000), 128);
  EXPECT_EQ(countTimed(499'999), 16);
  EXPECT_EQ(countTimed(100'000), 16);
  EXPECT_EQ(countTimed(99'999), 8);
}

/// Memory that several workers wait for makes each of them slower.
TEST(NodeCostTest, WhatTakesTwiceAsLongWhenSharedIsNot) {
  NodeCost cost;
  addTimings(cost, 40000, 2000);
  ASSERT_EQ(cost.shareAmong(2000, 2), Sharing::Yes);
  for (int run = 0; run != 4; ++run)
    cost.addShared(42000, 82000, 2000, 2);
  EXPECT_NEAR(cost.expected(2000), 4e7, 4e4);
  EXPECT_EQ(cost.shareAmong(2000, 2), Sharing::No);
  EXPECT_TRUE(cost.staysAlone(2000, 2));
}

/// A first time that was chance does not decide for ever.
TEST(NodeCostTest, WhatIsSharedNowAndThenRunsAlone) {
  NodeCost cost;
  addTimings(cost, 100000, 2000);
  int numTries = 0;
  for (int run = 0; run != 1000; ++run) {
    Sharing sharing = cost.shareAmong(2000, 2);
    if (sharing == Sharing::TryAlone)
      ++numTries;
    else
      ASSERT_EQ(sharing, Sharing::Yes);
  }
  EXPECT_GE(numTries, 3);
  EXPECT_LE(numTries, 8);
}

TEST(NodeCostTest, NothingIsFasterForBeingShared) {
  NodeCost cost;
  addTimings(cost, 100000, 2000);
  cost.addShared(12000, 20000, 2000, 2);
  EXPECT_NEAR(cost.expected(2000), 2e7, 2e4);
}

TEST(NodeCostTest, WhatLosesIsTriedAfterEverLongerPauses) {
  NodeCost cost;
  addTimings(cost, 20000, 2000);
  // The run that was shared took longer than one worker.
  ASSERT_EQ(cost.shareAmong(2000, 2), Sharing::Yes);
  for (int run = 0; run != 10; ++run)
    cost.addShared(40000, 20000, 2000, 2);
  int sinceLast = 0, longest = 0, numTries = 0;
  for (int run = 0; run != 10000; ++run) {
    Sharing sharing = cost.shareAmong(2000, 2);
    ASSERT_NE(sharing, Sharing::Yes);
    ++sinceLast;
    if (sharing == Sharing::No)
      continue;
    // Four in a row, the first of which wakes workers.
    if (sinceLast > 1) {
      EXPECT_GE(sinceLast, longest);
      longest = sinceLast;
    }
    sinceLast = 0;
    ++numTries;
    cost.addShared(40000, 20000, 2000, 2);
  }
  EXPECT_EQ(numTries % 4, 0);
  EXPECT_GT(numTries, 5);
  EXPECT_GT(longest, 1000);
  // Ten times as much work is worth it.
  EXPECT_EQ(cost.shareAmong(20000, 2), Sharing::Yes);
}

/// Workers sleep while a node runs alone, and waking them takes longer than it
/// gains; when they are awake, sharing is better.
TEST(NodeCostTest, WakingWorkersIsNotWhatSharingCosts) {
  NodeCost cost;
  addTimings(cost, 20000, 2000);
  for (int run = 0; run != 10; ++run)
    cost.addShared(60000, 20000, 2000, 2);
  ASSERT_EQ(cost.shareAmong(2000, 2), Sharing::No);
  bool isAwake = false;
  int numShared = 0;
  for (int run = 0; run != 2000; ++run) {
    Sharing sharing = cost.shareAmong(2000, 2);
    bool isShared = sharing == Sharing::Yes || sharing == Sharing::TryShared;
    numShared += isShared;
    if (isShared)
      cost.addShared(isAwake ? 11500 : 60000, 20000, 2000, 2);
    isAwake = isShared;
  }
  EXPECT_GT(numShared, 1500);
}

TEST(NodeCostTest, WhatWinsAgainIsSharedAgain) {
  NodeCost cost;
  addTimings(cost, 20000, 2000);
  for (int run = 0; run != 10; ++run)
    cost.addShared(40000, 20000, 2000, 2);
  ASSERT_EQ(cost.shareAmong(2000, 2), Sharing::No);
  for (int run = 0; run != 10; ++run)
    cost.addShared(10500, 20000, 2000, 2);
  EXPECT_EQ(cost.shareAmong(2000, 2), Sharing::Yes);
}

/// Other programs on the machine may stop a worker for long.
TEST(NodeCostTest, OneInterruptionDoesNotCountForLargeNodes) {
  NodeCost cost;
  addTimings(cost, 200000, 2000);
  for (int run = 0; run != 100; ++run)
    cost.addShared(400000000, 200000, 2000, 2);
  EXPECT_EQ(cost.shareAmong(2000, 2), Sharing::Yes);
}

namespace {
/// A long node on a simulated clock: `alone` nanoseconds on one worker, and
/// `busy` in all, if two workers share it.
struct LongNode {
  uint64_t alone, busy;
  NodeCost cost = {};
  uint64_t time = 0;
  int numAlone = 0;

  void run(int times) {
    time = numAlone = 0;
    for (int i = 0; i < times; ++i) {
      const Sharing sharing = cost.shareAmong(64, 2);
      const bool isAlone =
          sharing == Sharing::No || sharing == Sharing::TryAlone;
      const uint64_t taken = isAlone ? alone : busy / 2;
      time += taken;
      numAlone += isAlone;
      if (isAlone)
        cost.addTiming(alone, 64);
      else
        cost.addShared(taken, busy, 64, 2);
    }
  }
};
} // namespace

/// What was only ever shared may be slower for that, however long it takes.
TEST(NodeCostTest, WhatSharingSlowsDownRunsAloneAfterSomeRuns) {
  LongNode node{/*alone=*/400'000, /*busy=*/1'400'000};
  node.run(200);
  EXPECT_GT(node.numAlone, 100);
  node.run(2000);
  EXPECT_LE(node.time, uint64_t(2000) * 404'000);
}

/// But finding that out costs at most a fiftieth if it is not.
TEST(NodeCostTest, LookingForThatLosesLittle) {
  for (uint64_t alone : {uint64_t(1'000'000), uint64_t(4'000'000'000)}) {
    LongNode node{alone, /*busy=*/alone};
    for (int part = 0; part < 10; ++part) {
      node.run(300);
      EXPECT_LE(node.time, 300 * (alone / 2) * 51 / 50 + alone);
    }
    node.run(1024);
    EXPECT_GE(node.numAlone, 1);
  }
}

/// Times of a kernel that is no longer used do not count.
TEST(NodeCostTest, AnotherKernelIsMeasuredAnew) {
  static const char kernels[3] = {};
  NodeCost cost;
  cost.estimate(10);
  auto run = [&](int kernel, uint64_t time) {
    cost.useKernel(&kernels[kernel]);
    const Sharing sharing = cost.shareAmong(2000, 2);
    if (sharing == Sharing::No || sharing == Sharing::TryAlone)
      cost.addTiming(time, 2000);
    else
      cost.addShared(time / 2, time, 2000, 2);
    return sharing;
  };
  for (int i = 0; i < 10; ++i)
    run(0, 150'000);
  ASSERT_NE(cost.expected(2000), UINT64_MAX);
  // Now and then another one runs.
  for (int i = 0; i < 100; ++i)
    ASSERT_NE(run(i % 3, 150'000), Sharing::No);
  EXPECT_NEAR(cost.expected(2000), 150e6, 1e6);
  for (int i = 0; i < 10; ++i)
    run(1, 30'000);
  EXPECT_NEAR(cost.expected(2000), 30e6, 1e6);
}
