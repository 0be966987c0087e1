//===- ScanTest.cpp - Chunks whose elements become their scan -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads do what kernels with scans do, some of them stopping in the middle of
// a chunk until others have passed, so that chunks are left to each other in
// every way. Words joined one behind the other show any wrong order.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/Reductions.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

/// What the frame of the functions below is.
struct Words {
  std::vector<std::string> elements, sums;
  std::atomic<int> numJoined{0};
};

void join(const unsigned char *frame, const SluiceCopies *copies,
          uint64_t chunk, uint32_t part) {
  auto &words = *reinterpret_cast<Words *>(const_cast<unsigned char *>(frame));
  if (part == SLUICE_JOIN_COPY) {
    words.sums[chunk] = words.sums[chunk - 1] + words.sums[chunk];
    return;
  }
  uint64_t first = chunk * copies->chunkUnits;
  uint64_t end = std::min(first + copies->chunkUnits, copies->numUnits);
  for (uint64_t i = first; i != end; ++i)
    words.elements[i] = words.sums[chunk - 1] + words.elements[i];
  ++words.numJoined;
}

class ScanTest : public testing::Test {
protected:
  void prepare(uint64_t units, uint64_t step) {
    words.elements.assign(units, "");
    uint64_t chunks = (units + step - 1) / step;
    words.sums.assign(chunks, "");
    flags.assign(chunks, 0);
    copies = {nullptr, 0, chunks, flags.data(), &next, step, units};
  }

  static std::string word(uint64_t i) { return std::to_string(i) + ","; }

  /// Runs one chunk; `wait` is called between its start and its end.
  template <typename Wait> void runChunk(Wait wait) {
    uint64_t chunk = sluiceTakeChunk(&copies);
    uint32_t isBehind = sluiceIsBehind(&copies, chunk);
    wait(chunk);
    std::string sum = isBehind ? words.sums[chunk - 1] : "";
    uint64_t first = chunk * copies.chunkUnits;
    uint64_t end = std::min(first + copies.chunkUnits, copies.numUnits);
    for (uint64_t i = first; i != end; ++i)
      words.elements[i] = sum += word(i);
    words.sums[chunk] = sum;
    sluiceEndScan(&copies, chunk, isBehind,
                  reinterpret_cast<unsigned char *>(&words), join);
  }

  void expectScan() {
    std::string all;
    for (uint64_t i = 0; i != copies.numUnits; ++i)
      ASSERT_EQ(words.elements[i], all += word(i)) << i;
    EXPECT_EQ(next, 0u);
    EXPECT_EQ(flags, std::vector<unsigned char>(copies.numChunks, 0));
  }

  Words words;
  std::vector<unsigned char> flags;
  uint64_t next = 0;
  SluiceCopies copies;
};

TEST_F(ScanTest, OneAfterTheOther) {
  for (uint64_t units : {1, 2, 7, 100}) {
    prepare(units, 3);
    for (uint64_t i = 0; i != copies.numChunks; ++i)
      runChunk([](uint64_t) {});
    expectScan();
  }
  EXPECT_EQ(words.numJoined, 0);
}

TEST_F(ScanTest, TheFirstEndsLast) {
  prepare(100, 3);
  std::atomic<bool> begun = false, go = false;
  std::thread first([&] {
    runChunk([&](uint64_t) {
      begun = true;
      begun.notify_one();
      go.wait(false);
    });
  });
  begun.wait(false);
  for (uint64_t i = 1; i != copies.numChunks; ++i)
    runChunk([](uint64_t) {});
  EXPECT_EQ(words.numJoined, 0);
  go = true;
  go.notify_one();
  first.join();
  EXPECT_EQ(words.numJoined, 33);
  expectScan();
}

TEST_F(ScanTest, ManyThreads) {
  for (unsigned seed = 0; seed != 200; ++seed) {
    std::mt19937 random(seed);
    prepare(1 + random() % 100, 1 + random() % 5);
    unsigned numThreads = 2 + random() % 5;
    std::atomic<uint64_t> left = copies.numChunks;
    auto work = [&](unsigned own) {
      std::mt19937 random(own);
      while (left.fetch_sub(1) - 1 < copies.numChunks)
        runChunk([&](uint64_t) {
          // A busy machine takes a while for each.
          for (unsigned i = random() % 16 ? 0 : random() % 50; i != 0; --i)
            std::this_thread::yield();
        });
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i != numThreads; ++i)
      threads.emplace_back(work, random());
    for (std::thread &thread : threads)
      thread.join();
    expectScan();
  }
}

