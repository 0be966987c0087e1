//===- LinksTest.cpp - Ranks, and what messages between them take ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks are threads here; their times are real, and nothing is said about them.
//
//===----------------------------------------------------------------------===//

#include "Links.h"

#include "Testing/ThreadCluster.h"

#include <thread>

using namespace sluice;

TEST(Links, NumbersAreRanges) {
  EXPECT_EQ(rangesText({}), "");
  EXPECT_EQ(rangesText({3}), "3");
  EXPECT_EQ(rangesText({0, 1, 2, 3}), "0-3");
  EXPECT_EQ(rangesText({0, 2, 3, 8, 10, 11}), "0,2-3,8,10-11");
}

TEST(Links, OfManyRanksTwoOfAHostAreMeasured) {
  auto on = [](const char *host) {
    RankPlace place;
    place.host = host;
    return place;
  };
  const std::vector<RankPlace> ranks = {on("a"), on("a"), on("a"), on("b"),
                                        on("c"), on("b"), on("b")};
  using Chosen = std::vector<uint32_t>;
  EXPECT_EQ(ranksToMeasure(ranks, 7), (Chosen{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(ranksToMeasure(ranks, 6), (Chosen{0, 1, 3, 4, 5}));
  EXPECT_EQ(ranksToMeasure(ranks, 3), (Chosen{0, 1, 3}));
}

TEST(Links, ThisProcessIsDescribed) {
  const RankPlace place = RankPlace::ofThisProcess();
  EXPECT_NE(place.host, "");
  EXPECT_NE(place.processor, "");
  EXPECT_NE(place.processors, "");
  EXPECT_GE(place.numProcessors, 1u);
  EXPECT_GT(place.memoryBytes, uint64_t(1) << 20);
}

TEST(Links, AllRanksGetTheSameTimes) {
  for (const std::vector<uint32_t> &measured :
       {std::vector<uint32_t>{0, 1}, {0, 1, 2, 3}, {1, 3}, {2}}) {
    sluice::test::ThreadCluster cluster(4);
    std::vector<std::vector<LinkTimes>> of(4);
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < 4; ++rank)
      threads.emplace_back([&, rank] {
        Result<std::vector<LinkTimes>> links =
            measureLinks(cluster.of(rank), measured);
        if (links.ok())
          of[rank] = std::move(*links);
      });
    for (std::thread &thread : threads)
      thread.join();
    const size_t count = measured.size();
    ASSERT_EQ(of[0].size(), count * count);
    EXPECT_TRUE(cluster.isQuiet());
    for (size_t i = 0; i < count * count; ++i) {
      const bool isLink = i % (count + 1) != 0;
      EXPECT_EQ(of[0][i].latency > 0, isLink);
      EXPECT_EQ(of[0][i].bandwidth > 0, isLink);
      for (uint32_t rank = 1; rank < 4; ++rank) {
        EXPECT_EQ(of[rank][i].latency, of[0][i].latency);
        EXPECT_EQ(of[rank][i].bandwidth, of[0][i].bandwidth);
      }
    }
  }
}

TEST(Links, TheTextHasRanksAndLinks) {
  RankPlace first = {"node07", "Some CPU", "0-3", "0", 4, uint64_t(3) << 29};
  RankPlace second = {"node12", "Some CPU", "0-3,8",
                      "0-1",    5,          uint64_t(64) << 30};
  EXPECT_EQ(ranksText("Open MPI 4.1.4", {first, second, second}, {0, 2},
                      {{}, {1.5e-6, 12.34e9}, {1.75e-6, 123.4e9}, {}}),
            "3 ranks on 2 hosts, Open MPI 4.1.4\n"
            "\n"
            "rank  host    cores  which  sockets   GiB  processor\n"
            "   0  node07      4  0-3    0         1.5  Some CPU\n"
            "   1  node12      5  0-3,8  0-1      64.0  Some CPU\n"
            "   2  node12      5  0-3,8  0-1      64.0  Some CPU\n"
            "\n"
            "latency, us a message of 8 bytes, between 2 of the ranks\n"
            "      0     2\n"
            "0     -  1.50\n"
            "2  1.75     -\n"
            "\n"
            "bandwidth, GB/s with messages of 4 MiB\n"
            "     0      2\n"
            "0    -  12.34\n"
            "2  123      -\n");
}
