//===- PartitionTest.cpp - How nodes are split into chunks ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Units of 512 rows of 512, each of which takes four nanoseconds.
//
//===----------------------------------------------------------------------===//

#include "Partition.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

using namespace sluice;

static Partition split(uint64_t chunkRows, unsigned numWorkers,
                       uint64_t rows = 512) {
  NodeCounts counts;
  counts.instances = counts.units = rows * 512;
  counts.rowUnits = 512;
  counts.chunkRows = chunkRows;
  return splitUnits(counts, /*unitCost=*/4000, numWorkers);
}

TEST(PartitionTest, EightChunksAWorkerWhereTheyAreLong) {
  EXPECT_EQ(split(0, 2).numChunks, 16u);
  EXPECT_EQ(split(0, 2).granule, 512u);
  EXPECT_EQ(split(0, 1).numChunks, 1u);
}

TEST(PartitionTest, ChunksThatCopyHaveManyRows) {
  EXPECT_EQ(split(128, 2).numChunks, 4u);
  EXPECT_EQ(split(128, 2, 4096).numChunks, 16u);
  EXPECT_EQ(split(128, 1).numChunks, 1u);
}

TEST(PartitionTest, EveryWorkerHasAnEqualShareOfCopyingChunks) {
  EXPECT_EQ(split(128, 3).numChunks, 3u);
  EXPECT_EQ(split(128, 16).numChunks, 16u);
  EXPECT_EQ(split(128, 2, 100).numChunks, 2u);
}

static Partition inSteps(uint64_t units, uint64_t step, unsigned numWorkers,
                         uint64_t unitCost) {
  NodeCounts counts;
  counts.instances = counts.units = counts.rowUnits = units;
  return splitUnits(counts, unitCost, numWorkers, leastChunkCost, step);
}

static std::vector<uint64_t> lengths(const Partition &partition) {
  std::vector<uint64_t> result;
  for (uint32_t i = 0; i < partition.numChunks; ++i)
    result.push_back(partition.chunk(i).end - partition.chunk(i).begin);
  return result;
}

TEST(PartitionTest, ChunksAreWholeSteps) {
  using Lengths = std::vector<uint64_t>;
  const uint64_t unitCost = 10'000'000;
  EXPECT_EQ(lengths(inSteps(64, 16, 2, unitCost)), Lengths({16, 16, 16, 16}));
  EXPECT_EQ(lengths(inSteps(70, 16, 2, unitCost)),
            Lengths({16, 16, 16, 16, 6}));
  EXPECT_EQ(lengths(inSteps(20, 16, 2, unitCost)), Lengths({16, 4}));
  // Too few steps: each worker has as much to do.
  EXPECT_EQ(lengths(inSteps(16, 16, 2, unitCost)), Lengths({8, 8}));
  EXPECT_EQ(lengths(inSteps(33, 16, 4, unitCost)), Lengths({9, 8, 8, 8}));
  EXPECT_EQ(lengths(inSteps(64, 1, 2, unitCost)).size(), 16u);
  EXPECT_EQ(lengths(inSteps(64, 16, 1, unitCost)), Lengths({64}));
}

/// Whatever the numbers are, chunks cover all units, none is empty, all but the
/// last are whole steps or each worker has one, and no worker has more than a
/// step beyond its share.
TEST(PartitionTest, AnyStepsMakeAPartition) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    const uint64_t step = uint64_t(1) << random() % 8;
    const uint64_t units = 1 + random() % (1u << (1 + random() % 16));
    const unsigned numWorkers = 1 + random() % 20;
    NodeCounts counts;
    counts.instances = counts.units = units;
    counts.rowUnits = random() % 2 ? units : 1 + random() % units;
    const Partition partition =
        splitUnits(counts, random() % 3 ? random() % 100'000'000 : 0,
                   numWorkers, leastChunkCost, step);
    ASSERT_GE(partition.numChunks, 1u);
    const bool isWhole = partition.granule % step == 0;
    const bool areRows = partition.granule == counts.rowUnits;
    ASSERT_TRUE(isWhole || areRows || partition.numChunks <= numWorkers)
        << units << " units, steps of " << step;
    uint64_t end = 0, longest = 0;
    for (uint32_t i = 0; i < partition.numChunks; ++i) {
      const UnitRange range = partition.chunk(i);
      ASSERT_EQ(range.begin, end);
      ASSERT_LT(range.begin, range.end);
      end = range.end;
      longest = std::max(longest, range.end - range.begin);
    }
    ASSERT_EQ(end, units);
    ASSERT_LE(longest, units / partition.numChunks + 2 * partition.granule);
  }
}
