//===- WindowsTest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memory may live in windows, and how large these must be: walks over
// random groups never need a byte that another one has taken the place of.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include "Testing/PlanBuilder.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace sluice;
using namespace sluice::test;

namespace {

void noKernel(const SluiceInvocation *, uint64_t, uint64_t) {}
void touchNothing(const unsigned char *, const int64_t *, uint64_t, uint64_t,
                  SluiceDeviceRange *) {}

/// image -> a -> b -> picture, in rows of 8 bytes.
struct Chain {
  Chain() {
    builder.buffer("image", SLUICE_ACCESS_IN);
    for (const char *name : {"a", "b"})
      builder.buffer(name, SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT,
                     SLUICE_PORT_TEMPORARY);
    builder.buffer("picture", SLUICE_ACCESS_OUT);
    for (uint32_t i = 0; i < 3; ++i) {
      builder.node("root/blur", noKernel, {8, 100});
      builder.operand(i, 2 * i, SLUICE_ACCESS_IN);
      builder.operand(i, 2 * i + 2, SLUICE_ACCESS_OUT);
      touched[i] = {2 * i, 2 * i + 2};
      builder.at(i).touch = touchNothing;
      builder.at(i).touched = touched[i].data();
      builder.at(i).numTouched = 2;
    }
  }
  TileWindows find(uint32_t first = 0, uint32_t end = 3) {
    builder.finish();
    return findWindows(builder.plan, first, end);
  }

  PlanBuilder builder;
  std::vector<uint32_t> touched[3];
};

/// Nodes in random order of memory: each writes one window or is final, and
/// reads windows that were written before.
struct RandomGroup {
  explicit RandomGroup(std::mt19937 &random) {
    const uint32_t numNodes = 2 + random() % 5;
    offsets.resize(1);
    for (uint32_t i = 1; i < numNodes; ++i)
      offsets.push_back({offsets.back().ahead + random() % 3,
                         offsets.back().behind + random() % 3});
    for (uint32_t i = 0; i < numNodes; ++i) {
      nodeRows.push_back(1 + random() % 60);
      windows.isFinal.push_back(i + 1 == numNodes || random() % 6 == 0);
      windows.ofNode.push_back(
          {i == 0 ? SLUICE_NO_INDEX : source(random, i),
           windows.isFinal[i] ? SLUICE_NO_INDEX : addWindow(i)});
    }
  }

  uint32_t addWindow(uint32_t node) {
    windows.arguments.push_back(node);
    writers.push_back(node);
    return static_cast<uint32_t>(windows.arguments.size()) - 1;
  }
  uint32_t source(std::mt19937 &random, uint32_t) {
    return windows.arguments.empty() ? SLUICE_NO_INDEX
                                     : random() % windows.arguments.size();
  }
  /// Rows of the window's writer that a row meets.
  RowRange read(uint32_t node, uint64_t begin, uint64_t end) const {
    const uint32_t writer = writers[windows.ofNode[node][0]];
    const uint64_t behind = offsets[node].behind - offsets[writer].behind;
    const uint64_t ahead = offsets[node].ahead - offsets[writer].ahead;
    return {begin - std::min(begin, behind),
            std::min(end + ahead, nodeRows[writer])};
  }
  std::span<const SluiceDeviceRange> touch(uint32_t node, uint64_t begin,
                                           uint64_t end) {
    ranges.assign(2, {});
    if (windows.ofNode[node][0] != SLUICE_NO_INDEX)
      if (auto [first, last] = read(node, begin, end); first < last) {
        ranges[0].readFirst = int64_t(rowBytes * first);
        ranges[0].readEnd = int64_t(rowBytes * last);
      }
    ranges[1].writtenFirst = int64_t(rowBytes * begin);
    ranges[1].writtenEnd = int64_t(rowBytes * end);
    return ranges;
  }

  static constexpr uint64_t rowBytes = 8;
  std::vector<TileOffset> offsets;
  std::vector<uint64_t> nodeRows;
  TileWindows windows;
  std::vector<uint32_t> writers;
  std::vector<SluiceDeviceRange> ranges;
};

/// Writes and reads rows where they lie in windows of the given sizes.
void walkRegion(const RandomGroup &group, const WindowWalk &walk,
                uint32_t region, const std::vector<uint64_t> &sizes,
                std::vector<std::vector<int>> &runs) {
  // Which row lies at each place of each window.
  std::vector<std::map<uint64_t, uint64_t>> held(sizes.size());
  walk.region(region, [&](uint32_t node, uint64_t begin, uint64_t end) {
    auto [from, to] =
        std::pair(group.windows.ofNode[node][0], group.windows.ofNode[node][1]);
    for (uint64_t row = begin; row < end; ++row)
      ++runs[node][row];
    if (from != SLUICE_NO_INDEX) {
      auto [first, last] = group.read(node, begin, end);
      for (uint64_t row = first; row < last; ++row)
        EXPECT_EQ(held[from][8 * row % sizes[from]], row + 1)
            << "node " << node << " needs row " << row;
    }
    for (uint64_t row = begin; to != SLUICE_NO_INDEX && row < end; ++row)
      held[to][8 * row % sizes[to]] = row + 1;
    return true;
  });
}

} // namespace

