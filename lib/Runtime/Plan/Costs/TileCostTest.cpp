//===- TileCostTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which way is chosen for given times.
//
//===----------------------------------------------------------------------===//

#include "TileCost.h"

#include <gtest/gtest.h>

using namespace sluice;

using Kind = TileWay::Kind;

namespace {

/// Launches of `bytes` bytes that take `strips` or `plain` nanoseconds; how
/// many went strip by strip.
unsigned stripsOf(TileCost &cost, unsigned launches, uint64_t bytes,
                  bool isLarge, uint64_t strips, uint64_t plain,
                  unsigned numWorkers = 2) {
  unsigned count = 0;
  for (unsigned i = 0; i < launches; ++i) {
    TileCost::Choice choice = cost.next(bytes, isLarge, numWorkers, {});
    const bool isPlain = choice.way.kind == Kind::OneByOne;
    EXPECT_EQ(choice.isForced, !isPlain && !isLarge);
    cost.add(choice, bytes, isPlain ? plain : strips);
    count += !isPlain;
  }
  return count;
}

} // namespace

TEST(TileCost, TheFasterWayIsUsed) {
  for (bool isLarge : {false, true}) {
    TileCost fast("root"), slow("root");
    EXPECT_GT(stripsOf(fast, 1000, 1 << 24, isLarge, 1000000, 1500000), 970u);
    EXPECT_LT(stripsOf(slow, 1000, 1 << 24, isLarge, 1500000, 1000000), 30u);
  }
}

TEST(TileCost, TheFirstLaunchesGoBySize) {
  TileCost large("root"), small("root");
  EXPECT_EQ(stripsOf(large, 3, 1 << 24, true, 1, 1), 3u);
  EXPECT_EQ(stripsOf(small, 3, 1 << 16, false, 1, 1), 0u);
  EXPECT_EQ(stripsOf(large, 1, 1 << 24, true, 1, 1), 0u);
  EXPECT_EQ(stripsOf(small, 1, 1 << 16, false, 1, 1), 1u);
}

TEST(TileCost, TheOtherWayIsTriedAgain) {
  TileCost cost("root");
  stripsOf(cost, 100, 1 << 24, true, 1000000, 1500000);
  EXPECT_LT(stripsOf(cost, 5000, 1 << 24, true, 1500000, 1000000), 1000u);
  EXPECT_LT(stripsOf(cost, 1000, 1 << 24, true, 1500000, 1000000), 20u);
}

TEST(TileCost, SizesAreApart) {
  TileCost cost("root");
  stripsOf(cost, 100, 1 << 24, true, 1000000, 1500000);
  EXPECT_LT(stripsOf(cost, 100, 1 << 26, true, 1500000, 1000000), 20u);
  EXPECT_GT(stripsOf(cost, 100, 1 << 24, true, 1000000, 1500000), 90u);
}

TEST(TileCost, OneWorkerNeverWaits) {
  TileCost cost("root");
  EXPECT_EQ(stripsOf(cost, 100, 1 << 16, false, 1, 2, 1), 0u);
  // Windows may help nevertheless.
  TileCost windows("root");
  TiledTimes shape;
  shape.mayKeepWindows = true;
  for (unsigned i = 0; i < 3; ++i)
    windows.add(windows.next(1 << 16, false, 1, shape), 1 << 16, 1000);
  EXPECT_TRUE(windows.next(1 << 16, false, 1, shape).isForced);
}

TEST(TileCost, WhatWasTunedIsUsed) {
  TileCost cost("root");
  const TileWay all{Kind::OneByOne}, some{Kind::Windows, 8, 0, 2};
  cost.setWays(std::vector<TunedGraph>{
      {"root", 20u, some}, {"root", std::nullopt, all}, {"other", 21u, some}});
  for (unsigned i = 0; i < 50; ++i) {
    EXPECT_EQ(cost.next(1 << 20, true, 2, {}).way, some);
    EXPECT_EQ(cost.next(1 << 21, true, 2, {}).way, all);
  }
}

TEST(TileCost, TimesAreThoseOfLaunches) {
  TileCost cost("root");
  EXPECT_TRUE(cost.times().empty());
  for (uint64_t time : {300, 100, 200}) {
    TiledTimes shape{"", 0, time, 3, time == 100, 0, 0, 0};
    cost.add(cost.next(1 << 20, true, 2, shape), 1 << 20, time);
  }
  std::vector<TiledTimes> times = cost.times();
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].graph, "root");
  EXPECT_EQ(times[0].sizeClass, 20u);
  EXPECT_EQ(times[0].launches, 3u);
  EXPECT_EQ(times[0].fastest, 100u);
  EXPECT_EQ(times[0].total, 600u);
  EXPECT_EQ(times[0].rows, 300u);
  EXPECT_TRUE(times[0].mayKeepWindows);
}
