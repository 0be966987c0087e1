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
#include <random>
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
      for (size_t size : {0, 1, 495, 496, 497, 5000, 7}) {
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

static std::vector<char> orderOf(size_t size, uint64_t number) {
  std::vector<char> bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>(i * 7 + number);
  return bytes;
}

/// Ranks that do something else hold nobody up, however long orders are.
TEST(RankLink, AnnouncesToRanksThatAreBusy) {
  constexpr uint64_t numOrders = RankLink::maxAnnounced / 2;
  for (uint32_t numRanks : {2, 3, 5, 8})
    for (size_t size : {10, 496, 497, 65536}) {
      ThreadCluster cluster(numRanks);
      cluster.eagerBytes = 4096;
      std::atomic<bool> isAnnounced{false};
      std::vector<std::thread> threads;
      for (uint32_t rank = 0; rank < numRanks; ++rank)
        threads.emplace_back([&, rank] {
          RankLink link(cluster.of(rank));
          for (uint64_t i = 0; rank == 0 && i < numOrders; ++i)
            link.announce(orderOf(size, i));
          isAnnounced = isAnnounced || rank == 0;
          while (!isAnnounced)
            std::this_thread::yield();
          for (uint64_t i = 0; rank != 0 && i < numOrders; ++i) {
            std::vector<char> bytes;
            EXPECT_TRUE(link.broadcast(bytes).ok());
            EXPECT_EQ(bytes, orderOf(size, i));
          }
          link.settle();
        });
      for (std::thread &thread : threads)
        thread.join();
      EXPECT_TRUE(cluster.isQuiet());
    }
}

/// No rank is sent more orders than it has given credits for, and no more bytes
/// are copied than may be.
TEST(RankLink, WaitsForRanksThatTakeNothing) {
  for (size_t size : {100, 3000, 100000, 1500000}) {
    // Short ones are under way; of long ones, those that are copied.
    const uint64_t most = std::min<uint64_t>(
        RankLink::maxAnnounced, std::max<uint64_t>(1, (2u << 20) / size));
    ThreadCluster cluster(2);
    cluster.eagerBytes = 4096;
    constexpr uint64_t numOrders = 70;
    std::atomic<uint64_t> numAnnounced{0}, numTaken{0};
    std::thread above([&] {
      RankLink link(cluster.of(0));
      for (uint64_t i = 0; i < numOrders; ++i) {
        link.announce(orderOf(size, i));
        ++numAnnounced;
        EXPECT_LE(numAnnounced, numTaken + most + 1);
      }
      link.settle();
    });
    std::thread below([&] {
      RankLink link(cluster.of(1));
      std::vector<char> bytes;
      for (uint64_t i = 0; i < numOrders; ++i) {
        // Counted before, since rank 0 may have the credit at once.
        ++numTaken;
        EXPECT_TRUE(link.broadcast(bytes).ok());
        EXPECT_EQ(bytes, orderOf(size, i));
      }
      link.settle();
    });
    above.join();
    below.join();
    EXPECT_TRUE(cluster.isQuiet());
  }
}

/// Orders of all kinds and sizes, and errors between them, in any order.
TEST(RankLink, MixesOrdersOfAllKinds) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const uint32_t numRanks = numbersOfRanks[seed % std::size(numbersOfRanks)];
    ThreadCluster cluster(numRanks);
    cluster.eagerBytes = 1000;
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < numRanks; ++rank)
      threads.emplace_back([&, rank] {
        RankLink link(cluster.of(rank));
        std::mt19937 random(seed);
        std::vector<char> bytes;
        for (uint64_t i = 0; i < 100; ++i) {
          const size_t size = random() % (1u << random() % 18);
          const unsigned kind = random() % 8;
          const std::vector<char> expected = orderOf(size, i);
          if (kind == 0) {
            const std::string error =
                link.firstError(rank == 0 ? "" : "no " + std::to_string(rank));
            if (rank == 0)
              EXPECT_EQ(error, numRanks > 1 ? "no 1" : "");
          } else if (rank == 0 && kind < 6) {
            link.announce(expected);
          } else {
            if (rank == 0)
              bytes = expected;
            EXPECT_TRUE(link.broadcast(bytes).ok());
            EXPECT_EQ(bytes, expected);
          }
        }
        link.settle();
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_TRUE(cluster.isQuiet());
  }
}
