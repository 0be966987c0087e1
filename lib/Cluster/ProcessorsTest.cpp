//===- ProcessorsTest.cpp - Tests of sharing a machine's processors -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates machines with many processors, on which the tests rarely run.
//
//===----------------------------------------------------------------------===//

#include "Processors.h"

#include "gtest/gtest.h"

using namespace sluice::cluster;

/// The processors from `begin` to `end`.
static ProcessorSet processors(size_t begin, size_t end) {
  ProcessorSet set = {};
  for (size_t i = begin; i < end; ++i)
    CPU_SET_S(i, sizeof set, set.data());
  return set;
}

/// The share of the first set.
static uint32_t shareOfFirst(const std::vector<ProcessorSet> &sets) {
  return shareOf(sets.front(), sets);
}

TEST(ProcessorsTest, RanksThatAreBoundToNothingShareTheMachine) {
  const ProcessorSet machine = processors(0, 64);
  EXPECT_EQ(shareOfFirst({machine}), 64u);
  EXPECT_EQ(shareOfFirst({machine, machine}), 32u);
  EXPECT_EQ(shareOfFirst({machine, machine, machine}), 21u);
  EXPECT_EQ(shareOfFirst(std::vector(49, machine)), 1u);
  EXPECT_EQ(shareOfFirst(std::vector(100, machine)), 1u);
}

TEST(ProcessorsTest, RanksHaveWhatTheyAreBoundTo) {
  const ProcessorSet first = processors(0, 32), second = processors(32, 64);
  EXPECT_EQ(shareOfFirst({first, second}), 32u);
  EXPECT_EQ(shareOfFirst({first, second, first, second}), 16u);
  EXPECT_EQ(shareOfFirst({first, second, first}), 16u);
  EXPECT_EQ(shareOfFirst({second, first, first}), 32u);
}

TEST(ProcessorsTest, SetsMayOverlapInPart) {
  const ProcessorSet most = processors(0, 6), end = processors(4, 8);
  EXPECT_EQ(shareOfFirst({most, end}), 5u); // four of its own, two halves
  EXPECT_EQ(shareOfFirst({end, most}), 3u);
}

TEST(ProcessorsTest, MachinesMayHaveThousands) {
  const ProcessorSet machine = processors(0, 8192),
                     end = processors(8000, 8192);
  EXPECT_EQ(shareOfFirst({machine, machine}), 4096u);
  EXPECT_EQ(shareOfFirst({end, machine}), 96u);
}

TEST(ProcessorsTest, WhereNothingIsKnownThereIsOne) {
  EXPECT_EQ(shareOfFirst({ProcessorSet{}}), 1u);
}
