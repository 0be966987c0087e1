//===- PartitionTest.cpp - How nodes are split into chunks ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Units of 512 rows of 512, each of which takes four nanoseconds.
//
//===----------------------------------------------------------------------===//

#include "Partition.h"

#include <gtest/gtest.h>

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
