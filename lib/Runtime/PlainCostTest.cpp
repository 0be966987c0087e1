//===- PlainCostTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice between one worker and several, with times that are made up: how
// often each way is taken says whether the choice is right.
//
//===----------------------------------------------------------------------===//

#include "PlainCost.h"

#include <gtest/gtest.h>

using namespace sluice;

namespace {
/// A graph whose nodes take so long, in nanoseconds each.
struct Machine {
  uint64_t alone, shared;
  uint32_t numNodes = 4096;
  PlainCost cost;
  unsigned numShared = 0, numRuns = 0;

  /// One run; `interruption` comes before its first node.
  void run(uint64_t interruption = 0) {
    ++numRuns;
    PlainCost::Way way = cost.next();
    if (!way.isShared && way.isTimed)
      for (uint32_t end = 1; end <= numNodes; end *= 2) {
        uint64_t time = interruption + alone * end;
        bool isSlow = cost.isSlow(time, end);
        if (isSlow || end == numNodes)
          cost.addAlone(time, end);
        if (isSlow) {
          way.isShared = true;
          break;
        }
      }
    if (way.isShared) {
      ++numShared;
      if (way.isTimed)
        cost.addShared(interruption + shared * numNodes, numNodes);
    }
  }
  void runOften(unsigned times) {
    numShared = numRuns = 0;
    for (unsigned i = 0; i < times; ++i)
      run();
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
  machine.runOften(100);
  EXPECT_EQ(machine.numShared, 100u);
  machine.alone = 2, machine.shared = 50;
  machine.runOften(500);
  machine.runOften(100);
  EXPECT_LE(machine.numShared, 10u);
}
