//===- PlainCostTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice between one worker and several, with invented times: the number of
// runs of each kind shows whether the choice is right.
//
//===----------------------------------------------------------------------===//

#include "PlainCost.h"

#include <gtest/gtest.h>

#include <random>

using namespace sluice;

namespace {
/// A graph whose nodes take so long, in nanoseconds each.
struct Machine {
  uint64_t alone, shared;
  uint32_t numNodes = 4096;
  PlainCost cost = {};
  unsigned numShared = 0;
  uint64_t time = 0; ///< of all runs

  /// One run; `interruption` comes before its first node.
  void run(uint64_t interruption = 0) {
    PlainCost::Way way = cost.next(numNodes);
    time += interruption;
    uint32_t done = 0;
    if (!way.isShared) {
      done = way.isTimed ? runTimed(interruption) : numNodes;
      time += alone * done;
    }
    if (done == numNodes)
      return;
    ++numShared;
    time += shared * (numNodes - done);
    if (way.isTimed)
      cost.addShared(shared * (numNodes - done), numNodes - done);
  }
  void runOften(unsigned times) {
    numShared = time = 0;
    for (unsigned i = 0; i < times; ++i)
      run();
  }

private:
  /// How many nodes one worker runs before others are invited.
  uint32_t runTimed(uint64_t interruption) {
    for (uint32_t end = 1;; end = std::min(2 * end, numNodes)) {
      uint64_t taken = interruption + alone * end;
      const bool isSlow = cost.isSlow(taken, end);
      if (isSlow || end == numNodes)
        cost.addAlone(taken, end);
      if (isSlow || end == numNodes)
        return end;
    }
  }
};
} // namespace

TEST(PlainCost, CheapNodesAreNeverShared) {
  Machine machine = {.alone = 2, .shared = 1};
  machine.runOften(500);
  EXPECT_EQ(machine.numShared, 0u);
}

TEST(PlainCost, DearNodesAreSharedFromTheFirstRunOn) {
  Machine machine = {.alone = 20000, .shared = 10000};
  machine.runOften(500);
  EXPECT_EQ(machine.numShared, 500u);
}

TEST(PlainCost, WhatSharingMakesSlowerStaysWithOneWorker) {
  Machine machine = {.alone = 60, .shared = 90};
  machine.runOften(40);
  machine.runOften(1000);
  EXPECT_LE(machine.numShared, 8u);
}

TEST(PlainCost, WhatSharingMakesFasterIsShared) {
  Machine machine = {.alone = 90, .shared = 60};
  machine.runOften(40);
  machine.runOften(1000);
  EXPECT_GE(machine.numShared, 970u);
}

TEST(PlainCost, AnInterruptionDoesNotDecideForLong) {
  Machine machine = {.alone = 2, .shared = 50};
  machine.run(3000000); // Looks slow, and the rest is shared.
  EXPECT_EQ(machine.numShared, 1u);
  machine.runOften(40);
  machine.runOften(500);
  EXPECT_EQ(machine.numShared, 0u);
  // Shorter than the slack: it is not even seen.
  machine.run(4000);
  EXPECT_EQ(machine.numShared, 0u);
}

TEST(PlainCost, ChangedWorkIsSeen) {
  Machine machine = {.alone = 2, .shared = 50};
  machine.runOften(100);
  machine.alone = 4000, machine.shared = 2000;
  machine.runOften(64);
  EXPECT_EQ(machine.numShared, 64u);
  machine.alone = 2, machine.shared = 50;
  machine.runOften(64);
  EXPECT_LE(machine.numShared, 1u);
}

/// Also in graphs so small that runs alone are rarely timed.
TEST(PlainCost, SmallGraphsAreNeverSlowForLong) {
  Machine machine = {.alone = 20000, .shared = 11000, .numNodes = 64};
  machine.runOften(100);
  machine.alone = 200000, machine.shared = 110000;
  machine.runOften(20);
  EXPECT_LE(machine.time, 21 * machine.shared * machine.numNodes);
}

/// As a program does that tries grains in any order.
TEST(PlainCost, FewRunsOfEachWorkAreEnough) {
  std::mt19937 random(1);
  const uint64_t grains[] = {2, 30, 80, 150, 400, 1600, 20000};
  Machine machine = {.alone = 0, .shared = 0};
  uint64_t time = 0, best = 0;
  for (int i = 0; i < 500; ++i) {
    machine.alone = grains[random() % std::size(grains)];
    machine.shared = machine.alone / 2 + 60;
    machine.runOften(6);
    uint64_t ideal =
        6 * machine.numNodes * std::min(machine.alone, machine.shared);
    // Besides one run in which the change is seen.
    EXPECT_LE(machine.time,
              ideal + ideal / 10 + machine.numNodes * machine.shared)
        << machine.alone;
    time += machine.time, best += ideal;
  }
  EXPECT_LE(time, best + best / 20);
}
