//===- PatienceTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long threads look for work, with invented times.
//
//===----------------------------------------------------------------------===//

#include "Patience.h"

#include <gtest/gtest.h>

using namespace sluice;

namespace {
/// A thread for which work comes after so many nanoseconds, again and again.
struct Waiting {
  uint64_t usual;
  Patience patience = {};
  uint64_t looked = 0; ///< in vain or not, of all waits
  unsigned numSleeps = 0;

  void wait(uint64_t time) {
    const uint64_t limit = patience.get(usual);
    looked += std::min(limit, time);
    if (time <= limit)
      return;
    ++numSleeps;
    patience.slept(usual, time - limit);
  }
};
} // namespace

TEST(PatienceTest, WorkAtARhythmFindsTheThreadAwake) {
  for (uint64_t gap : {10'000, 20'000, 50'000, 99'000}) {
    Waiting waiting{15'000};
    for (int i = 0; i < 1000; ++i)
      waiting.wait(gap);
    EXPECT_LE(waiting.numSleeps, 2u) << gap;
  }
}

TEST(PatienceTest, ThreadsThatWaitLongSleep) {
  for (uint64_t gap : {101'000, 1'000'000, 1'000'000'000}) {
    Waiting waiting{15'000};
    for (int i = 0; i < 1000; ++i)
      waiting.wait(gap);
    EXPECT_EQ(waiting.numSleeps, 1000u) << gap;
    EXPECT_EQ(waiting.looked, 1000u * 15'000) << gap;
  }
}

/// The end of a rhythm costs one long look.
TEST(PatienceTest, TheFirstLongWaitEndsIt) {
  Waiting waiting{15'000};
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 10; ++i)
      waiting.wait(40'000);
    const uint64_t before = waiting.looked;
    waiting.wait(50'000'000);
    waiting.wait(50'000'000);
    EXPECT_EQ(waiting.looked - before, 115'000u);
  }
}

/// Work that comes now and then soon is no rhythm.
TEST(PatienceTest, OneShortSleepIsChance) {
  Waiting waiting{15'000};
  for (int i = 0; i < 1000; ++i)
    waiting.wait(i % 2 ? 30'000 : 10'000'000);
  EXPECT_EQ(waiting.looked, 1000u * 15'000);
}

TEST(PatienceTest, ThreadsThatShareACoreNeverLookLonger) {
  Waiting waiting{500};
  for (int i = 0; i < 1000; ++i)
    waiting.wait(20'000);
  EXPECT_EQ(waiting.looked, 1000u * 500);
}
