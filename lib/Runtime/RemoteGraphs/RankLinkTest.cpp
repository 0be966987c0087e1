//===- RankLinkTest.cpp - Messages between ranks --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks are threads here, so that all that they say to each other is looked at.
//
//===----------------------------------------------------------------------===//

#include "RankLink.h"

#include "../Cluster/Testing/ThreadCluster.h"

#include <functional>
#include <thread>

using namespace sluice;
using namespace sluice::test;

static void onRanks(uint32_t numRanks,
                    const std::function<void(RankLink &link)> &run) {
  ThreadCluster cluster(numRanks);
  {
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < numRanks; ++rank)
      threads.emplace_back([&, rank] {
        RankLink link(cluster.of(rank));
        run(link);
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  EXPECT_TRUE(cluster.isQuiet());
}

static const uint32_t numbersOfRanks[] = {1, 2, 3, 4, 5, 8, 13};

TEST(RankLink, TellsAllRanks) {
  for (uint32_t numRanks : numbersOfRanks)
    onRanks(numRanks, [](RankLink &link) {
      // Some fit one message, some do not.
      for (size_t size : {0, 1, 503, 504, 505, 5000, 7}) {
        std::vector<char> expected(size), bytes;
        for (size_t i = 0; i < size; ++i)
          expected[i] = static_cast<char>(i * 7 + size);
        if (link.rank() == 0)
          bytes = expected;
        EXPECT_TRUE(link.broadcast(bytes).ok());
        EXPECT_EQ(bytes, expected);
      }
    });
}

TEST(RankLink, FindsTheFirstError) {
  for (uint32_t numRanks : numbersOfRanks)
    for (uint32_t first = 0; first <= numRanks; ++first)
      onRanks(numRanks, [&](RankLink &link) {
        std::string own, expected;
        if (link.rank() >= first)
          own = "error of " + std::to_string(link.rank());
        if (first < numRanks)
          expected = "error of " + std::to_string(first);
        std::string found = link.firstError(own);
        if (link.rank() == 0)
          EXPECT_EQ(found, expected);
        // A long one is cut.
        found =
            link.firstError(link.rank() == numRanks - 1 ? std::string(1000, 'x')
                                                        : std::string());
        if (link.rank() == 0)
          EXPECT_EQ(found, std::string(numRanks == 1 ? 1000 : 255, 'x'));
      });
}

TEST(RankLink, ExchangesPieces) {
  for (uint32_t numRanks : numbersOfRanks)
    onRanks(numRanks, [&](RankLink &link) {
      // Each rank sends pieces of its own to all others.
      const uint32_t own = link.rank();
      std::vector<std::string> from(numRanks, "abcdefgh"),
          to(numRanks, "--------");
      std::vector<RankMessage> messages;
      for (uint32_t peer = 0; peer < numRanks; ++peer) {
        if (peer == own)
          continue;
        from[peer][0] = static_cast<char>('A' + own);
        from[peer][6] = static_cast<char>('a' + peer);
        std::vector<RankMessage::Piece> send = {{&from[peer][0], 3}},
                                        receive = {{&to[peer][0], 3}};
        if ((own + peer) % 2 == 0) {
          send.push_back({&from[peer][5], 2});
          receive.push_back({&to[peer][5], 2});
        }
        messages.push_back({true, peer, send});
        messages.push_back({false, peer, receive});
      }
      EXPECT_TRUE(link.exchange(messages).ok());
      for (uint32_t peer = 0; peer < numRanks; ++peer) {
        if (peer == own)
          continue;
        std::string expected = "Abc-----";
        expected[0] = static_cast<char>('A' + peer);
        if ((own + peer) % 2 == 0) {
          expected[5] = 'f';
          expected[6] = static_cast<char>('a' + own);
        }
        EXPECT_EQ(to[peer], expected);
      }
    });
}