TEST(WindowsTest, WhatIsTemporaryMayBeAWindow) {
  Chain chain;
  TileWindows windows = chain.find();
  EXPECT_EQ(windows.arguments, (std::vector<uint32_t>{2, 4}));
  EXPECT_EQ(windows.isFinal, (std::vector<bool>{false, false, true}));
  EXPECT_EQ(windows.ofNode[1], (std::vector<uint32_t>{0, 1}));
}

TEST(WindowsTest, WhatOtherNodesTakeIsNone) {
  Chain chain;
  EXPECT_EQ(chain.find(0, 2).arguments, (std::vector<uint32_t>{2}));
  chain.builder.node("root/other", noKernel);
  chain.builder.operand(3, 2, SLUICE_ACCESS_IN);
  EXPECT_TRUE(chain.find().arguments.empty());
}

TEST(WindowsTest, WhatIsNotKnownIsNone) {
  Chain chain;
  chain.builder.at(2).touch = nullptr;
  EXPECT_TRUE(chain.find().arguments.empty());
}

TEST(WindowsTest, RowsThatWriteForOthersDoNotRunTwice) {
  Chain both;
  both.builder.operand(1, 6, SLUICE_ACCESS_OUT);
  EXPECT_TRUE(both.find().arguments.empty());
  // The picture that is blurred is blurred in place.
  Chain inPlace;
  inPlace.builder.operand(2, 0, SLUICE_ACCESS_OUT);
  EXPECT_TRUE(inPlace.find().arguments.empty());
  Chain values;
  uint64_t array;
  values.builder.output(1, "value", 8, true, &array);
  EXPECT_TRUE(values.find().arguments.empty());
}

TEST(WindowsTest, EveryByteStaysAsLongAsItIsNeeded) {
  for (unsigned seed = 0; seed < 400 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    RandomGroup group(random);
    const uint64_t rows =
        *std::max_element(group.nodeRows.begin(), group.nodeRows.end());
    WindowWalk walk(group.offsets, group.windows, group.nodeRows,
                    1 + random() % 9,
                    1 + random() % std::min<uint64_t>(rows, 5));
    auto touch = [&](uint32_t node, uint64_t begin, uint64_t end) {
      return group.touch(node, begin, end);
    };
    auto sizes = measureWindows(walk, group.windows, touch, UINT64_MAX / 2);
    ASSERT_TRUE(sizes);
    std::vector<std::vector<int>> runs, ends(group.nodeRows.size());
    for (uint64_t count : group.nodeRows)
      runs.emplace_back(count);
    for (uint32_t region = 0; region < walk.regions(); ++region) {
      walkRegion(group, walk, region, *sizes, runs);
      for (uint32_t node = 0; node < walk.numNodes(); ++node)
        if (walk.endsIn(node, region))
          ends[node].push_back(int(region));
    }
    for (uint32_t node = 0; node < walk.numNodes(); ++node) {
      EXPECT_EQ(ends[node].size(), 1u);
      for (int count : runs[node]) {
        EXPECT_TRUE(!group.windows.isFinal[node] || count == 1);
      }
    }
  }
}

TEST(WindowsTest, WhatIsTooLargeOrUnknownIsNotMeasured) {
  std::vector<TileOffset> offsets = {{}, {1, 1}};
  TileWindows windows;
  windows.arguments = {0};
  windows.ofNode = {{0}, {0}};
  windows.isFinal = {false, true};
  WindowWalk walk(offsets, windows, {100, 100}, 4, 1);
  SluiceDeviceRange range = {};
  auto touch = [&](uint32_t, uint64_t begin, uint64_t end) {
    range = {};
    range.writtenFirst = int64_t(8 * begin);
    range.writtenEnd = int64_t(8 * end);
    return std::span<const SluiceDeviceRange>(&range, 1);
  };
  // A strip of four rows, and the row that is ahead of it.
  EXPECT_EQ(*measureWindows(walk, windows, touch, 1000),
            (std::vector<uint64_t>{40}));
  EXPECT_FALSE(measureWindows(walk, windows, touch, 39));
  auto unknown = [&](uint32_t, uint64_t, uint64_t) {
    range.readFirst = INT64_MIN;
    range.readEnd = INT64_MAX;
    return std::span<const SluiceDeviceRange>(&range, 1);
  };
  EXPECT_FALSE(measureWindows(walk, windows, unknown, UINT64_MAX / 2));
}
