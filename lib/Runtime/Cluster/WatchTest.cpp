//===- WatchTest.cpp - Ranks that do not answer ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests ranks of one process: some tests check them at chosen times, others let
// their threads run.
//
//===----------------------------------------------------------------------===//

#include "Watch.h"
#include "Failures.h"
#include "Testing/ThreadCluster.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <unistd.h>

using namespace sluice;
using sluice::test::ThreadCluster;

namespace {
class WatchTest : public testing::Test {
protected:
  static constexpr double deadline = 10;

  void start(uint32_t numRanks) {
    cluster = std::make_unique<ThreadCluster>(numRanks);
    reports.resize(numRanks);
    for (uint32_t rank = 0; rank < numRanks; ++rank)
      ranks.push_back(std::make_unique<Watch>(
          cluster->of(rank), deadline,
          [rank] { return "task 't" + std::to_string(rank) + "'"; },
          [this, rank](const Watch::Loss &loss) {
            reports[rank].push_back(loss);
          }));
  }
  /// All but `silent` look until that time.
  void lookUntil(double end, const std::set<uint32_t> &silent = {}) {
    for (; now < end; now += 0.25)
      for (uint32_t rank = 0; rank < ranks.size(); ++rank)
        if (!silent.count(rank))
          ranks[rank]->look(now);
  }
  void lookUntilReport(const std::set<uint32_t> &silent) {
    while (numReports() == 0 && now < 1000)
      lookUntil(now + 0.25, silent);
  }
  size_t numReports() const {
    size_t count = 0;
    for (const auto &each : reports)
      count += each.size();
    return count;
  }

  std::unique_ptr<ThreadCluster> cluster;
  std::vector<std::unique_ptr<Watch>> ranks;
  std::vector<std::vector<Watch::Loss>> reports;
  double now = 100;
};
} // namespace

TEST_F(WatchTest, RanksThatLookAreNotLost) {
  start(5);
  lookUntil(300);
  EXPECT_EQ(numReports(), 0u);
}

TEST_F(WatchTest, TheNextRankNamesASilentOneWithItsLastTask) {
  start(5);
  lookUntil(110);
  lookUntil(119, {2});
  EXPECT_EQ(numReports(), 0u);
  lookUntilReport({2});
  EXPECT_LT(now, 123);
  ASSERT_EQ(reports[3].size(), 1u);
  EXPECT_EQ(reports[3][0].rank, 2u);
  EXPECT_EQ(reports[3][0].task, "task 't2'");
  EXPECT_EQ(reports[3][0].process, ::getpid());
  EXPECT_GE(reports[3][0].seconds, deadline);
}

TEST_F(WatchTest, NeighboursThatAreSilentAreNamedOnceEach) {
  start(6);
  lookUntil(110);
  // Rank 1 cannot know whether another one has named rank 2.
  lookUntil(200, {2, 3});
  EXPECT_EQ(numReports(), 2u);
  ASSERT_EQ(reports[4].size(), 1u);
  EXPECT_EQ(reports[4][0].rank, 3u);
  ASSERT_EQ(reports[1].size(), 1u);
  EXPECT_EQ(reports[1][0].rank, 2u);
  EXPECT_GT(reports[1][0].seconds, deadline + 1);
}

TEST_F(WatchTest, OneOfTwoRanks) {
  start(2);
  lookUntil(110);
  lookUntilReport({0});
  ASSERT_EQ(reports[1].size(), 1u);
  EXPECT_EQ(reports[1][0].rank, 0u);
}

TEST_F(WatchTest, ARankThatNeverSaidAnything) {
  start(3);
  lookUntilReport({1});
  ASSERT_EQ(reports[2].size(), 1u);
  EXPECT_EQ(reports[2][0].process, 0);
  EXPECT_EQ(reports[2][0].task, "");
}

TEST_F(WatchTest, AProgramThatWasSuspendedGoesOn) {
  start(4);
  lookUntil(110);
  now = 5000;
  lookUntil(5030);
  EXPECT_EQ(numReports(), 0u);
}

TEST_F(WatchTest, ThoseWhoWaitForARankListenToIt) {
  start(8);
  ranks[0]->add(4);
  ranks[4]->add(0);
  ranks[4]->add(0);
  lookUntil(110);
  EXPECT_EQ(numReports(), 0u);
  // Rank 5, and 3, are as silent: rank 0 is the only one to hear nothing.
  lookUntil(200, {3, 4, 5});
  ASSERT_EQ(reports[0].size(), 1u);
  EXPECT_EQ(reports[0][0].rank, 4u);
}

TEST_F(WatchTest, AllLeaveAndNoBeatIsLeft) {
  start(6);
  ranks[1]->add(4);
  ranks[4]->add(1);
  for (const auto &rank : ranks)
    rank->start();
  std::vector<std::thread> threads;
  for (const auto &rank : ranks)
    threads.emplace_back([&rank] { rank->finish(); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numReports(), 0u);
  EXPECT_TRUE(cluster->isQuiet());
}

TEST(Failures, TextsOfLosses) {
  const Watch::Loss here = {1, 10.04, ::getpid(), "task 'sweep' at point (3)"};
  EXPECT_EQ(lossText(here, "a", "a"),
            "rank 1 on 'a' has not answered for 10 s: its process is there, "
            "but does not get on; it was last in task 'sweep' at point (3)");
  EXPECT_EQ(lossText({2, 0.5, 77, ""}, "b", "a"),
            "rank 2 on 'b' has not answered for 0.5 s: it is stopped, or its "
            "machine or the link to it is down");
  // A number that no process has.
  EXPECT_EQ(lossText({2, 3, 1 << 30, ""}, "a", "a"),
            "rank 2 on 'a' has not answered for 3 s: its process has ended");
}

TEST(Failures, TheDeadlineIsASetting) {
  ::unsetenv("SLUICE_CLUSTER_DEADLINE");
  EXPECT_EQ(*clusterDeadline(), 10.0);
  ::setenv("SLUICE_CLUSTER_DEADLINE", "2.5", 1);
  EXPECT_EQ(*clusterDeadline(), 2.5);
  ::setenv("SLUICE_CLUSTER_DEADLINE", "0", 1);
  EXPECT_EQ(*clusterDeadline(), 0.0);
  for (const char *wrong : {"-1", "ten", "10s", "0.01", "inf", "nan", "1e9"}) {
    ::setenv("SLUICE_CLUSTER_DEADLINE", wrong, 1);
    Result<double> found = clusterDeadline();
    ASSERT_FALSE(found.ok()) << wrong;
    EXPECT_EQ(found.status().message(),
              "SLUICE_CLUSTER_DEADLINE is '" + std::string(wrong) +
                  "', expected seconds from 0.1 to 1000000, or 0 for none");
  }
  ::unsetenv("SLUICE_CLUSTER_DEADLINE");
}

TEST(Failures, AGuardThatIsReleasedDoesNothing) {
  { EndGuard guard(0.01, 3, "over"); }
  { EndGuard none(0, 3, "over"); }
}

TEST(Failures, AGuardEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        EndGuard guard(0.01, 3, "this takes too long");
        ::pause();
      },
      testing::ExitedWithCode(3), "sluice: error: this takes too long");
}
