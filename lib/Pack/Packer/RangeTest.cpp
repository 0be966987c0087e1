//===- RangeTest.cpp - Tests of packing parts of the stream ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares every part of the stream of random layouts with a byte-wise copy,
// and tests parts of layouts so large that seeking must not walk.
//
//===----------------------------------------------------------------------===//

#include "../Form/FormBuilding.h"
#include "../Testing/NaiveLayout.h"
#include "sluice/Pack/Datatype.h"
#include "sluice/Pack/Packer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

using namespace sluice::pack;

namespace {

/// A buffer with `count` instances and room on both sides, and the result of a
/// byte-wise packer.
struct Sample {
  Sample(naive::Generator &generator, int depth) {
    naive::Pair pair = generator.layout(depth);
    count = generator.number(0, 4);
    extent = generator.number(-20, 200);
    layout = {pair.placed.offset, extent, pair.placed.form};
    naive::Bytes all = naive::repeat(pair.bytes, count, extent);
    int64_t low = 0, high = 1;
    for (int64_t place : all) {
      low = std::min(low, place);
      high = std::max(high, place + 1);
    }
    memory.resize(size_t(high - low));
    origin = memory.data() - low;
    for (std::byte &byte : memory)
      byte = std::byte(generator.number(0, 255));
    places = all;
    for (int64_t place : all)
      packed.push_back(origin[place]);
  }

