//===- DeviceMemoryTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracked memory on the devices of this machine. Copies within the device
// stand for kernels.
//
//===----------------------------------------------------------------------===//

#include "../Tracker.h"
#include "DevicePlace.h"
#include "DevicesToTest.h"

#include "sluice-c/Plan.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace sluice;

namespace {
constexpr uint32_t in = SLUICE_ACCESS_IN, out = SLUICE_ACCESS_OUT;

struct DeviceMemoryTest : testing::TestWithParam<std::string> {
  void SetUp() override {
    auto opened = device::openDevice(GetParam(), {});
    if (!opened.ok())
      FAIL() << opened.status().message();
    device = std::move(*opened);
    queue = std::move(*device->createQueue());
  }
  void TearDown() override {
    if (queue)
      EXPECT_TRUE(queue->finish().ok());
  }
  void open(bool isStaged, uint64_t budget = 0) {
    DevicePlace::Options options;
    options.budget = budget;
    options.staging.isUsed = isStaged;
    options.staging.pieceSize = 4096;
    options.staging.leastSent = 100;
    place = std::move(*DevicePlace::create(*device, options));
    tracker = std::make_unique<MemoryTracker>();
    tracker->addDevice(*place);
  }
  MemoryAccess access(std::vector<int> &memory, bool writes) {
    return {"a", reinterpret_cast<uintptr_t>(memory.data()),
            memory.size() * sizeof(int), true, writes};
  }
  void copy(std::vector<int> &from, std::vector<int> &to) {
    std::vector<device::Event> after;
    auto source = tracker->prepare(1, access(from, false), in, after);
    ASSERT_EQ(source.status().message(), "");
    auto target = tracker->prepare(1, access(to, true), out, after);
    ASSERT_EQ(target.status().message(), "");
    auto end = queue->copy(*target->buffer, target->offset, *source->buffer,
                           source->offset, from.size() * sizeof(int), after);
    ASSERT_EQ(end.status().message(), "");
    ASSERT_TRUE(queue->flush().ok());
    tracker->enqueued(1, access(from, false), in, *end);
    tracker->enqueued(1, access(to, true), out, *end);
  }
  void runChain();

  std::unique_ptr<device::Device> device;
  std::unique_ptr<device::Queue> queue;
  std::unique_ptr<DevicePlace> place;
  /// Memory must be gone before the devices.
  std::unique_ptr<MemoryTracker> tracker;
};
} // namespace

void DeviceMemoryTest::runChain() {
  std::vector<std::vector<int>> memory(5, std::vector<int>(12345));
  for (auto &object : memory)
    ASSERT_TRUE(tracker->track(object.data(), object.size() * 4).ok());
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(tracker->useOnHost(access(memory[0], true), out).ok());
    std::iota(memory[0].begin(), memory[0].end(), round);
    for (size_t i = 1; i < memory.size(); ++i)
      copy(memory[i - 1], memory[i]);
    ASSERT_TRUE(tracker->beginFetchHome(access(memory[4], false)).ok());
    ASSERT_TRUE(tracker->useOnHost(access(memory[4], false), in).ok());
    ASSERT_EQ(memory[4], memory[0]);
  }
  for (auto &object : memory)
    ASSERT_TRUE(tracker->untrack(object.data()).ok());
}

TEST_P(DeviceMemoryTest, ChainsOfCopiesMoveTheirEnds) {
  for (bool isStaged : {false, true}) {
    open(isStaged);
    runChain();
    MemoryCounters counters = place->counters();
    EXPECT_EQ(counters.bytesSent, 10u * 12345 * 4);
    // The last round's four results come home when they are untracked.
    EXPECT_EQ(counters.bytesFetched, (10u + 3) * 12345 * 4);
    EXPECT_EQ(counters.numAllocations, 5u);
  }
}

TEST_P(DeviceMemoryTest, FullDevicesMakeRoom) {
  open(/*isStaged=*/false, /*budget=*/3 * 53248);
  runChain();
  EXPECT_GT(place->counters().numEvictions, 10u);
}

TEST_P(DeviceMemoryTest, ColumnsMoveAlone) {
  for (bool isStaged : {false, true}) {
    open(isStaged);
    std::vector<int> a(100 * 100), b(100 * 100);
    std::iota(a.begin(), a.end(), 0);
    ASSERT_TRUE(tracker->track(a.data(), a.size() * 4).ok());
    ASSERT_TRUE(tracker->track(b.data(), b.size() * 4).ok());
    copy(a, b);
    std::vector<ByteRange> column;
    auto start = reinterpret_cast<uintptr_t>(b.data());
    for (uint64_t row = 0; row < 100; ++row)
      column.push_back({start + row * 400 + 40, start + row * 400 + 60});
    ASSERT_TRUE(tracker->bringPartsHome(column, HostUse::ReadWrite).ok());
    EXPECT_EQ(place->counters().bytesFetched, 100u * 20);
    EXPECT_EQ(place->counters().numFetches, 1u);
    for (size_t i = 0; i < b.size(); ++i) {
      bool isThere = i % 100 >= 10 && i % 100 < 15;
      ASSERT_EQ(b[i], isThere ? a[i] : 0);
      b[i] = isThere ? -a[i] : 0;
    }
    copy(b, a);
    ASSERT_TRUE(tracker->useOnHost(access(a, false), in).ok());
    for (int i = 0; i < 10000; ++i)
      ASSERT_EQ(a[i], i % 100 >= 10 && i % 100 < 15 ? -i : i);
    EXPECT_EQ(place->counters().bytesSent, 40000u + 100 * 20);
    ASSERT_TRUE(tracker->untrack(a.data()).ok());
    ASSERT_TRUE(tracker->untrack(b.data()).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceMemoryTest,
                         testing::ValuesIn(device::test::devicesToTest()),
                         [](const auto &info) { return info.param; });
