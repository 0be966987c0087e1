//===- StageMailTest.cpp - Messages between the stages of a stream --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks are threads. Items go through all of them, some are slow at times, and
// results come back while more items are sent.
//
//===----------------------------------------------------------------------===//

#include "StagedItem.h"

#include "../Cluster/Testing/ThreadCluster.h"

#include <random>
#include <thread>

using namespace sluice;
using namespace sluice::test;

namespace {
/// What all stages have said of an item.
struct Said {
  uint64_t item = 0;
  char word[24] = {};

  std::vector<StageMail::Piece> pieces() {
    return {{reinterpret_cast<char *>(&item), sizeof item},
            {word, sizeof word}};
  }
};
} // namespace

TEST(StageMail, BringsItemsThroughAllStagesInOrder) {
  constexpr uint64_t numItems = 10 * StageMail::maxUntaken + 3;
  for (uint32_t numRanks : {2, 3, 5, 8}) {
    ThreadCluster cluster(numRanks);
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < numRanks; ++rank)
      threads.emplace_back([&, rank] {
        RankLink link(cluster.of(rank));
        StageMail mail(link);
        std::mt19937 random(rank);
        std::deque<Said> results;
        for (uint64_t item = 1; item <= numItems; ++item) {
          Said said;
          if (rank == 0) {
            said.item = item * item;
            said.word[0] = '0';
            mail.send(StageMail::ToStage, 1, item, said.pieces());
            Said &result = results.emplace_back();
            mail.expect(numRanks - 1, item, result.pieces());
            EXPECT_LE(mail.numCome(), item);
            continue;
          }
          mail.receive(rank - 1, item, said.pieces());
          EXPECT_EQ(said.item, item * item);
          said.word[rank] = static_cast<char>('0' + rank);
          if (random() % 8 == 0)
            for (int i = 0; i < 100; ++i)
              std::this_thread::yield();
          const bool isLast = rank + 1 == numRanks;
          mail.send(isLast ? StageMail::Result : StageMail::ToStage,
                    isLast ? 0 : rank + 1, item, said.pieces());
        }
        mail.finish();
        if (rank != 0)
          return;
        EXPECT_EQ(mail.numCome(), numItems);
        for (uint64_t item = 1; item <= numItems; ++item) {
          EXPECT_EQ(results[item - 1].item, item * item);
          EXPECT_EQ(std::string(results[item - 1].word),
                    std::string("01234567").substr(0, numRanks));
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_TRUE(cluster.isQuiet());
  }
}

/// A rank takes no more items of another one than it has given credits for.
TEST(StageMail, WaitsForCredits) {
  ThreadCluster cluster(2);
  std::atomic<uint64_t> numSent{0}, numTaken{0};
  std::thread sender([&] {
    RankLink link(cluster.of(0));
    StageMail mail(link);
    for (uint64_t item = 0; item < 100; ++item) {
      char byte = static_cast<char>(item);
      const StageMail::Piece piece = {&byte, 1};
      mail.send(StageMail::ToStage, 1, item, {&piece, 1});
      ++numSent;
      EXPECT_LE(numSent, numTaken + StageMail::maxUntaken + 1);
    }
    mail.finish();
  });
  std::thread receiver([&] {
    RankLink link(cluster.of(1));
    StageMail mail(link);
    for (uint64_t item = 0; item < 100; ++item) {
      char byte = 0;
      const StageMail::Piece piece = {&byte, 1};
      // Counted before, since the sender may have the credit at once.
      ++numTaken;
      mail.receive(0, item, {&piece, 1});
      EXPECT_EQ(byte, static_cast<char>(item));
    }
    mail.finish();
  });
  sender.join();
  receiver.join();
  EXPECT_TRUE(cluster.isQuiet());
}

/// Nor more bytes, unless one message has them.
TEST(StageMail, WaitsForCreditsOfBytes) {
  for (uint64_t size : {100'000u, 300'000u, 1'500'000u}) {
    const uint64_t most =
        std::min(StageMail::maxUntaken,
                 std::max<uint64_t>(1, StageMail::maxUntakenBytes / size));
    ThreadCluster cluster(2);
    std::atomic<uint64_t> numSent{0}, numTaken{0};
    std::vector<std::thread> threads;
    for (uint32_t rank : {0, 1})
      threads.emplace_back([&, rank] {
        RankLink link(cluster.of(rank));
        StageMail mail(link);
        std::vector<char> bytes(size);
        const StageMail::Piece piece = {bytes.data(), size};
        for (uint64_t item = 0; item < 20; ++item)
          if (rank == 0) {
            bytes.front() = bytes.back() = static_cast<char>(item);
            mail.send(StageMail::ToStage, 1, item, {&piece, 1});
            ++numSent;
            EXPECT_LE(numSent, numTaken + most + 1);
          } else {
            ++numTaken;
            mail.receive(0, item, {&piece, 1});
            EXPECT_EQ(bytes.front(), static_cast<char>(item));
            EXPECT_EQ(bytes.back(), static_cast<char>(item));
          }
        mail.finish();
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_TRUE(cluster.isQuiet());
  }
}

/// The first stage begins an item while the last one has not ended the item
/// before, whatever their sizes: the last one waits until it has.
TEST(StageMail, LetsItemsOverlap) {
  constexpr uint64_t numItems = 50;
  for (uint32_t numRanks : {2, 3, 5})
    for (uint64_t size : {8u, 65'536u, 700'000u, 3'000'000u}) {
      ThreadCluster cluster(numRanks);
      cluster.eagerBytes = 4096;
      std::atomic<uint64_t> numBegun{0};
      std::vector<std::thread> threads;
      for (uint32_t rank = 0; rank < numRanks; ++rank)
        threads.emplace_back([&, rank] {
          RankLink link(cluster.of(rank));
          StageMail mail(link);
          const bool isLast = rank + 1 == numRanks;
          std::deque<std::vector<char>> results;
          const uint64_t count = size < 100'000 ? numItems : 6;
          for (uint64_t item = 1; item <= count; ++item) {
            std::vector<char> bytes(size, static_cast<char>(item));
            if (rank == 0) {
              link.announce(bytes, [&] { (void)mail.numCome(); });
              numBegun = item;
            } else {
              EXPECT_TRUE(link.broadcast(bytes).ok());
              EXPECT_EQ(bytes, std::vector<char>(size, char(item)));
            }
            const StageMail::Piece piece = {bytes.data(), size};
            if (rank != 0)
              mail.receive(rank - 1, item, {&piece, 1});
            ++bytes.front();
            while (isLast && numBegun < std::min(item + 1, count))
              std::this_thread::yield();
            mail.send(isLast ? StageMail::Result : StageMail::ToStage,
                      isLast ? 0 : rank + 1, item, {&piece, 1});
            if (rank == 0) {
              std::vector<char> &result = results.emplace_back(size);
              mail.expect(numRanks - 1, item, {{result.data(), size}});
            }
          }
          mail.finish();
          link.settle();
          for (uint64_t item = 1; item <= results.size(); ++item) {
            EXPECT_EQ(results[item - 1].front(), char(item + numRanks));
            EXPECT_EQ(results[item - 1].back(), char(item));
          }
        });
      for (std::thread &thread : threads)
        thread.join();
      EXPECT_TRUE(cluster.isQuiet());
    }
}

/// The longest stage of the best division, by trying all.
static uint64_t leastLongest(const std::vector<char> &mayCut,
                             const std::vector<uint64_t> &times,
                             uint32_t numRanks) {
  uint64_t best = UINT64_MAX;
  for (uint32_t cuts = 0; cuts < 1u << times.size(); ++cuts) {
    uint64_t longest = 0, own = 0;
    uint32_t numStages = 1;
    bool mayBe = (cuts & 1) == 0;
    for (uint32_t i = 0; i < times.size(); ++i) {
      if (cuts >> i & 1) {
        mayBe &= mayCut[i] != 0;
        ++numStages;
        own = 0;
      }
      own += times[i];
      longest = std::max(longest, own);
    }
    if (mayBe && numStages <= numRanks)
      best = std::min(best, longest);
  }
  return best;
}

TEST(StagedItem, DividesNodesAsWellAsCanBe) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const uint32_t count = 1 + random() % 9;
    const uint32_t numRanks = 1 + random() % 6;
    std::vector<uint64_t> times(count);
    std::vector<char> mayCut(count + 1);
    for (uint64_t &time : times)
      time = random() % 50;
    for (uint32_t i = 1; i < count; ++i)
      mayCut[i] = random() % 3 != 0;
    const StageMap map = divideStages(mayCut, times, numRanks);
    ASSERT_GE(map.numStages(), 1u);
    EXPECT_LE(map.numStages(), numRanks);
    EXPECT_EQ(map.firstNodes.front(), 0u);
    EXPECT_EQ(map.firstNodes.back(), count);
    uint64_t longest = 0;
    for (uint32_t stage = 0; stage < map.numStages(); ++stage) {
      EXPECT_LT(map.firstNodes[stage], map.firstNodes[stage + 1]);
      if (stage != 0)
        EXPECT_TRUE(mayCut[map.firstNodes[stage]]);
      uint64_t own = 0;
      for (uint32_t i = map.firstNodes[stage]; i < map.firstNodes[stage + 1];
           ++i)
        own += times[i];
      longest = std::max(longest, own);
    }
    EXPECT_EQ(longest, leastLongest(mayCut, times, numRanks));
  }
}
