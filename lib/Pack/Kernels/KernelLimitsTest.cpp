//===- KernelLimitsTest.cpp - Kernels in unusual situations ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests distances beyond 32 bits, in memory that is mostly never accessed, and
// gaps that another thread writes while a kernel unpacks around them.
//
//===----------------------------------------------------------------------===//

#include "../Form/FormBuilding.h"
#include "KernelTesting.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <numeric>
#include <sys/mman.h>
#include <thread>

using namespace sluice::pack;
using namespace sluice::pack::kerneltest;

namespace {

constexpr int64_t gibibyte = int64_t(1) << 30;

/// Address space that gets memory only where it is accessed.
class SparseBuffer {
public:
  explicit SparseBuffer(int64_t size) : size(size_t(size)) {
    memory = mmap(nullptr, this->size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~SparseBuffer() {
    if (exists())
      munmap(memory, size);
  }
  bool exists() const { return memory != MAP_FAILED; }
  std::byte *data() const { return static_cast<std::byte *>(memory); }

private:
  void *memory;
  size_t size;
};

void checkFarLayout(const Layout &layout, int64_t count, int64_t span) {
  SparseBuffer user(span);
  if (!user.exists())
    GTEST_SKIP() << "no address space of " << span << " bytes";
  size_t size = size_t(count * layout.size());
  std::vector<std::byte> packed(size), again(size);
  for (size_t i = 0; i != size; ++i)
    packed[i] = std::byte(1 + i % 251);
  auto offsets = byteOffsets(*layout.form, layout.offset);
  for (const Processor &processor : processors()) {
    Kernel kernel = readyMadeKernel(layout, processor);
    SCOPED_TRACE(kernel.name);
    kernel.unpack(packed.data(), count, user.data(), kernel.context.get());
    size_t position = 0;
    for (int64_t i = 0; i != count; ++i)
      for (int64_t offset : offsets)
        ASSERT_EQ(user.data()[offset + i * layout.extent], packed[position++]);
    std::fill(again.begin(), again.end(), std::byte(0));
    kernel.pack(user.data(), count, again.data(), kernel.context.get());
    EXPECT_EQ(again, packed);
    for (int64_t i = 0; i != count; ++i)
      for (int64_t offset : offsets)
        user.data()[offset + i * layout.extent] = std::byte(0);
  }
}

TEST(KernelLimitsTest, DistancesBeyond32Bits) {
  int64_t far = 3 * gibibyte + 5;
  checkFarLayout({7, far, blockForm(12)}, 4, 13 * gibibyte);
  checkFarLayout({0, 100, makeStrided({{3, far}}, blockForm(8))}, 20,
                 13 * gibibyte);
  checkFarLayout({0, 8, makeStrided({{9, gibibyte}}, blockForm(8))}, 16,
                 13 * gibibyte);
  checkFarLayout({0, 50, makeStrided({{2, far}, {40, 99}}, blockForm(24))}, 2,
                 13 * gibibyte);
}

TEST(KernelLimitsTest, ListsBeyond32Bits) {
  int64_t far = 3 * gibibyte + 5;
  checkFarLayout({0, 64, makeIndexed({0, far, far + 1000}, blockForm(16))}, 3,
                 4 * gibibyte);
  checkFarLayout(
      {0, 64, makeRuns(std::vector<sluice::pack::ByteRun>{{0, 5}, {far, 60}})},
      1, 4 * gibibyte);
  FormRef line = makeStrided({{5, 20}}, blockForm(8));
  checkFarLayout({0, 200, makeIndexed({0, far, far + 1000}, line)}, 2,
                 4 * gibibyte);
  checkFarLayout({0, 200, makeSequence({0, far}, {line, blockForm(50)})}, 2,
                 4 * gibibyte);
}

/// Copies with only those pages mapped that the layout uses.
void checkUntouchedPagesStayUnread(const Layout &layout, int64_t count) {
  constexpr int64_t page = 4096, room = 1 << 20;
  void *memory = mmap(nullptr, size_t(room), PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto *user = static_cast<std::byte *>(memory);
  std::vector<std::byte *> places;
  for (int64_t i = 0; i != count; ++i)
    for (int64_t offset : byteOffsets(*layout.form, layout.offset)) {
      int64_t place = offset + i * layout.extent;
      ASSERT_TRUE(place >= 0 && place < room);
      ASSERT_EQ(mprotect(user + place / page * page, size_t(page),
                         PROT_READ | PROT_WRITE),
                0);
      user[place] = std::byte(places.size() % 251);
      places.push_back(user + place);
    }
  for (const Processor &processor : processors())
    for (KernelEffort effort : {KernelEffort::Quick, KernelEffort::Full}) {
      Kernel kernel = readyMadeKernel(layout, processor, effort);
      SCOPED_TRACE(kernel.name);
      std::vector<std::byte> packed(places.size());
      kernel.pack(user, count, packed.data(), kernel.context.get());
      for (size_t i = 0; i != places.size(); ++i)
        ASSERT_EQ(packed[i], std::byte(i % 251)) << "byte " << i;
      kernel.unpack(packed.data(), count, user, kernel.context.get());
    }
  munmap(memory, size_t(room));
}

/// Programs list separately allocated arrays by their addresses.
TEST(KernelLimitsTest, UntouchedPagesNeedNotBeMapped) {
  using ByteRun = sluice::pack::ByteRun;
  int64_t page = 4096, far = 16 * page;
  auto runs = makeRuns(std::vector<ByteRun>{{0, 4}, {far, 12}, {far - 40, 7}});
  checkUntouchedPagesStayUnread({page - 4, far, runs}, 1);
  checkUntouchedPagesStayUnread({2 * page - 7 + 40, 4 * far, runs}, 3);
  std::vector<ByteRun> many;
  for (int64_t i = 0; i != 60; ++i)
    many.push_back({i * 20, 1 + i % 13});
  int64_t end = many.back().offset + many.back().length;
  checkUntouchedPagesStayUnread({page - end, far, makeRuns(many)}, 5);
  FormRef dense = makeStrided({{50, 12}}, blockForm(4));
  FormRef thin = makeStrided({{40, 2}}, blockForm(1));
  for (const FormRef &line : {dense, thin}) {
    int64_t first = page - line->high;
    checkUntouchedPagesStayUnread(
        {first, 4 * far, makeIndexed({0, far, 3 * far}, line)}, 2);
    checkUntouchedPagesStayUnread(
        {first, far, makeSequence({0, 5 * page}, {line, blockForm(50)})}, 4);
    checkUntouchedPagesStayUnread(
        {first, far, makeStrided({{3, 4 * page}}, line)}, 3);
  }
}

/// Unpacks repeatedly while another thread counts in every gap byte. A kernel
/// that reads a gap and writes it back would lose counts.
void checkGapsBelongToOthers(const Layout &layout, int64_t count,
                             const Processor &processor) {
  auto one = byteOffsets(*layout.form);
  std::vector<bool> isGap(size_t(layout.extent), true);
  for (int64_t offset : one)
    isGap[size_t(offset)] = false;
  Kernel kernel = readyMadeKernel(layout, processor);
  std::vector<std::byte> user(size_t(layout.extent * count));
  std::vector<std::byte> packed(size_t(layout.size() * count), std::byte(1));
  std::atomic<bool> hasBegun = false, isDone = false;
  std::thread unpacker([&] {
    while (!isDone) {
      kernel.unpack(packed.data(), count, user.data(), kernel.context.get());
      hasBegun = true;
    }
  });
  while (!hasBegun)
    std::this_thread::yield();
  constexpr int rounds = 300;
  for (int round = 0; round != rounds; ++round)
    for (size_t i = 0; i != user.size(); ++i)
      if (isGap[i % isGap.size()]) {
        auto &gap = reinterpret_cast<volatile uint8_t &>(user[i]);
        gap = uint8_t(gap + 1);
      }
  isDone = true;
  unpacker.join();
  for (size_t i = 0; i != user.size(); ++i)
    if (isGap[i % isGap.size()])
      ASSERT_EQ(user[i], std::byte(uint8_t(rounds)))
          << "gap byte " << i << ", kernel '" << kernel.name << "'";
}

TEST(KernelLimitsTest, GapsBelongToOthers) {
  FormRef padded =
      makeRuns(std::vector<sluice::pack::ByteRun>{{0, 1}, {8, 10}, {20, 4}});
  for (const Processor &processor : processors()) {
    checkGapsBelongToOthers({0, 24, padded}, 40, processor);
    checkGapsBelongToOthers({0, 16, blockForm(8)}, 64, processor);
    checkGapsBelongToOthers({0, 4, blockForm(1)}, 256, processor);
    checkGapsBelongToOthers({0, 16, blockForm(12)}, 64, processor);
    checkGapsBelongToOthers({0, 90, blockForm(70)}, 16, processor);
  }
}

} // namespace