  Layout layout;
  int64_t count, extent;
  std::vector<std::byte> memory, packed;
  std::byte *origin;
  naive::Bytes places;
};

TEST(RangeTest, EveryPartOfRandomLayoutsIsPacked) {
  for (uint64_t seed = 0; seed != 2000; ++seed) {
    naive::Generator generator(seed);
    Sample sample(generator, int(seed % 5));
    Kernel kernel = interpretedKernel(sample.layout);
    int64_t total = int64_t(sample.packed.size());
    for (int part = 0; part != 8; ++part) {
      int64_t from = generator.number(0, total);
      int64_t to = generator.number(from, total);
      std::vector<std::byte> out(size_t(to - from) + 1, std::byte(0xA5));
      packRange(sample.layout, kernel, sample.origin, sample.count, from,
                to - from, out.data());
      ASSERT_TRUE(
          std::equal(out.begin(), out.end() - 1, sample.packed.begin() + from))
          << "seed " << seed << ", bytes " << from << " to " << to << " of "
          << toText(sample.layout);
      ASSERT_EQ(out.back(), std::byte(0xA5)) << "seed " << seed;
    }
  }
}

TEST(RangeTest, EveryPartOfRandomLayoutsIsUnpacked) {
  for (uint64_t seed = 0; seed != 2000; ++seed) {
    naive::Generator generator(seed);
    Sample sample(generator, int(seed % 5));
    Kernel kernel = interpretedKernel(sample.layout);
    int64_t total = int64_t(sample.packed.size());
    for (int part = 0; part != 4; ++part) {
      int64_t from = generator.number(0, total);
      int64_t to = generator.number(from, total);
      std::vector<std::byte> in(size_t(to - from));
      for (std::byte &byte : in)
        byte = std::byte(generator.number(0, 255));
      std::vector<std::byte> expected = sample.memory;
      for (int64_t i = from; i != to; ++i)
        expected[size_t(sample.origin + sample.places[size_t(i)] -
                        sample.memory.data())] = in[size_t(i - from)];
      unpackRange(sample.layout, kernel, in.data(), from, to - from,
                  sample.origin, sample.count);
      ASSERT_EQ(sample.memory, expected)
          << "seed " << seed << ", bytes " << from << " to " << to << " of "
          << toText(sample.layout);
    }
  }
}

/// Every kind of form, large enough that the pieces go through kernels.
std::vector<PlacedForm> largeForms() {
  PlacedForm rows = repeat(repeat({0, blockForm(8)}, 300, 16), 40, 5000);
  std::vector<int64_t> squares;
  for (int64_t i = 0; i != 500; ++i)
    squares.push_back(i * i);
  std::vector<int64_t> apart;
  for (int64_t i = 0; i != 9; ++i)
    apart.push_back(i * i * 210000);
  std::vector<ByteRun> runs;
  for (int64_t i = 0; i != 900; ++i)
    runs.push_back({i * 64, 1 + i * i % 40});
  // Lists of several segments with an incomplete last one.
  std::vector<int64_t> many;
  for (int64_t i = 0; i != 5000; ++i)
    many.push_back(i * 40 + i * i % 7);
  std::vector<ByteRun> manyRuns;
  for (int64_t i = 0; i != 5000; ++i)
    manyRuns.push_back({i * 64, 1 + i * i % 40});
  std::vector<PlacedForm> parts = {
      rows, {300000, blockForm(1000)}, simplifyRuns(runs)};
  parts.back().offset += 400000;
  std::vector<PlacedForm> forms = {
      {0, blockForm(100000)},
      repeat({0, blockForm(12)}, 9000, 20),
      rows,
      repeat(repeat({0, blockForm(8)}, 128, 1024), 128, 8),
      placeAt({0, blockForm(1)}, squares),
      placeAt({0, blockForm(24)}, squares),
      placeAt({0, blockForm(7)}, squares),
      placeAt(rows, apart),
      simplifyRuns(runs),
      sequence(parts),
      repeat(sequence(parts), 3, 600000),
      placeAt({0, blockForm(8)}, many),
      placeAt({0, blockForm(7)}, many),
      repeat(placeAt({0, blockForm(8)}, many), 3, 300000),
      simplifyRuns(manyRuns),
      {0, makeRuns(manyRuns)},
  };
  return forms;
}

TEST(RangeTest, PiecesOfLargeInstancesMakeTheWhole) {
  for (const PlacedForm &placed : largeForms()) {
    Layout layout{placed.offset, placed.form->high, placed.form};
    Kernel plain = interpretedKernel(layout);
    auto packer = Packer::of(layout);
    std::vector<std::byte> memory(size_t(2 * layout.extent));
    for (size_t i = 0; i != memory.size(); ++i)
      memory[i] = std::byte(i * 7 + i / 251);
    size_t total = size_t(2 * layout.size());
    std::vector<std::byte> whole(total), pieces(total);
    plain.pack(memory.data(), 2, whole.data(), plain.context.get());
    for (int64_t piece : {int64_t(777), int64_t(4096), int64_t(50000)}) {
      std::fill(pieces.begin(), pieces.end(), std::byte(0));
      std::vector<std::byte> back(memory.size()), expected(memory.size());
      plain.unpack(whole.data(), 2, expected.data(), plain.context.get());
      for (int64_t from = 0; from < int64_t(total); from += piece) {
        int64_t length = std::min(piece, int64_t(total) - from);
        packer->packPart(memory.data(), 2, from, length, &pieces[size_t(from)]);
        unpackRange(layout, plain, &whole[size_t(from)], from, length,
                    back.data(), 2);
      }
      EXPECT_TRUE(pieces == whole) << toText(layout);
      EXPECT_TRUE(back == expected) << toText(layout);
    }
  }
}

TEST(RangeTest, GeneratedCodeIsAskedForWholeInstances) {
  // Code that reverses 8 packed bytes.
  Kernel kernel;
  kernel.pack = kernel.unpack = [](const std::byte *in, int64_t count,
                                   std::byte *out, const void *) {
    for (int64_t i = 0; i != count; ++i, in += 8, out += 8)
      std::reverse_copy(in, in + 8, out);
  };
  Layout layout{0, 8, customForm(nullptr, 8, 0, 8)};
  std::byte in[24], whole[24], parts[24], back[24] = {};
  for (int i = 0; i != 24; ++i)
    in[i] = std::byte(i);
  kernel.pack(in, 3, whole, nullptr);
  for (int64_t from : {0, 5, 10, 15, 20}) {
    int64_t length = std::min<int64_t>(5, 24 - from);
    packRange(layout, kernel, in, 3, from, length, parts + from);
    unpackRange(layout, kernel, whole + from, from, length, back, 3);
  }
  EXPECT_EQ(std::memcmp(parts, whole, 24), 0);
  EXPECT_EQ(std::memcmp(back, in, 24), 0);
}

TEST(RangeTest, SeekingDoesNotWalk) {
  // 2^40 blocks: a walk to the end would take minutes. The requested bytes are
  // in the layout's first and last blocks.
  PlacedForm vector = repeat({0, blockForm(8)}, int64_t(1) << 40, 16);
  Layout layout{0, int64_t(1) << 44, vector.form};
  int64_t last = ((int64_t(1) << 40) - 1) * 16;
  std::byte block[8] = {std::byte(1), std::byte(2), std::byte(3)}, out[4];
  Kernel kernel = interpretedKernel(layout);
  packRange(
      layout, kernel,
      reinterpret_cast<std::byte *>(reinterpret_cast<intptr_t>(block) - last),
      1, layout.size() - 8, 4, out);
  EXPECT_EQ(std::memcmp(out, block, 4), 0);
}

TEST(RangeTest, PartsOutsideTheStreamAreErrors) {
  Layout layout{0, 16, blockForm(8)};
  Kernel kernel = interpretedKernel(layout);
  std::byte in[32] = {}, out[32];
  EXPECT_THROW(packRange(layout, kernel, in, 2, -1, 4, out), farc::Error);
  EXPECT_THROW(packRange(layout, kernel, in, 2, 0, -4, out), farc::Error);
  EXPECT_THROW(packRange(layout, kernel, in, 2, 13, 4, out), farc::Error);
  EXPECT_THROW(packRange(layout, kernel, in, 2, 17, 0, out), farc::Error);
  EXPECT_THROW(unpackRange(layout, kernel, in, INT64_MAX, INT64_MAX, out, 2),
               farc::Error);
  try {
    packRange(layout, kernel, in, 2, 13, 4, out);
    FAIL() << "no error";
  } catch (const farc::Error &error) {
    EXPECT_STREQ(error.what(), "bytes [13, 13 + 4) are not within the packed "
                               "stream of 16 bytes");
  }
}

TEST(RangeTest, NothingOfNothingIsNoError) {
  Layout layout{0, 16, emptyForm()};
  packRange(layout, interpretedKernel(layout), nullptr, 5, 0, 0, nullptr);
  unpackRange(layout, interpretedKernel(layout), nullptr, 0, 0, nullptr, 5);
}

} // namespace
