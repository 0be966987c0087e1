//===- LaunchCostsTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice for launches of many sizes, and for bursts, with invented times.
//
//===----------------------------------------------------------------------===//

#include "LaunchCosts.h"
#include "BurstCost.h"

#include <gtest/gtest.h>

#include <random>

using namespace sluice;

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