/// Shows the tree by which copies were joined.
void bracket(const unsigned char *, void *into, const void *from) {
  auto &words = *static_cast<std::string *>(into);
  words = "(" + words + *static_cast<const std::string *>(from) + ")";
}

/// The total of copies that are filled in this order.
std::string joinAll(const std::vector<uint64_t> &order, unsigned char *flags) {
  std::vector<std::string> words;
  for (uint64_t chunk = 0; chunk != order.size(); ++chunk)
    words.push_back(std::to_string(chunk) + ",");
  uint64_t next = 0;
  const SluiceCopies copies = {reinterpret_cast<unsigned char *>(words.data()),
                               sizeof(std::string),
                               order.size(),
                               flags,
                               &next,
                               1,
                               order.size()};
  std::string *total = nullptr;
  for (uint64_t chunk : order) {
    EXPECT_EQ(total, nullptr);
    total = static_cast<std::string *>(
        sluiceJoinChunks(&copies, chunk, 1, nullptr, bracket));
  }
  return total ? *total : "";
}

/// Appends, in any order.
void append(const unsigned char *, void *into, const void *from) {
  *static_cast<std::string *>(into) += *static_cast<const std::string *>(from);
}

/// One thread that fills all copies joins them as several threads do.
TEST(JoinTest, OneThreadJoinsInTheSameOrder) {
  std::minstd_rand random;
  for (uint64_t number = 1; number != 70; ++number) {
    std::vector<uint64_t> order(number);
    std::iota(order.begin(), order.end(), 0);
    const std::string alone = joinAll(order, nullptr);
    EXPECT_NE(alone, "");
    std::vector<unsigned char> flags(number);
    EXPECT_EQ(joinAll(order, flags.data()), alone);
    std::shuffle(order.begin(), order.end(), random);
    EXPECT_EQ(joinAll(order, flags.data()), alone);
  }
}

/// The parts of a tree of `number` chunks, of random ranges of chunks: where
/// each begins, and the chunks of a whole part of its size.
std::vector<std::pair<uint64_t, uint64_t>> drawParts(uint64_t number,
                                                     std::minstd_rand &random) {
  std::vector<std::pair<uint64_t, uint64_t>> parts;
  for (uint64_t chunk = 0, end = 0; chunk != number;) {
    if (chunk == end)
      end = std::uniform_int_distribution<uint64_t>(chunk + 1, number)(random);
    uint64_t width = 1;
    while (chunk % (2 * width) == 0 && width < number &&
           (end == number || chunk + 2 * width <= end))
      width *= 2;
    parts.emplace_back(chunk, width);
    chunk = std::min(chunk + width, end);
  }
  return parts;
}

/// Chunks that share a copy are in the total once each.
TEST(JoinTest, PartsOfTheTreeShareACopy) {
  std::minstd_rand random;
  for (unsigned round = 0; round != 2000; ++round) {
    const uint64_t number = 1 + random() % 70;
    auto parts = drawParts(number, random);
    std::vector<std::string> copiesOfChunks(number, "unused");
    uint64_t numCounted = 0;
    for (auto [chunk, width] : parts) {
      copiesOfChunks[chunk].clear();
      for (uint64_t i = chunk; i < std::min(chunk + width, number); ++i) {
        copiesOfChunks[chunk] += static_cast<char>('!' + i);
        ++numCounted;
      }
    }
    ASSERT_EQ(numCounted, number);
    std::vector<unsigned char> flags(number);
    const bool isAlone = round % 2 != 0;
    if (!isAlone)
      std::shuffle(parts.begin(), parts.end(), random);
    uint64_t next = 0;
    const SluiceCopies copies = {
        reinterpret_cast<unsigned char *>(copiesOfChunks.data()),
        sizeof(std::string),
        number,
        isAlone ? nullptr : flags.data(),
        &next,
        1,
        number};
    std::string *total = nullptr;
    for (auto [chunk, width] : parts) {
      EXPECT_EQ(total, nullptr);
      total = static_cast<std::string *>(
          sluiceJoinChunks(&copies, chunk, width, nullptr, append));
    }
    ASSERT_NE(total, nullptr);
    std::sort(total->begin(), total->end());
    std::string expected;
    for (uint64_t i = 0; i != number; ++i)
      expected += static_cast<char>('!' + i);
    EXPECT_EQ(*total, expected);
    EXPECT_EQ(std::count(flags.begin(), flags.end(), 0),
              static_cast<int64_t>(number));
  }
}

} // namespace
