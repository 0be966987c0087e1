//===- RankTraceTest.cpp - One timeline of several ranks ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks that are threads, with clocks that differ.
//
//===----------------------------------------------------------------------===//

#include "RankTrace.h"

#include "../Cluster/Testing/ThreadCluster.h"
#include "../Scheduling/Clock.h"

#include <gtest/gtest.h>
#include <thread>

using namespace sluice;
using sluice::test::ThreadCluster;

namespace {
/// Of each rank: how far its clock is ahead, and how much faster it goes.
constexpr int64_t ahead[] = {0, 5'000'000'000, -7'000'000'000};
constexpr double drift[] = {0, 0.001, -0.002};

thread_local uint32_t ownRank = 0;
uint64_t begin = 0;

uint64_t readClock() {
  const uint64_t now = clockNanoseconds();
  return now + ahead[ownRank] +
         static_cast<int64_t>(drift[ownRank] *
                              static_cast<double>(now - begin));
}
} // namespace

TEST(RankTrace, ClocksAreComparedAtTheStartAndAtTheEnd) {
  begin = clockNanoseconds();
  ThreadCluster cluster(3);
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < 3; ++rank)
    ranks.emplace_back([&cluster, rank] {
      ownRank = rank;
      RankTrace trace(cluster.of(rank), "host", false, readClock);
      // Long enough for a drift to show.
      while (clockNanoseconds() < begin + 1'500'000'000)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const TraceClock clock = trace.clock(readClock());
      // A time of this rank is that of rank 0 after conversion: at the start,
      // and in the middle.
      for (uint64_t time : {begin, begin + 750'000'000}) {
        const auto own = static_cast<int64_t>(time) + ahead[rank] +
                         static_cast<int64_t>(
                             drift[rank] * static_cast<double>(time - begin));
        const auto off = static_cast<int64_t>(
            clock.timeOf(static_cast<uint64_t>(own)) - time);
        // Another process may have run between question and answer.
        EXPECT_LT(std::abs(off), 20'000'000) << "rank " << rank;
      }
    });
  for (std::thread &rank : ranks)
    rank.join();
  EXPECT_TRUE(cluster.isQuiet());
}

TEST(RankTrace, TextsBecomeOneOnRank0) {
  ThreadCluster cluster(4);
  std::vector<std::string> merged(4);
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < 4; ++rank)
    ranks.emplace_back([&, rank] {
      ownRank = 0;
      RankTrace trace(cluster.of(rank), "h", true, readClock);
      EXPECT_EQ(trace.name(), "rank " + std::to_string(rank) + " on 'h'");
      TraceText text(TraceClock{});
      text.addProcessName(rank, "p" + std::to_string(rank));
      merged[rank] = trace.merge(text.finish());
    });
  for (std::thread &rank : ranks)
    rank.join();
  EXPECT_TRUE(cluster.isQuiet());
  TraceText all(TraceClock{});
  for (uint32_t rank = 0; rank < 4; ++rank) {
    all.addProcessName(rank, "p" + std::to_string(rank));
    if (rank)
      EXPECT_EQ(merged[rank], "");
  }
  EXPECT_EQ(merged[0], all.finish());
}

TEST(RankTrace, TimelinesWithoutEventsAreLeftOut) {
  TraceText one(TraceClock{}), none(TraceClock{});
  one.addProcessName(1, "one");
  const std::string text = one.finish();
  EXPECT_EQ(TraceText::merge({text}), text);
  EXPECT_EQ(TraceText::merge({none.finish(), text}), text);
}
