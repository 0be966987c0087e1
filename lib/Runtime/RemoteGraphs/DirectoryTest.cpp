//===- DirectoryTest.cpp - Which ranks have which bytes -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random reads and writes against a list of holders for each byte.
//
//===----------------------------------------------------------------------===//

#include "Directory.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace sluice;

static std::vector<RankMove> fetch(Directory &directory, uint32_t rank,
                                   ByteRange bytes) {
  std::vector<RankMove> moves;
  directory.findMissing(rank, bytes, moves);
  directory.arrived(moves);
  return moves;
}

TEST(Directory, KnowsObjects) {
  Directory directory;
  directory.track(100, 20);
  directory.track(120, 10);
  EXPECT_EQ(directory.objectOf({100, 120}), (ByteRange{100, 120}));
  EXPECT_EQ(directory.objectOf({125, 130}), (ByteRange{120, 130}));
  EXPECT_TRUE(directory.objectOf({110, 121}).isEmpty());
  EXPECT_TRUE(directory.objectOf({99, 100}).isEmpty());
  EXPECT_TRUE(directory.objectOf({130, 131}).isEmpty());
  EXPECT_EQ(directory.trackedIn({90, 200}),
            (std::vector<ByteRange>{{100, 120}, {120, 130}}));
  EXPECT_EQ(directory.trackedIn({115, 125}),
            (std::vector<ByteRange>{{115, 120}, {120, 125}}));
  EXPECT_TRUE(directory.trackedIn({130, 140}).empty());
  directory.untrack(100);
  EXPECT_EQ(directory.all(), (std::vector<ByteRange>{{120, 130}}));
  // What an object at the same place had before is forgotten.
  directory.write(3, {120, 130});
  directory.untrack(120);
  directory.track(120, 10);
  EXPECT_TRUE(directory.isHomeOnly({120, 130}));
}

TEST(Directory, MovesWhatIsMissing) {
  Directory directory;
  directory.track(1000, 100);
  EXPECT_EQ(fetch(directory, 2, {1010, 1050}),
            (std::vector<RankMove>{{0, 2, {1010, 1050}}}));
  EXPECT_EQ(
      fetch(directory, 2, {1000, 1100}),
      (std::vector<RankMove>{{0, 2, {1000, 1010}}, {0, 2, {1050, 1100}}}));
  EXPECT_FALSE(directory.isAnyAway());
  directory.write(2, {1040, 1060});
  EXPECT_TRUE(directory.isAnyAway());
  EXPECT_EQ(fetch(directory, 0, {1000, 1100}),
            (std::vector<RankMove>{{2, 0, {1040, 1060}}}));
  EXPECT_FALSE(directory.isAnyAway());
  EXPECT_FALSE(directory.isHomeOnly({1000, 1100}));
}

TEST(Directory, KeepsObjectsApartThatMeet) {
  Directory directory;
  directory.track(100, 20);
  directory.track(120, 10);
  std::vector<RankMove> moves;
  for (const ByteRange &part : directory.trackedIn({110, 125}))
    directory.findMissing(1, part, moves);
  EXPECT_EQ(moves,
            (std::vector<RankMove>{{0, 1, {110, 120}}, {0, 1, {120, 125}}}));
}

TEST(Directory, TakesNothingFromWhoGetsItMeanwhile) {
  Directory directory;
  directory.track(100, 20);
  directory.write(2, {100, 120});
  std::vector<RankMove> moves;
  directory.findMissing(0, {100, 120}, moves);
  directory.findMissing(1, {100, 120}, moves);
  EXPECT_EQ(moves,
            (std::vector<RankMove>{{2, 0, {100, 120}}, {2, 1, {100, 120}}}));
}

TEST(Directory, IsRightForRandomUses) {
  constexpr uintptr_t start = 500;
  constexpr uint64_t size = 60;
  constexpr uint32_t numRanks = 5;
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    Directory directory;
    directory.track(start, size);
    std::vector<std::set<uint32_t>> holders(size, {0});
    for (unsigned step = 0; step < 100; ++step) {
      uint64_t first = random() % size, end = first + 1 + random() % size;
      end = std::min(end, size);
      const uint32_t rank = random() % numRanks;
      const ByteRange bytes = {start + first, start + end};
      if (random() % 3 == 0) {
        directory.write(rank, bytes);
        for (uint64_t i = first; i < end; ++i)
          holders[i] = {rank};
        continue;
      }
      const std::vector<RankMove> moves = fetch(directory, rank, bytes);
      std::vector<int64_t> from(size, -1);
      for (const RankMove &move : moves) {
        EXPECT_EQ(move.to, rank);
        EXPECT_FALSE(move.bytes.isEmpty());
        for (uintptr_t i = move.bytes.begin; i < move.bytes.end; ++i) {
          EXPECT_EQ(from[i - start], -1);
          from[i - start] = move.from;
        }
      }
      for (uint64_t i = 0; i < size; ++i) {
        const bool moves = i >= first && i < end && !holders[i].contains(rank);
        EXPECT_EQ(from[i], moves ? int64_t(*holders[i].begin()) : -1);
        if (moves)
          holders[i].insert(rank);
      }
    }
    bool isAnyAway = false, isHomeOnly = true;
    for (const std::set<uint32_t> &each : holders) {
      isAnyAway |= !each.contains(0);
      isHomeOnly &= each == std::set<uint32_t>{0};
    }
    EXPECT_EQ(directory.isAnyAway(), isAnyAway);
    EXPECT_EQ(directory.isHomeOnly({start, start + size}), isHomeOnly);
  }
}
