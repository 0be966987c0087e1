//===- ChangedMemoryTest.cpp - What ranks write where nobody knows --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks are threads that have random bytes, each its own. The programs of
// test/Cluster/graph-labels.test and graph-updates.test run whole nodes.
//
//===----------------------------------------------------------------------===//

#include "ChangedMemory.h"
#include "JoinTree.h"

#include "../../Cluster/Testing/ThreadCluster.h"

#include <random>
#include <thread>
#include <vector>

using namespace sluice;
using namespace sluice::test;

TEST(ChangedMemory, FindsTheFirstByteThatBothChange) {
  std::vector<char> changes(10000, 0), others(10000, 0);
  EXPECT_EQ(joinChanges(changes, others.data()), changes.size());
  changes[3] = others[3] = 7; // the same value
  changes[5000] = 1;
  others[5001] = 2;
  EXPECT_EQ(joinChanges(changes, others.data()), changes.size());
  EXPECT_EQ(changes[3], 7);
  EXPECT_EQ(changes[5000], 1);
  EXPECT_EQ(changes[5001], 2);
  others[9999] = 4;
  changes[9999] = 5;
  others[5000] = 3;
  EXPECT_EQ(joinChanges(changes, others.data()), 5000u);
}

TEST(JoinTree, BringsAllToTheFirstShare) {
  for (uint32_t numRanks : {1u, 2u, 3u, 5u, 8u}) {
    std::vector<RankShare> shares(numRanks);
    for (uint32_t i = 0; i != numRanks; ++i)
      shares[i].rank = i;
    constexpr size_t size = 4097;
    std::vector<std::vector<char>> memory(numRanks, std::vector<char>(size));
    std::vector<char> expected(size);
    std::mt19937 random(numRanks);
    for (size_t i = 0; i != size; ++i)
      memory[random() % numRanks][i] = expected[i] =
          static_cast<char>(random());
    ThreadCluster cluster(numRanks);
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank != numRanks; ++rank)
      threads.emplace_back([&, rank] {
        RankLink link(cluster.of(rank));
        std::vector<char> &own = memory[rank];
        EXPECT_EQ(shareOf(link, shares), rank);
        auto join = [&](const char *others) {
          EXPECT_EQ(joinChanges(own, others), size);
        };
        EXPECT_TRUE(joinAlongTree(link, shares, rank, own, join).ok());
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(memory[0], expected);
  }
}
