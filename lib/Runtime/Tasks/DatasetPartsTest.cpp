//===- DatasetPartsTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of datasets, packed and unpacked, against plain loops.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/TaskProgram.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>
#include <vector>

namespace {
struct Part {
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;

  SluiceTaskView view(uint32_t elementSize) const {
    return {static_cast<uint32_t>(shape.size()), elementSize, offset,
            shape.data(), strides.data()};
  }
  /// Where its elements lie, in order.
  std::vector<int64_t> places() const {
    std::vector<int64_t> all = {offset};
    for (size_t d = 0; d < shape.size(); ++d) {
      std::vector<int64_t> next;
      for (int64_t place : all)
        for (int64_t i = 0; i < shape[d]; ++i)
          next.push_back(place + i * strides[d]);
      all = next;
    }
    return all;
  }
};
} // namespace

static const std::vector<Part> parts = {
    {{}, {}, 7},
    {{10}, {1}, 0},
    {{10}, {3}, 5},
    {{4, 6}, {20, 2}, 3},
    {{4, 6}, {1, 20}, 3},
    {{2, 3, 4}, {100, 30, 3}, 11},
    {{3, 1, 5}, {64, 7, 1}, 0},
    {{0, 5}, {10, 1}, 0},
    {{30, 30}, {40, 1}, 15},
};

template <typename Element> static void checkPart(const Part &part) {
  std::vector<Element> data(4000);
  std::iota(data.begin(), data.end(), Element(0));
  const std::vector<Element> before = data;
  SluiceTaskView view = part.view(sizeof(Element));
  std::vector<int64_t> places = part.places();
  auto *packed = static_cast<Element *>(sluiceTaskPack(data.data(), &view, 1));
  ASSERT_EQ(reinterpret_cast<uintptr_t>(packed) % 64, 0u);
  for (size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(packed[i], before[places[i]]);
    packed[i] = Element(200 - i);
  }
  sluiceTaskUnpack(packed, data.data(), &view, 1);
  std::vector<Element> expected = before;
  for (size_t i = 0; i < places.size(); ++i)
    expected[places[i]] = Element(200 - i);
  EXPECT_EQ(data, expected);
}

TEST(PartsTest, ThereAndBack) {
  for (const Part &part : parts) {
    checkPart<uint8_t>(part);
    checkPart<uint16_t>(part);
    checkPart<float>(part);
    checkPart<double>(part);
  }
}

TEST(PartsTest, WhatIsOnlyReadStays) {
  Part part = parts[3];
  std::vector<double> data(100, 1);
  SluiceTaskView view = part.view(8);
  auto *packed = static_cast<double *>(sluiceTaskPack(data.data(), &view, 1));
  std::fill_n(packed, 24, 2);
  sluiceTaskUnpack(packed, data.data(), &view, 0);
  EXPECT_EQ(data, std::vector<double>(100, 1));
}

TEST(PartsTest, WhatIsOnlyWrittenIsNotCopiedBefore) {
  Part part = parts[3];
  std::vector<double> data(100, 1);
  SluiceTaskView view = part.view(8);
  auto *packed = static_cast<double *>(sluiceTaskPack(data.data(), &view, 0));
  std::fill_n(packed, 24, 2);
  sluiceTaskUnpack(packed, data.data(), &view, 1);
  EXPECT_EQ(std::accumulate(data.begin(), data.end(), 0.0), 124);
}

/// More views than are remembered, from several threads.
TEST(PartsTest, ManyViewsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int round = 0; round < 3; ++round)
        for (int64_t rows = 1; rows < 100; ++rows)
          checkPart<double>({{rows, 3}, {17, 2}, 1});
    });
  for (std::thread &thread : threads)
    thread.join();
}
