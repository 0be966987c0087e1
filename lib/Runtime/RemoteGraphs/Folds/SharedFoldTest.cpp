//===- SharedFoldTest.cpp - Ranks that share reductions and scans ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks are threads that do what kernels of their chunks do. The trees in which
// copies are joined are written out as words, so any other tree shows.
//
//===----------------------------------------------------------------------===//

#include "SharedFold.h"

#include "../../Cluster/Testing/ThreadCluster.h"

#include <algorithm>
#include <random>
#include <string>
#include <thread>

using namespace sluice;
using namespace sluice::test;

namespace {
constexpr uint64_t textBytes = 4096;

/// The frame of a node with one reduction and one scan of words.
struct Frame {
  unsigned char *copies = nullptr;
  uint64_t next = 0;
  unsigned char flags[64] = {};
  std::string memory; ///< that is reduced
  std::vector<std::string> elements;
};

/// The copy of a chunk: what is reduced, and what is scanned.
char *reduced(void *copy) { return static_cast<char *>(copy); }
char *scanned(void *copy) { return static_cast<char *>(copy) + textBytes; }

void write(char *to, const std::string &text) {
  ASSERT_LT(text.size(), textBytes);
  std::memcpy(to, text.c_str(), text.size() + 1);
}

void combine(const unsigned char *, void *into, const void *from) {
  char *right = reduced(const_cast<void *>(from));
  write(reduced(into), '(' + std::string(reduced(into)) + ' ' + right + ')');
}

Frame &frameOf(const unsigned char *frame) {
  return *reinterpret_cast<Frame *>(const_cast<unsigned char *>(frame));
}

void store(const unsigned char *frame, const void *copy) {
  frameOf(frame).memory += reduced(const_cast<void *>(copy));
}

void join(const unsigned char *frame, const SluiceCopies *copies,
          uint64_t chunk, uint32_t part) {
  auto at = [&](uint64_t number) {
    return scanned(copies->copies + number * copies->size);
  };
  if (part == SLUICE_JOIN_COPY)
    return write(at(chunk), std::string(at(chunk - 1)) + at(chunk));
  const uint64_t first = chunk * copies->chunkUnits;
  const uint64_t end = std::min(first + copies->chunkUnits, copies->numUnits);
  for (uint64_t i = first; i < end; ++i)
    frameOf(frame).elements[i] = at(chunk - 1) + frameOf(frame).elements[i];
}

struct Shape {
  uint64_t numUnits, numChunks;
  uint32_t numRanks;
};

class SharedFoldTest : public testing::Test {
protected:
  SharedFoldTest() {
    output.arrayOffset = offsetof(Frame, copies);
    output.arrayLevels = 2;
    share.fold = {combine, store, join, nullptr, 0, 1};
    node.outputs = &output;
    node.numOutputs = 1;
    node.share = &share;
    node.numLevels = 3;
  }

  /// What a kernel does with the chunks of a rank, in any order.
  static void runChunks(SluiceCopies copies, Frame &frame, UnitRange chunks,
                        std::mt19937 &random) {
    auto *place = reinterpret_cast<unsigned char *>(&frame);
    for (uint64_t i = chunks.begin; i < chunks.end; ++i) {
      const uint64_t chunk = sluiceTakeChunk(&copies);
      const uint32_t isBehind = sluiceIsBehind(&copies, chunk);
      auto at = [&](uint64_t number) {
        return scanned(frame.copies + number * copies.size);
      };
      std::string sum = isBehind ? at(chunk - 1) : "";
      const uint64_t first = chunk * copies.chunkUnits;
      const uint64_t end = std::min(first + copies.chunkUnits, copies.numUnits);
      for (uint64_t unit = first; unit < end; ++unit)
        frame.elements[unit] = sum += std::to_string(unit) + ',';
      write(at(chunk), sum);
      sluiceEndScan(&copies, chunk, isBehind, place, join);
    }
    std::vector<uint64_t> order;
    for (uint64_t chunk = chunks.begin; chunk < chunks.end; ++chunk) {
      order.push_back(chunk);
      write(reduced(frame.copies + chunk * copies.size), std::to_string(chunk));
    }
    std::shuffle(order.begin(), order.end(), random);
    for (uint64_t chunk : order)
      if (void *all = sluiceJoinChunks(&copies, chunk, 1, place, combine))
        store(place, all);
  }

  SluiceCopies copiesOf(Frame &frame, const int64_t *extents) {
    return {frame.copies,
            static_cast<uint64_t>(extents[3]),
            static_cast<uint64_t>(extents[0]),
            frame.flags,
            &frame.next,
            instancesPerChunk(node, extents),
            numInstancesOfChunks(node, extents)};
  }

