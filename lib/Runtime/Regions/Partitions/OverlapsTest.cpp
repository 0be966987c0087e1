//===- OverlapsTest.cpp - Colors that share elements, in any order --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against a comparison of all pairs, for colors that are no neighbours, and for
// many colors with the same elements.
//
//===----------------------------------------------------------------------===//

#include "Overlaps.h"
#include "Roots.h"
#include "Rounds.h"

#include <gtest/gtest.h>

#include <random>

using namespace sluice::regions;

namespace {
class OverlapsTest : public testing::Test {
protected:
  int64_t pick(int64_t limit) { return int64_t(random() % uint64_t(limit)); }

  /// Small boxes anywhere in the root, some of them more than once; `hasRuns`:
  /// also sets that are no boxes.
  RootPartition *addPartition(uint32_t numColors, bool hasRuns) {
    auto &made = partitions.emplace_back(std::make_unique<RootPartition>());
    made->root = &root;
    for (uint32_t color = 0; color < numColors; ++color) {
      if (color && pick(4) == 0) {
        ElementSet known = made->sets[pick(color)];
        made->sets.push_back(known);
        continue;
      }
      Box box;
      for (int d = 0; d < root.shape.rank; ++d) {
        box.lower[d] = pick(root.shape.extent[d]);
        box.upper[d] = std::min(root.shape.extent[d], box.lower[d] + pick(4));
      }
      ElementSet set(box);
      if (hasRuns && pick(2)) {
        const int64_t single = pick(root.shape.count());
        set = unite(root.shape, set,
                    ElementSet(root.shape, {{single, single + 1}}));
      }
      made->sets.push_back(set);
    }
    return made.get();
  }

  std::mt19937_64 random{1};
  Root root;
  std::vector<std::unique_ptr<RootPartition>> partitions;
};
} // namespace

TEST_F(OverlapsTest, AreThoseOfAllPairs) {
  for (unsigned round = 0; round < sluice::test::rounds(60); ++round) {
    root.shape = {};
    root.shape.rank = int(1 + pick(3));
    for (int d = 0; d < root.shape.rank; ++d)
      root.shape.extent[d] = 2 + pick(20);
    const RootPartition &from = *addPartition(uint32_t(1 + pick(60)), pick(2));
    const RootPartition &to = *addPartition(uint32_t(1 + pick(60)), pick(2));
    const Overlaps overlaps(from, to);
    for (uint32_t a = 0; a < from.numColors(); ++a) {
      std::map<uint32_t, int64_t> found, expected;
      for (const Overlaps::Overlap &overlap : overlaps.of(a))
        found[overlap.color] = overlap.count;
      for (uint32_t b = 0; b < to.numColors(); ++b)
        if (int64_t count = countCommon(root.shape, from.sets[a], to.sets[b]))
          expected[to.firstAlike(b)] = count;
      ASSERT_EQ(found, expected) << "round " << round << ", color " << a;
    }
  }
}

/// Otherwise, this would have 10^10 entries.
TEST_F(OverlapsTest, ColorsWithTheSameElementsCostNothingMore) {
  root.shape = {};
  root.shape.rank = 1;
  root.shape.extent[0] = 1000;
  RootPartition partition;
  partition.root = &root;
  for (uint32_t color = 0; color < 100000; ++color) {
    Box box;
    box.lower[0] = color % 3;
    box.upper[0] = box.lower[0] + 1;
    partition.sets.push_back(ElementSet(box));
  }
  EXPECT_EQ(Overlaps(partition, partition).size(), 3u);
}

/// A tree over the order of the colors would look at 10^10 boxes.
TEST_F(OverlapsTest, AnyOrderOfManyColors) {
  root.shape = {};
  root.shape.rank = 2;
  root.shape.extent[0] = 400;
  root.shape.extent[1] = 250;
  RootPartition partition;
  partition.root = &root;
  for (int64_t color = 0; color < 100000; ++color) {
    const int64_t position = color * 7919 % 100000;
    Box box;
    box.lower[0] = position / 250;
    box.lower[1] = position % 250;
    for (int d = 0; d < 2; ++d)
      box.upper[d] = box.lower[d] + 1;
    partition.sets.push_back(ElementSet(box));
  }
  partition.isDisjoint = true;
  EXPECT_EQ(Overlaps(partition, partition).size(), 100000u);
}
