//===- DeviceMemoryTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracked memory on the devices of this machine. Copies within the device
// stand for kernels.
//
//===----------------------------------------------------------------------===//

#include "../Memory/DevicePlace.h"
#include "../Memory/Testing/Access.h"
#include "../Memory/Tracker.h"
#include "DeviceTrace.h"
#include "DevicesToTest.h"

#include "sluice-c/Plan.h"
#include "sluice/Base/Text.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>
#include <thread>

using namespace sluice;
using namespace sluice::test;

namespace {
struct DeviceMemoryTest : testing::TestWithParam<std::string> {
  void SetUp() override { openDevice({}); }
  void openDevice(const device::OpenOptions &options) {
    auto opened = device::openDevice(GetParam(), options);
    if (!opened.ok())
      FAIL() << opened.status().message();
    queue.reset();
    device = std::move(*opened);
    queue = std::move(*device->createQueue());
  }
  /// Operations of the device fail as SLUICE_DEVICE_FAULTS says.
  void openFaulty(const char *faults) {
    tracker.reset(), place.reset();
    ::setenv("SLUICE_DEVICE_FAULTS", faults, 1);
    openDevice({});
    ::unsetenv("SLUICE_DEVICE_FAULTS");
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
    options.staging.minSent = 100;
    options.staging.packing.buildsAfter = 0;
    tracker.reset();
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
  void moveRanges(bool hasFaults = false);

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

/// Ranges at irregular places, home and back. What a fault breaks off in the
/// middle may be fetched again.
void DeviceMemoryTest::moveRanges(bool hasFaults) {
  for (uint64_t unit : {1, 4}) {
    std::vector<int> a(20000), b(20000);
    std::iota(a.begin(), a.end(), 0);
    ASSERT_TRUE(tracker->track(a.data(), a.size() * 4).ok());
    ASSERT_TRUE(tracker->track(b.data(), b.size() * 4).ok());
    copy(a, b);
    auto *bytes = reinterpret_cast<unsigned char *>(b.data());
    auto start = reinterpret_cast<uintptr_t>(bytes);
    std::vector<ByteRange> ranges;
    std::vector<unsigned char> expected(b.size() * 4);
    uint64_t numBytes = 0;
    for (uint64_t at = 0; at + 100 < b.size() * 4;
         at += 50 + at % 7 / unit * unit) {
      uint64_t size = (4 + at % 30) / unit * unit;
      ranges.push_back({start + at, start + at + size});
      std::memcpy(expected.data() + at,
                  reinterpret_cast<unsigned char *>(a.data()) + at, size);
      numBytes += size;
    }
    MemoryCounters before = place->counters();
    ASSERT_EQ(tracker->bringPartsHome(ranges, HostUse::ReadWrite).message(),
              "");
    ASSERT_EQ(std::memcmp(bytes, expected.data(), expected.size()), 0);
    for (const ByteRange &range : ranges)
      for (uint64_t i = range.begin - start; i < range.end - start; ++i)
        expected[i] = bytes[i] = ~bytes[i];
    copy(b, a);
    ASSERT_EQ(tracker->useOnHost(access(a, false), in).message(), "");
    for (const ByteRange &range : ranges)
      ASSERT_EQ(std::memcmp(reinterpret_cast<unsigned char *>(a.data()) +
                                (range.begin - start),
                            expected.data() + (range.begin - start),
                            range.size()),
                0);
    MemoryCounters after = place->counters();
    uint64_t fetched = after.bytesFetched - before.bytesFetched;
    EXPECT_TRUE(hasFaults || fetched == numBytes + a.size() * 4) << fetched;
    EXPECT_EQ(after.bytesSent - before.bytesSent, numBytes);
    ASSERT_TRUE(tracker->untrack(a.data()).ok());
    ASSERT_TRUE(tracker->untrack(b.data()).ok());
  }
}

TEST_P(DeviceMemoryTest, RangesMoveAlone) {
  for (bool isStaged : {false, true}) {
    open(isStaged);
    moveRanges();
    // The host device has no kernels for them.
    if (GetParam() != "host")
      EXPECT_LT(place->counters().numFetches, 200u);
  }
}

/// A send that waits for a kernel holds all pieces.
TEST_P(DeviceMemoryTest, RangesWaitForPiecesUnderWay) {
  open(/*isStaged=*/true);
  std::vector<int> a(8 << 20), b(a.size()), read(8 * 4096 / sizeof(int)),
      source(20000), target(source.size());
  for (auto *object : {&a, &b, &read, &source, &target})
    ASSERT_TRUE(tracker->track(object->data(), object->size() * 4).ok());
  copy(source, target);
  copy(a, b);
  // Long copies stand for a kernel that reads.
  std::vector<device::Event> after;
  ASSERT_TRUE(tracker->prepare(1, access(read, false), in, after).ok());
  ASSERT_TRUE(queue->finish().ok());
  device::Event end;
  for (int i = 0; i != 10; ++i) {
    auto from = tracker->prepare(1, access(a, false), in, after);
    auto to = tracker->prepare(1, access(b, true), out, after);
    end = *queue->copy(*to->buffer, 0, *from->buffer, 0, a.size() * 4, after);
    tracker->enqueued(1, access(a, false), in, end);
    tracker->enqueued(1, access(b, true), out, end);
  }
  ASSERT_TRUE(queue->flush().ok());
  tracker->enqueued(1, access(read, false), in, end);
  // It is sent again, after the kernel.
  ASSERT_TRUE(tracker->useOnHost(access(read, true), out).ok());
  ASSERT_TRUE(tracker->prepare(1, access(read, false), in, after).ok());
  tracker->notEnqueued(1, access(read, false), in);

  uint64_t before = place->counters().numFetches;
  std::vector<ByteRange> ranges;
  auto start = reinterpret_cast<uintptr_t>(target.data());
  for (uint64_t i = 0; i != 1000; ++i)
    ranges.push_back({start + 80 * i, start + 80 * i + 20 + i % 5 * 4});
  ASSERT_TRUE(tracker->bringPartsHome(ranges, HostUse::Read).ok());
  if (GetParam() != "host")
    EXPECT_LT(place->counters().numFetches - before, 100u);
  for (auto *object : {&a, &b, &read, &source, &target})
    ASSERT_TRUE(tracker->untrack(object->data()).ok());
}

TEST_P(DeviceMemoryTest, RangesMoveWhateverFailsOfPackingThem) {
  for (const char *faults : {"load:1", "launch:1", "launch:2", "launch:3+",
                             "pin:1+", "pin:2", "allocate:3", "allocate:4"})
    for (bool isStaged : {false, true}) {
      SCOPED_TRACE(faults);
      openFaulty(faults);
      open(isStaged);
      moveRanges(/*hasFaults=*/true);
    }
}

TEST_P(DeviceMemoryTest, ReadsThatFailAreTriedOnceMore) {
  std::vector<int> a(1000), b(1000);
  std::iota(a.begin(), a.end(), 0);
  for (const char *faults : {"read:1", "read:1+"}) {
    openFaulty(faults);
    open(/*isStaged=*/false);
    ASSERT_TRUE(tracker->track(a.data(), a.size() * 4).ok());
    ASSERT_TRUE(tracker->track(b.data(), b.size() * 4).ok());
    std::fill(b.begin(), b.end(), 0);
    copy(a, b);
    Status status = tracker->useOnHost(access(b, false), in);
    if (std::string(faults) == "read:1+") {
      EXPECT_NE(status.message().find("cannot transfer 4000 bytes of 'a'"),
                std::string::npos)
          << status.message();
      tracker->forget(b.data());
    } else {
      EXPECT_EQ(status.message(), "") << faults;
      EXPECT_EQ(a, b);
      ASSERT_TRUE(tracker->untrack(b.data()).ok());
    }
    ASSERT_TRUE(tracker->untrack(a.data()).ok());
  }
}

/// Sums the numbers behind `key` in the lines of a category.
static std::pair<uint64_t, uint64_t> bytesOf(const std::string &trace,
                                             const char *category) {
  uint64_t bytes = 0, count = 0;
  std::istringstream lines(trace);
  for (std::string line; std::getline(lines, line);) {
    size_t at = line.find("\"bytes\":");
    if (at == line.npos ||
        line.find(concat("\"cat\":\"", category, "\"")) == line.npos)
      continue;
    bytes += std::strtoull(line.c_str() + at + 8, nullptr, 10);
    ++count;
  }
  return {bytes, count};
}

TEST_P(DeviceMemoryTest, TracesHaveWhatIsCounted) {
  for (bool isStaged : {false, true}) {
    tracker.reset(), place.reset();
    openDevice({.withTiming = true, .cacheDirectory = ""});
    queue.reset();
    DeviceTrace trace(GetParam(), "a device");
    device = traceDevice(std::move(device), trace);
    queue = std::move(*device->createQueue());
    open(isStaged);
    runChain();
    ASSERT_TRUE(queue->finish().ok());
    TraceText events(TraceClock{});
    trace.addTo(events, 1, /*mayAsk=*/true);
    std::string text = events.finish();
    MemoryCounters counters = place->counters();
    EXPECT_EQ(bytesOf(text, "upload"),
              std::pair(counters.bytesSent, counters.numSends));
    EXPECT_EQ(bytesOf(text, "download"),
              std::pair(counters.bytesFetched, counters.numFetches));
    trace.close();
    tracker.reset(), place.reset(), queue.reset(), device.reset();
  }
}

TEST_P(DeviceMemoryTest, MayGoWhileTransfersAreUnderWay) {
  for (int round = 0; round < 6; ++round) {
    open(/*isStaged=*/round % 2);
    std::vector<int> a(1 << 20), b(1 << 20);
    ASSERT_TRUE(tracker->track(a.data(), a.size() * 4).ok());
    ASSERT_TRUE(tracker->track(b.data(), b.size() * 4).ok());
    copy(a, b);
    if (round < 4)
      ASSERT_TRUE(tracker->beginFetchHome(access(b, false)).ok());
    // With the memory, or before it.
    if (round % 3 == 0)
      tracker->forget(b.data());
    if (round % 3 == 1)
      ASSERT_TRUE(tracker->untrack(b.data()).ok());
    tracker.reset(), place.reset();
  }
}

/// Nobody waits for the work, and nothing of the device is freed.
[[noreturn]] static void endWithWorkUnderWay(const std::string &name) {
  auto *device = device::openDevice(name, {})->release();
  auto *place = DevicePlace::create(*device)->release();
  auto *tracker = new MemoryTracker;
  tracker->addDevice(*place);
  // Static, so that checkers of leaks find it.
  static auto *memory = new std::array<std::vector<int>, 4>;
  memory->fill(std::vector<int>(1 << 18));
  auto work = [=](int thread) {
    auto &a = (*memory)[2 * thread], &b = (*memory)[2 * thread + 1];
    auto *queue = device->createQueue()->release();
    MemoryAccess from = {"a", reinterpret_cast<uintptr_t>(a.data()),
                         a.size() * 4, true, false};
    MemoryAccess to = from;
    to.start = reinterpret_cast<uintptr_t>(b.data());
    if (!tracker->track(a.data(), from.size).ok() ||
        !tracker->track(b.data(), to.size).ok())
      std::_Exit(2);
    while (true) {
      std::vector<device::Event> after;
      auto source = tracker->prepare(1, from, in, after);
      auto target = tracker->prepare(1, to, out, after);
      if (!source.ok() || !target.ok())
        return;
      auto end =
          queue->copy(*target->buffer, 0, *source->buffer, 0, from.size, after);
      if (!end.ok())
        return;
      (void)queue->notify([](void *, Status) {}, nullptr);
      tracker->enqueued(1, from, in, *end);
      tracker->enqueued(1, to, out, *end);
      if (!tracker->beginFetchHome(to).ok() || !end->wait().ok())
        return;
    }
  };
  for (int i = 0; i < 2; ++i)
    std::thread(work, i).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::exit(0);
}

TEST_P(DeviceMemoryTest, ProcessesMayEndWithWorkUnderWay) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  queue.reset(), device.reset();
  for (int round = 0; round < 3; ++round)
    EXPECT_EXIT(endWithWorkUnderWay(GetParam()), testing::ExitedWithCode(0),
                "");
}

namespace {
/// PoCL shows as many devices as this says, on the same cores.
struct TwoDevices {
  TwoDevices() { ::setenv("POCL_DEVICES", "pthread pthread", 0); }
} const twoDevices;
} // namespace

TEST(SeveralDevicesTest, MemoryGoesFromOneToTheOther) {
  std::vector<std::unique_ptr<device::Device>> devices;
  std::vector<std::unique_ptr<device::Queue>> queues;
  std::vector<std::unique_ptr<DevicePlace>> places;
  MemoryTracker tracker;
  for (const char *name : {"opencl:0", "opencl:1"}) {
    auto opened = device::openDevice(name, {});
    ASSERT_EQ(opened.status().message(), "");
    devices.push_back(std::move(*opened));
    DevicePlace::Options options;
    options.staging.packing.buildsAfter = 0;
    places.push_back(std::move(*DevicePlace::create(*devices.back(), options)));
    queues.push_back(std::move(*devices.back()->createQueue()));
    tracker.addDevice(*places.back());
  }
  std::vector<int> memory[2] = {std::vector<int>(3 << 20),
                                std::vector<int>(3 << 20)};
  const uint64_t size = memory[0].size() * 4;
  std::iota(memory[0].begin(), memory[0].end(), 7);
  const std::vector<int> expected = memory[0];
  MemoryAccess accesses[2];
  for (int i = 0; i < 2; ++i) {
    accesses[i] = {"a", reinterpret_cast<uintptr_t>(memory[i].data()), size,
                   true, true};
    ASSERT_TRUE(tracker.track(memory[i].data(), size).ok());
  }
  // From one object to the other, on one device and the other in turns.
  constexpr int rounds = 6;
  for (int round = 0; round < rounds; ++round) {
    MemoryPlace place = 1 + round % 2;
    const MemoryAccess &from = accesses[round % 2];
    const MemoryAccess &to = accesses[1 - round % 2];
    std::vector<device::Event> after;
    auto source = tracker.prepare(place, from, in, after);
    ASSERT_EQ(source.status().message(), "");
    auto target = tracker.prepare(place, to, out, after);
    ASSERT_EQ(target.status().message(), "");
    auto end = queues[place - 1]->copy(*target->buffer, 0, *source->buffer, 0,
                                       size, after);
    ASSERT_EQ(end.status().message(), "");
    tracker.enqueued(place, from, in, *end);
    tracker.enqueued(place, to, out, *end);
  }
  ASSERT_EQ(tracker.useOnHost(accesses[rounds % 2], in).message(), "");
  EXPECT_EQ(memory[rounds % 2], expected);
  for (MemoryPlace place : {1, 2}) {
    EXPECT_EQ(tracker.counters(place).bytesSent, rounds / 2 * size);
    EXPECT_EQ(tracker.counters(place).bytesFetched, rounds / 2 * size);
  }
  for (auto &object : memory)
    ASSERT_TRUE(tracker.untrack(object.data()).ok());
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceMemoryTest,
                         testing::ValuesIn(device::test::devicesToTest()),
                         [](const auto &info) { return info.param; });
