//===- TranspackTest.cpp - Tests of copies from layout to layout ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares each way of copying with a byte-wise copy in order.
//
//===----------------------------------------------------------------------===//

#include "../Testing/NaiveLayout.h"
#include "sluice/Pack/Packer.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace sluice;
using namespace sluice::pack;

namespace {

/// A side of the copy: memory around its bytes.
struct Memory {
  Memory(const Layout &layout, int64_t count, const naive::Bytes &instance)
      : layout(layout), count(count),
        places(naive::repeat(instance, count, layout.extent)) {
    int64_t high = 1;
    for (int64_t place : places) {
      low = std::min(low, place);
      high = std::max(high, place + 1);
    }
    bytes.resize(size_t(high - low));
    for (size_t i = 0; i != bytes.size(); ++i)
      bytes[i] = std::byte(i * 11 + i / 253);
  }

  std::byte &at(size_t i) { return bytes[size_t(places[i] - low)]; }
  std::byte *origin() { return bytes.data() - low; }

  Layout layout;
  int64_t count;
  naive::Bytes places;
  int64_t low = 0;
  std::vector<std::byte> bytes;
};

Memory memoryOf(const naive::Pair &pair, int64_t extent, int64_t count) {
  return Memory({pair.placed.offset, extent, pair.placed.form}, count,
                pair.bytes);
}

void expectCopied(Memory from, Memory to) {
  std::vector<std::byte> expected = to.bytes;
  for (size_t i = 0; i != from.places.size(); ++i)
    expected[size_t(to.places[i] - to.low)] = from.at(i);
  auto source = Packer::of(from.layout), target = Packer::of(to.layout);
  Status status = transpack(*source, from.origin(), from.count, *target,
                            to.origin(), to.count);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(to.bytes == expected)
      << toText(from.layout) << " to " << toText(to.layout);
}

naive::Pair vectorPair(int64_t count, int64_t block, int64_t stride) {
  return {repeat({0, blockForm(block)}, count, stride),
          naive::repeat(naive::block(block), count, stride)};
}

/// A matrix of `rows` by `columns` in column order, from memory in row order.
naive::Pair transposed(int64_t rows, int64_t columns, int64_t element) {
  naive::Pair column = vectorPair(rows, element, columns * element);
  return {repeat(column.placed, columns, element),
          naive::repeat(column.bytes, columns, element)};
}

TEST(TranspackTest, EveryPairOfWaysCopies) {
  std::vector<naive::Pair> pairs = {
      {{16, blockForm(96000)}, {}}, vectorPair(40, 2400, 3000), // long runs
      vectorPair(10, 9600, 9608),                               // longer ones
      vectorPair(12000, 8, 24),                                 // short runs
      vectorPair(32000, 3, 5),      transposed(100, 120, 8),
  };
  naive::append(pairs.front().bytes, naive::block(96000), 16);
  for (const naive::Pair &from : pairs)
    for (const naive::Pair &to : pairs)
      expectCopied(memoryOf(from, 200000, 1), memoryOf(to, 200000, 1));
}

TEST(TranspackTest, CountsMayDiffer) {
  expectCopied(memoryOf(vectorPair(3, 8, 16), 64, 1000),
               memoryOf(vectorPair(10, 12, 20), 240, 200));
  expectCopied(memoryOf(vectorPair(1, 24, 24), 24, 1000),
               memoryOf(vectorPair(10, 12, 20), 240, 200));
}

TEST(TranspackTest, LargeTransposesFillWholeChunks) {
  naive::Pair rows = vectorPair(300, 8 * 400, 8 * 500);
  expectCopied(memoryOf(rows, 0, 1), memoryOf(transposed(400, 300, 8), 0, 1));
  naive::Pair gaps = vectorPair(120000, 8, 16);
  expectCopied(memoryOf(gaps, 0, 1), memoryOf(transposed(400, 300, 8), 0, 1));
}

TEST(TranspackTest, RandomLayoutsCopy) {
  int copied = 0;
  for (uint64_t seed = 0; seed != 1500; ++seed) {
    naive::Generator generator(seed, /*disjoint=*/true);
    naive::Pair from = generator.layout(int(seed % 4)),
                to = generator.layout(int(seed % 3));
    auto fromSize = int64_t(from.bytes.size()),
         toSize = int64_t(to.bytes.size());
    if (fromSize == 0 || toSize == 0 || fromSize * toSize > 100000)
      continue;
    auto extentOf = [](const naive::Pair &pair) {
      return pair.placed.form->high - pair.placed.form->low;
    };
    ++copied;
    expectCopied(memoryOf(from, extentOf(from), toSize),
                 memoryOf(to, extentOf(to), fromSize));
  }
  EXPECT_GT(copied, 500);
}

TEST(TranspackTest, DifferentSizesAreErrors) {
  auto from = Packer::of({0, 24, blockForm(24)});
  auto to = Packer::of({0, 16, blockForm(16)});
  std::byte in[72], out[72] = {};
  EXPECT_EQ(transpack(*from, in, 3, *to, out, 4).message(),
            "expected two layouts of the same size, but got 3 x 24 bytes for "
            "4 x 16 bytes");
  EXPECT_EQ(transpack(*from, in, -3, *to, out, 4).message(),
            "expected counts of at least 0, but got -3 and 4");
  EXPECT_EQ(transpack(*from, in, INT64_MAX, *to, out, 4).code(),
            StatusCode::InvalidArgument);
  EXPECT_TRUE(transpack(*from, nullptr, 0, *to, nullptr, 0).ok());
}

TEST(TranspackTest, CodeThatIsMissingIsAnError) {
  auto from = Packer::of({0, 24, customForm(nullptr, 24, 0, 24)});
  auto to = Packer::of({0, 24, repeat({0, blockForm(8)}, 3, 16).form});
  std::byte in[24], out[48];
  Status status = transpack(*from, in, 1, *to, out, 1);
  EXPECT_EQ(status.code(), StatusCode::Misuse);
  EXPECT_EQ(status.message(),
            "a layout with a user's own datatype was not compiled; commit it "
            "where libSluicePackJIT.so is found");
}

} // namespace
