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

TEST(NodeCostTest, WhatTakesAMicrosecondNeverIs) {
  NodeCost cost;
  cost.estimate(1);
  for (int run = 0; run != 5000; ++run)
    ASSERT_EQ(cost.shareAmong(1000, 2), Sharing::No);
}

TEST(NodeCostTest, WhatLosesIsTriedAfterEverLongerPauses) {
  NodeCost cost;
  cost.estimate(10);
  // Twenty microseconds; the run that was shared took longer than one worker.
  ASSERT_EQ(cost.shareAmong(2000, 2), Sharing::Yes);
  for (int run = 0; run != 10; ++run)
    cost.addShared(40000, 20000, 2);
  int sinceLast = 0, longest = 0, numTries = 0;
  for (int run = 0; run != 10000; ++run) {
    Sharing sharing = cost.shareAmong(2000, 2);
    ASSERT_NE(sharing, Sharing::Yes);
    ++sinceLast;
    if (sharing == Sharing::No)
      continue;
    EXPECT_GE(sinceLast, longest);
    longest = sinceLast;
    sinceLast = 0;
    ++numTries;
    cost.addShared(40000, 20000, 2);
  }
  EXPECT_GT(numTries, 5);
  EXPECT_GT(longest, 1000);
  // Ten times as much work is worth it.
  EXPECT_EQ(cost.shareAmong(20000, 2), Sharing::Yes);
}

TEST(NodeCostTest, WhatWinsAgainIsSharedAgain) {
  NodeCost cost;
  cost.estimate(10);
  for (int run = 0; run != 10; ++run)
    cost.addShared(40000, 20000, 2);
  ASSERT_EQ(cost.shareAmong(2000, 2), Sharing::No);
  for (int run = 0; run != 10; ++run)
    cost.addShared(10500, 20000, 2);
  EXPECT_EQ(cost.shareAmong(2000, 2), Sharing::Yes);
}

/// Other programs on the machine may stop a worker for long.
TEST(NodeCostTest, OneInterruptionDoesNotCountForLargeNodes) {
  NodeCost cost;
  cost.estimate(100);
  for (int run = 0; run != 100; ++run)
    cost.addShared(400000000, 200000, 2);
  EXPECT_EQ(cost.shareAmong(2000, 2), Sharing::Yes);
}
