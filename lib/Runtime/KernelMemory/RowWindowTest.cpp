//===- RowWindowTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is written through a window is read through it, as long as it is not
// further away than the window is large.
//
//===----------------------------------------------------------------------===//

#include "RowWindow.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

using namespace sluice;

TEST(RowWindowTest, HoldsTheBytesThatWereWrittenLast) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const uint64_t bytes = 1 + random() % 200000;
    const uint64_t capacity = 1 + random() % 20000;
    // Memory that is nobody's: only its address counts.
    const uint64_t memory = 0x10000 + 8 * (random() % 5000);
    RowWindow window;
    ASSERT_TRUE(window.open(bytes, capacity));
    ASSERT_GE(window.capacity(), capacity);
    std::vector<unsigned char> expected(bytes);
    for (uint64_t next = 0; next < bytes;) {
      uint64_t count =
          std::min<uint64_t>(1 + random() % capacity, bytes - next);
      uint64_t address = window.addressFor(memory, int64_t(next));
      EXPECT_EQ(address % 4096, memory % 4096);
      for (uint64_t i = next; i < next + count; ++i)
        expected[i] = static_cast<unsigned char>(random());
      std::memcpy(reinterpret_cast<void *>(address + next), &expected[next],
                  count);
      next += count;
      uint64_t first = next > capacity ? next - capacity : 0;
      address = window.addressFor(memory, int64_t(first));
      ASSERT_EQ(std::memcmp(reinterpret_cast<void *>(address + first),
                            &expected[first], next - first),
                0);
    }
  }
}

TEST(RowWindowTest, BeginsBeforeTheMemory) {
  RowWindow window;
  ASSERT_TRUE(window.open(100000, 5000));
  const uint64_t address = window.addressFor(0x20010, -4000);
  EXPECT_EQ(address % 4096, 0x10u);
  std::memset(reinterpret_cast<void *>(address - 4000), 1, 5000);
}

TEST(RowWindowTest, IsUsedAgainForOtherMemory) {
  RowWindow window;
  ASSERT_TRUE(window.open(100000, 5000));
  const uint64_t before = window.addressFor(0x20000, 0);
  ASSERT_TRUE(window.open(90000, 5000));
  EXPECT_EQ(window.addressFor(0x20000, 0), before);
  ASSERT_TRUE(window.open(900000, 50000));
  EXPECT_GE(window.capacity(), 50000u);
  EXPECT_FALSE(window.open(UINT64_MAX, 5000));
}
