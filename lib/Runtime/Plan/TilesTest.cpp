//===- TilesTest.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over random bands: every row of every node once, and not before the
// rows that it needs, whatever order regions and gaps are walked in.
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"

#include <gtest/gtest.h>

#include <random>

using namespace sluice;

namespace {

/// What has run; regions that may be walked at the same time do not see each
/// other's pieces.
class Rows {
public:
  Rows(const std::vector<TileOffset> &offsets, uint64_t rows)
      : offsets(offsets),
        walkers(offsets.size(), std::vector<int>(rows, nobody)) {}

  void run(uint32_t node, uint64_t begin, uint64_t end, int walker) {
    for (uint64_t row = begin; row < end; ++row) {
      ASSERT_LT(row, walkers[node].size());
      ASSERT_EQ(walkers[node][row], nobody) << "twice";
      for (uint32_t before = 0; before < node; ++before)
        checkBefore(before, node, row, walker);
      for (uint32_t after = node + 1; after < offsets.size(); ++after)
        checkAfter(node, after, row);
      walkers[node][row] = walker;
    }
  }
  /// From now on everybody sees what has run.
  void join() {
    for (auto &node : walkers)
      for (int &walker : node)
        if (walker != nobody)
          walker = everybody;
  }
  void expectAll() {
    for (auto &node : walkers)
      for (int walker : node)
        ASSERT_NE(walker, nobody);
  }

private:
  /// The rows of `before` that row `row` of `after` meets, of those there are.
  std::pair<uint64_t, uint64_t> met(uint32_t before, uint32_t after,
                                    uint64_t row) {
    uint64_t ahead = offsets[after].ahead - offsets[before].ahead;
    uint64_t behind = offsets[after].behind - offsets[before].behind;
    return {row > behind ? row - behind : 0,
            std::min(row + ahead + 1, uint64_t(walkers[before].size()))};
  }
  void checkBefore(uint32_t before, uint32_t node, uint64_t row, int walker) {
    auto [begin, end] = met(before, node, row);
    for (uint64_t other = begin; other < end; ++other) {
      int by = walkers[before][other];
      ASSERT_TRUE(by == everybody || by == walker)
          << "row " << row << " of " << node << " before row " << other
          << " of " << before;
    }
  }
  void checkAfter(uint32_t node, uint32_t after, uint64_t row) {
    for (uint64_t other = 0; other < walkers[after].size(); ++other) {
      auto [begin, end] = met(node, after, other);
      if (begin <= row && row < end) {
        ASSERT_EQ(walkers[after][other], nobody) << "too late";
      }
    }
  }

  static constexpr int nobody = -2, everybody = -1;
  const std::vector<TileOffset> &offsets;
  std::vector<std::vector<int>> walkers;
};

std::vector<TileOffset> randomOffsets(std::mt19937 &random) {
  std::vector<TileOffset> offsets(1);
  for (uint32_t i = 1 + random() % 9; i > 0; --i)
    offsets.push_back({offsets.back().ahead + random() % 3,
                       offsets.back().behind + random() % 3});
  return offsets;
}

void walkAll(const std::vector<TileBand> &bands,
             const std::vector<TileOffset> &offsets, uint64_t rows,
             std::mt19937 &random) {
  Rows done(offsets, rows);
  for (const TileBand &band : bands) {
    TileWalk walk(band, offsets);
    std::vector<uint32_t> order(band.numRegions);
    for (uint32_t i = 0; i < order.size(); ++i)
      order[i] = i;
    for (bool isGap : {false, true}) {
      std::shuffle(order.begin(), order.end(), random);
      for (uint32_t number : order) {
        auto run = [&](uint32_t node, uint64_t begin, uint64_t end) {
          done.run(node, begin, end, int(number));
          return true;
        };
        if (!isGap)
          walk.region(number, run);
        else if (number + 1 < band.numRegions)
          walk.gap(number, run);
      }
      done.join();
    }
  }
  done.expectAll();
}

} // namespace

TEST(TilesTest, EveryRowRunsOnceBehindThoseItMeets) {
  for (unsigned seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<TileOffset> offsets = randomOffsets(random);
    uint64_t rows = 1 + random() % 60;
    std::vector<TileBand> bands =
        chooseBands(offsets, {1 + random() % (2 * rows), 1, rows,
                              1 + unsigned(random() % 5)});
    walkAll(bands.empty() ? std::vector<TileBand>{{0, uint32_t(offsets.size()),
                                                   rows, 1 + random() % 5, 1}}
                          : bands,
            offsets, rows, random);
  }
}

TEST(TilesTest, WhatFitsTheCacheIsNotCut) {
  std::vector<TileOffset> offsets = {{}, {1, 1}};
  EXPECT_TRUE(chooseBands(offsets, {1000, 10, 100, 1}).empty());
  EXPECT_FALSE(chooseBands(offsets, {1000, 10, 101, 1}).empty());
  EXPECT_TRUE(chooseBands(offsets, {1000, 10, 200, 2}).empty());
}

TEST(TilesTest, RowsBeyondTheCacheAreNotCut) {
  std::vector<TileOffset> offsets = {{}, {1, 1}};
  EXPECT_TRUE(chooseBands(offsets, {1000, 1001, 1000, 1}).empty());
  EXPECT_TRUE(chooseBands(offsets, {0, 1, 1000, 1}).empty());
  EXPECT_TRUE(chooseBands(offsets, {1000, 0, 1000, 1}).empty());
}

TEST(TilesTest, NodesFarBehindAreNotInOneBand) {
  std::vector<TileOffset> offsets = {{}, {1, 1}, {2, 2}, {1000, 1000}};
  std::vector<TileBand> bands = chooseBands(offsets, {1000, 10, 5000, 1});
  ASSERT_EQ(bands.size(), 2u);
  EXPECT_EQ(bands[0].endNode, 3u);
  EXPECT_EQ(bands[1].endNode, 4u);
}