  static std::vector<RankShare> sharesOf(const Shape &shape,
                                         std::mt19937 &random) {
    const uint64_t count = std::min<uint64_t>(shape.numRanks, shape.numChunks);
    std::vector<uint64_t> ends;
    for (uint64_t chunk = 1; chunk < shape.numChunks; ++chunk)
      ends.push_back(chunk);
    std::shuffle(ends.begin(), ends.end(), random);
    ends.resize(count - 1);
    ends.push_back(shape.numChunks);
    std::sort(ends.begin(), ends.end());
    std::vector<RankShare> shares;
    uint64_t first = 0;
    for (uint64_t end : ends) {
      shares.push_back(
          {static_cast<uint32_t>(shares.size()), {first, end}, {}, {}});
      first = end;
    }
    return shares;
  }

  /// Runs a node on all ranks; `failing`: the rank that fails, or none.
  void run(const Shape &shape, uint32_t failing, unsigned seed) {
    std::mt19937 random(seed);
    const std::vector<RankShare> shares = sharesOf(shape, random);
    const auto numUnits = static_cast<int64_t>(shape.numUnits);
    const int64_t extents[9] = {static_cast<int64_t>(shape.numChunks),
                                1,
                                1,
                                2 * textBytes,
                                1,
                                1,
                                numUnits,
                                1,
                                1};
    auto prepare = [&](Frame &frame, std::vector<unsigned char> &memory) {
      memory.assign(shape.numChunks * 2 * textBytes, 0);
      frame.copies = memory.data();
      frame.elements.assign(shape.numUnits, "");
    };
    Frame alone;
    std::vector<unsigned char> aloneMemory;
    prepare(alone, aloneMemory);
    runChunks(copiesOf(alone, extents), alone, {0, shape.numChunks}, random);

    ThreadCluster cluster(shape.numRanks);
    std::vector<Frame> frames(shape.numRanks);
    std::vector<char> isGood(shape.numRanks);
    {
      std::vector<std::thread> threads;
      for (uint32_t rank = 0; rank < shape.numRanks; ++rank)
        threads.emplace_back([&, rank] {
          std::vector<unsigned char> memory;
          Frame &frame = frames[rank];
          prepare(frame, memory);
          RankLink link(cluster.of(rank));
          std::mt19937 order(seed + rank);
          SharedFold fold(link, node, extents,
                          reinterpret_cast<unsigned char *>(&frame), shares);
          fold.begin();
          const bool fails = rank == failing;
          if (rank < shares.size() && !fails)
            runChunks(copiesOf(frame, extents), frame, shares[rank].units,
                      order);
          Result<bool> result = fold.finish(
              fails,
              [](const std::function<void()> &body) {
                body();
                return true;
              },
              [](const std::function<void(uint64_t)> &body, uint64_t count) {
                for (uint64_t i = 0; i < count; ++i)
                  body(i);
                return true;
              });
          ASSERT_TRUE(result.ok());
          isGood[rank] = *result;
          EXPECT_EQ(frame.next, 0u);
          EXPECT_EQ(
              std::count(std::begin(frame.flags), std::end(frame.flags), 0),
              64);
          frame.copies = nullptr;
        });
      for (std::thread &thread : threads)
        thread.join();
    }
    EXPECT_TRUE(cluster.isQuiet());
    if (failing < shares.size()) {
      // What comes of its copies is folded nowhere.
      EXPECT_FALSE(isGood[0]);
      EXPECT_EQ(frames[0].memory, "");
      return;
    }
    EXPECT_EQ(frames[0].memory, alone.memory);
    for (const RankShare &one : shares) {
      EXPECT_TRUE(isGood[one.rank]);
      const uint64_t each = instancesPerChunk(node, extents);
      for (uint64_t i = one.units.begin * each;
           i < std::min(one.units.end * each, shape.numUnits); ++i)
        ASSERT_EQ(frames[one.rank].elements[i], alone.elements[i]);
    }
  }

  SluicePlanOutput output = {};
  SluicePlanShare share = {};
  SluicePlanNode node = {};
};
} // namespace

TEST_F(SharedFoldTest, JoinsAlongTheTreeOfOneMachine) {
  unsigned seed = 0;
  // Of one share, the kernels fold into the memory themselves.
  for (uint32_t numRanks : {2, 3, 5, 8, 13})
    for (uint64_t numChunks : {2, 3, 4, 7, 8, 13, 16, 31, 33})
      run({3 * numChunks - numChunks % 2, numChunks, numRanks}, UINT32_MAX,
          ++seed);
}

TEST_F(SharedFoldTest, FoldsNothingThatComesOfAFailedRank) {
  unsigned seed = 100;
  for (uint32_t numRanks : {2, 3, 5})
    for (uint32_t failing = 0; failing < numRanks; ++failing)
      for (uint64_t numChunks : {5, 8, 13})
        run({2 * numChunks, numChunks, numRanks}, failing, ++seed);
}
