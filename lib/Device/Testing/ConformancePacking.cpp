//===- ConformancePacking.cpp - Pieces of buffers on every device ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers and scatters random pieces on every device and compares the bytes.
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "sluice/Device/Packing.h"

#include <cstring>
#include <random>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::test;

namespace {
using Bytes = std::vector<unsigned char>;

/// Pieces at random places, sorted and disjoint, in units.
struct RandomPieces {
  RandomPieces(uint32_t seed, uint32_t unit, uint32_t count);
  Bytes packed(const Bytes &memory) const;

  const uint32_t unit;
  uint64_t base;
  std::vector<PackedPiece> list;
  uint64_t end = 0; ///< of the last piece, bytes
  uint64_t packedSize() const { return list.back().packed * uint64_t(unit); }
};
} // namespace

RandomPieces::RandomPieces(uint32_t seed, uint32_t unit, uint32_t count)
    : unit(unit), base(unit * (seed % 7)) {
  std::mt19937 random(seed);
  uint32_t offset = 0, packed = 0;
  for (uint32_t i = 0; i < count; ++i) {
    offset += random() % 5;
    list.push_back({offset, packed});
    uint32_t size = random() % (i % 50 == 0 ? 300 : 20);
    offset += size;
    packed += size;
  }
  list.push_back({0, packed});
  end = base + uint64_t(offset) * unit;
}

Bytes RandomPieces::packed(const Bytes &memory) const {
  Bytes result;
  for (size_t i = 0; i + 1 < list.size(); ++i) {
    auto first = memory.begin() + base + uint64_t(list[i].offset) * unit;
    uint64_t size = uint64_t(list[i + 1].packed - list[i].packed) * unit;
    result.insert(result.end(), first, first + size);
  }
  return result;
}

static Bytes randomBytes(uint64_t size, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (unsigned char &byte : bytes)
    byte = static_cast<unsigned char>(random());
  return bytes;
}

TEST_P(Conformance, GathersAndScattersPieces) {
  auto kernels = must(PackingKernels::load(*device));
  auto queue = createQueue();
  uint32_t seed = 0;
  for (uint32_t unit : {1, 4})
    for (uint32_t count : {1, 2, 33, 1000}) {
      RandomPieces pieces(++seed, unit, count);
      const uint64_t listSize = pieces.list.size() * sizeof(PackedPiece);
      Bytes before = randomBytes(pieces.end + 8, seed);
      auto memory = allocate(before.size());
      auto staging = allocate(listSize + pieces.packedSize());
      PackedPieces what{*memory, *staging, pieces.base, listSize, count, unit};
      must(queue->write(*memory, 0, before.data(), before.size()));
      must(queue->write(*staging, 0, pieces.list.data(), listSize));
      Event gathered = must(kernels->gather(*queue, what));
      Bytes packed(pieces.packedSize());
      must(must(queue->read(packed.data(), *staging, listSize, packed.size(),
                            {&gathered, 1}))
               .wait());
      EXPECT_EQ(packed, pieces.packed(before));

      Bytes changed = randomBytes(packed.size(), seed + 100);
      must(queue->write(*staging, listSize, changed.data(), changed.size()));
      Event scattered = must(kernels->scatter(*queue, what));
      Bytes after(before.size());
      must(must(queue->read(after.data(), *memory, 0, after.size(),
                            {&scattered, 1}))
               .wait());
      EXPECT_EQ(pieces.packed(after), changed);
      // Nothing else has changed.
      Event restored =
          must(queue->write(*staging, listSize, packed.data(), packed.size()));
      Event back = must(kernels->scatter(*queue, what, {&restored, 1}));
      must(must(queue->read(after.data(), *memory, 0, after.size(), {&back, 1}))
               .wait());
      EXPECT_EQ(after, before);
    }
}
