//===- MemoryMovesTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves in programs as users write them, counted; devices that are full,
// lost or slow; and parts of memory.
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "DevicePlace.h"
#include "LayoutBytes.h"
#include "MemoryCopies.h"
#include "Testing/Access.h"
#include "Testing/TestDevice.h"
#include "Tracker.h"

#include "sluice-c/Plan.h"

#include <future>
#include <gtest/gtest.h>
#include <numeric>

using namespace sluice;
using namespace sluice::test;

namespace {
using Bytes = std::vector<unsigned char>;

struct Argument {
  Bytes &memory;
  uint64_t begin, size;
  uint32_t access;
  MemoryAccess tracked() const {
    return {"a", reinterpret_cast<uintptr_t>(memory.data()) + begin, size, true,
            (access & out) != 0};
  }
};

struct MemoryMovesTest : testing::Test {
  void TearDown() override { world.runAll(); }

  void open(unsigned numDevices, uint64_t capacity = UINT64_C(1) << 30,
            bool isStaged = false) {
    static const char *names[] = {"test:0", "test:1"};
    DevicePlace::Options options;
    options.budget = capacity;
    options.staging.isUsed = isStaged;
    options.staging.pieceSize = 1 << 10;
    options.staging.packing = packing;
    for (unsigned i = 0; i < numDevices; ++i) {
      devices.push_back(
          std::make_unique<TestDevice>(world, names[i], capacity));
      places.push_back(
          std::move(*DevicePlace::create(*devices.back(), options)));
      queues.push_back(std::move(*devices.back()->createQueue()));
      tracker.addDevice(*places.back());
    }
  }
  Bytes &track(uint64_t size) {
    Bytes &memory = memories.emplace_back(size);
    std::iota(memory.begin(), memory.end(), 0);
    EXPECT_TRUE(tracker.track(memory.data(), size).ok());
    return memory;
  }
  /// Adds 1 to every byte that is read and writes that to all that are
  /// written.
  device::Event run(MemoryPlace place, std::vector<Argument> arguments) {
    std::vector<device::Event> after;
    std::vector<PlacedMemory> placed;
    std::vector<device::KernelArgument> values;
    for (const Argument &argument : arguments) {
      auto memory =
          tracker.prepare(place, argument.tracked(), argument.access, after);
      EXPECT_EQ(memory.status().message(), "");
      placed.push_back(*memory);
      values.emplace_back().buffer = memory->buffer;
    }
    TestKernel kernel;
    kernel.body = [=](const std::vector<unsigned char *> &memory) {
      unsigned char value = 0;
      for (size_t i = 0; i < placed.size(); ++i)
        if (arguments[i].access & in)
          value = memory[i][placed[i].offset] + 1;
      for (size_t i = 0; i < placed.size(); ++i)
        if (arguments[i].access & out)
          std::fill_n(memory[i] + placed[i].offset, arguments[i].size, value);
    };
    auto end = queues[place - 1]->launch(kernel, {}, values, after);
    EXPECT_EQ(end.status().message(), "");
    for (const Argument &argument : arguments)
      tracker.enqueued(place, argument.tracked(), argument.access, *end);
    return *end;
  }
  Argument all(Bytes &memory, uint32_t access) {
    return {memory, 0, memory.size(), access};
  }
  Status home(const Argument &argument) {
    return tracker.useOnHost(argument.tracked(), argument.access);
  }
  std::string prepareError(MemoryPlace place, const Argument &argument) {
    std::vector<device::Event> after;
    auto placed =
        tracker.prepare(place, argument.tracked(), argument.access, after);
    return placed.status().message();
  }
  void expectMoved(MemoryPlace place, uint64_t sent, uint64_t fetched) {
    MemoryCounters counters = tracker.counters(place);
    EXPECT_EQ(counters.bytesSent, sent);
    EXPECT_EQ(counters.bytesFetched, fetched);
  }

  /// `count` ranges of 4 bytes, 16 apart but for some bytes.
  std::vector<ByteRange> irregular(Bytes &memory, uint64_t count,
                                   uint64_t unit = 1) {
    std::vector<ByteRange> pieces;
    auto start = reinterpret_cast<uintptr_t>(memory.data());
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t begin =
          start + i * 16 + (i * 2654435761 >> 7) % 11 / unit * unit;
      pieces.push_back({begin, begin + 4});
    }
    return pieces;
  }
  /// Moves such ranges home and back, and checks all bytes. Returns how many
  /// times the device has packed or unpacked them.
  uint64_t moveRangesAndBack(uint64_t count, uint64_t unit);
  /// The same, as the operations that were needed.
  uint64_t numTransfers = 0;

  PackingOptions packing;
  TestWorld world;
  std::vector<std::unique_ptr<TestDevice>> devices;
  std::vector<std::unique_ptr<DevicePlace>> places;
  std::vector<std::unique_ptr<device::Queue>> queues;
  std::deque<Bytes> memories;
  MemoryTracker tracker;
};

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}
} // namespace

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

TEST_F(MemoryMovesTest, AChainOfKernelsSendsItsInputAndFetchesItsResult) {
  open(1);
  Bytes &a = track(100), &b = track(100), &c = track(100);
  for (int i = 0; i < 10; ++i) {
    run(1, {all(i ? c : a, in), all(b, out)});
    run(1, {all(b, in), all(c, out)});
  }
  ASSERT_TRUE(home(all(c, in)).ok());
  EXPECT_EQ(c[99], 20);
  expectMoved(1, 100, 100);
}

TEST_F(MemoryMovesTest, AHostNodeBetweenKernelsMovesWhatItTouches) {
  open(1);
  Bytes &a = track(100);
  run(1, {all(a, inOut)});
  ASSERT_TRUE(home({a, 10, 20, inOut}).ok());
  std::fill_n(a.begin() + 10, 20, 7);
  run(1, {all(a, inOut)});
  ASSERT_TRUE(home(all(a, in)).ok());
  EXPECT_EQ(a[50], 2);
  expectMoved(1, 100 + 20, 20 + 100);
}

TEST_F(MemoryMovesTest, HalvesOnTwoDevicesNeverMeet) {
  open(2);
  Bytes &a = track(100), &b = track(100);
  for (int i = 0; i < 5; ++i) {
    run(1, {{a, 0, 50, in}, {b, 0, 50, inOut}});
    run(2, {{a, 50, 50, in}, {b, 50, 50, inOut}});
  }
  ASSERT_TRUE(home(all(b, in)).ok());
  expectMoved(1, 100, 50);
  expectMoved(2, 100, 50);
}

TEST_F(MemoryMovesTest, HalosMoveAloneBetweenDevices) {
  open(2);
  Bytes &a = track(100);
  run(1, {{a, 0, 50, inOut}});
  run(2, {{a, 50, 50, inOut}});
  run(1, {{a, 0, 52, in}});
  run(2, {{a, 48, 52, in}});
  expectMoved(1, 50 + 2, 2);
  expectMoved(2, 50 + 2, 2);
}

TEST_F(MemoryMovesTest, StreamsOverlapItemsOnTheirWay) {
  open(1);
  world.isLazy = true;
  Bytes *inputs[] = {&track(100), &track(100)};
  Bytes *outputs[] = {&track(100), &track(100)};
  device::Event arrivals[2];
  for (int item = 0; item < 6; ++item) {
    Bytes &input = *inputs[item % 2], &output = *outputs[item % 2];
    ASSERT_TRUE(arrivals[item % 2].wait().ok());
    ASSERT_TRUE(home(all(input, out)).ok());
    std::fill(input.begin(), input.end(), 3 * item);
    run(1, {all(input, in), all(output, out)});
    auto arrival = tracker.beginFetchHome(all(output, in).tracked());
    ASSERT_TRUE(arrival.ok());
    // Nothing had to run so far but what the item before the last left.
    EXPECT_FALSE(arrival->hasEnded());
    if (item) {
      ASSERT_TRUE(home(all(*outputs[(item - 1) % 2], in)).ok());
      EXPECT_EQ((*outputs[(item - 1) % 2])[0], 3 * (item - 1) + 1);
    }
    arrivals[item % 2] = *arrival;
  }
  expectMoved(1, 600, 600);
}

TEST_F(MemoryMovesTest, KernelsWaitForTransfersOfWhatTheyOverwrite) {
  for (int seed = 0; seed < 50; ++seed) {
    if (places.empty())
      open(1);
    world.isLazy = true;
    Bytes &a = track(10);
    run(1, {all(a, inOut)});
    auto first = tracker.beginFetchHome(all(a, in).tracked());
    ASSERT_TRUE(first.ok());
    run(1, {all(a, inOut)});
    ASSERT_TRUE(first->wait().ok());
    EXPECT_EQ(a[0], 1);
    ASSERT_TRUE(home(all(a, in)).ok());
    EXPECT_EQ(a[0], 2);
  }
}

TEST_F(MemoryMovesTest, LargeMemoryGoesBetweenDevicesInPieces) {
  open(2);
  world.isLazy = true;
  Bytes &a = track(UINT64_C(18) << 20);
  run(1, {all(a, inOut)});
  run(2, {all(a, inOut)});
  ASSERT_TRUE(home(all(a, in)).ok());
  EXPECT_EQ(a.back(), 2);
  expectMoved(1, a.size(), a.size());
  expectMoved(2, a.size(), a.size());
  EXPECT_EQ(tracker.counters(1).numFetches, 5u);
  EXPECT_GE(tracker.counters(2).numSends, 2u);
}

TEST_F(MemoryMovesTest, StagedTransfersMoveEveryByteOnce) {
  open(2, UINT64_C(1) << 30, /*isStaged=*/true);
  Bytes &a = track(1000000);
  run(1, {all(a, inOut)});
  run(2, {all(a, inOut)});
  ASSERT_TRUE(home(all(a, in)).ok());
  EXPECT_EQ(a.front() + a.back(), 4);
  expectMoved(1, a.size(), a.size());
  expectMoved(2, a.size(), a.size());
  EXPECT_GT(devices[0]->numHostBlocks, 0u);
}

//===----------------------------------------------------------------------===//
// Full devices
//===----------------------------------------------------------------------===//

TEST_F(MemoryMovesTest, TheLeastRecentlyUsedCopyMakesRoom) {
  open(1, 3 * 1024);
  Bytes &a = track(1024), &b = track(1024), &c = track(1024), &d = track(1024);
  run(1, {all(a, in)});
  run(1, {all(b, inOut)});
  run(1, {all(c, in)});
  run(1, {all(a, in)});
  world.runAll();
  run(1, {all(d, in)}); // in the place of b, which was written
  EXPECT_EQ(tracker.validity(a.data(), 1), MemoryValidity::Shared);
  EXPECT_EQ(tracker.validity(b.data(), 1), MemoryValidity::Invalid);
  EXPECT_EQ(tracker.validity(b.data(), hostPlace), MemoryValidity::Modified);
  expectMoved(1, 4 * 1024, 1024);
  EXPECT_EQ(b[0], 1);
  world.runAll();
  run(1, {all(b, in)}); // in the place of c, which was not
  EXPECT_EQ(tracker.validity(c.data(), 1), MemoryValidity::Invalid);
  expectMoved(1, 5 * 1024, 1024);
  MemoryCounters counters = tracker.counters(1);
  EXPECT_EQ(counters.numEvictions, 2u);
  EXPECT_EQ(counters.bytesEvicted, 2048u);
  EXPECT_LE(counters.peakBytesInBuffers, 3u * 1024);
}

TEST_F(MemoryMovesTest, WhatDoesNotFitIsAnErrorThatNamesTheSizes) {
  open(1, 2 * 1024);
  Bytes &a = track(1024), &b = track(1024), &c = track(1024);
  std::vector<device::Event> after;
  ASSERT_TRUE(tracker.prepare(1, all(a, in).tracked(), in, after).ok());
  ASSERT_TRUE(tracker.prepare(1, all(b, in).tracked(), in, after).ok());
  auto third = tracker.prepare(1, all(c, in).tracked(), in, after);
  EXPECT_EQ(third.status().code(), StatusCode::Exhausted);
  std::string message = third.status().message();
  EXPECT_TRUE(contains(message, "cannot place 1024 bytes of 'a' (1024 bytes "
                                "at 0x"))
      << message;
  EXPECT_TRUE(contains(message, "on 'test:0': there is no room for 1024 bytes "
                                "on 'test:0': 2048 of 2048 bytes are in use"))
      << message;
  tracker.notEnqueued(1, all(a, in).tracked(), in);
  tracker.notEnqueued(1, all(b, in).tracked(), in);
  run(1, {all(c, in)});
}

TEST_F(MemoryMovesTest, MemoryLargerThanADeviceIsThereInParts) {
  open(1, 1024);
  Bytes &a = track(4096);
  for (uint64_t begin = 0; begin < 4096; begin += 1024)
    run(1, {{a, begin, 1024, inOut}});
  expectMoved(1, 4096, 3072);
  EXPECT_TRUE(
      contains(prepareError(1, all(a, in)), "cannot place 4096 bytes of 'a'"));
  ASSERT_TRUE(home(all(a, in)).ok());
  EXPECT_EQ(a[1024], 1);
  expectMoved(1, 4096, 4096);
}

TEST_F(MemoryMovesTest, BuffersAreUsedAgain) {
  open(1);
  for (int i = 0; i < 20; ++i) {
    Bytes &a = track(5000);
    run(1, {all(a, inOut)});
    ASSERT_TRUE(tracker.untrack(a.data()).ok());
    EXPECT_EQ(a[4999], 1);
  }
  EXPECT_EQ(tracker.counters(1).numAllocations, 1u);
  EXPECT_EQ(devices[0]->numBuffers, 1u);
}

//===----------------------------------------------------------------------===//
// Lost devices
//===----------------------------------------------------------------------===//

TEST_F(MemoryMovesTest, OnlyWhatALostDeviceAloneHadIsLost) {
  open(2);
  Bytes &a = track(100), &b = track(100), &c = track(100);
  run(1, {all(a, in), {b, 0, 50, inOut}});
  run(1, {all(c, inOut)});
  run(2, {all(c, in)});
  world.runAll();
  devices[0]->lose();
  EXPECT_TRUE(home(all(a, inOut)).ok());
  EXPECT_TRUE(home(all(c, inOut)).ok());
  EXPECT_TRUE(home({b, 50, 50, inOut}).ok());
  std::string message = home(all(b, in)).message();
  EXPECT_TRUE(contains(message, "bytes 0 to 49 of 'a' (100 bytes at 0x"))
      << message;
  EXPECT_TRUE(contains(message, "are lost: only 'test:0' had them")) << message;
  // Who writes it anew has it again.
  EXPECT_TRUE(home({b, 0, 50, out}).ok());
  run(2, {all(b, in)});
}

TEST_F(MemoryMovesTest, AKernelThatADeviceLosesGivesBackItsInputs) {
  open(1);
  world.isLazy = true;
  Bytes &a = track(100);
  device::Event end = run(1, {all(a, inOut)});
  auto arrival = tracker.beginFetchHome(all(a, in).tracked());
  ASSERT_TRUE(arrival.ok());
  devices[0]->lose();
  EXPECT_FALSE(end.wait().ok());
  tracker.failed(1, all(a, inOut).tracked(), inOut);
  EXPECT_EQ(home(all(a, inOut)).message(), "");
  EXPECT_EQ(a[99], 99);
}

TEST_F(MemoryMovesTest, AReadThatFailsIsTriedOnceMore) {
  open(1);
  Bytes &a = track(100);
  run(1, {all(a, inOut)});
  world.runAll();
  world.failsAfter = 0;
  EXPECT_EQ(home(all(a, in)).message(), "");
  EXPECT_EQ(a[99], 1);
}

namespace {
/// An operation that ends when the test says so.
struct BlockedState final : device::Event::State {
  bool hasEnded() override {
    return ended.wait_for(std::chrono::seconds(0)) == done;
  }
  Status wait() override {
    std::call_once(isCalled, [&] { isAwaited.set_value(); });
    ended.wait();
    return {};
  }
  Result<device::TimeInterval> interval() override {
    return device::TimeInterval();
  }

  static constexpr auto done = std::future_status::ready;
  std::promise<void> end, isAwaited;
  std::once_flag isCalled;
  std::shared_future<void> ended = end.get_future().share();
};
} // namespace

TEST_F(MemoryMovesTest, UntrackingWaitsForNobodyElse) {
  open(1);
  Bytes &a = track(100), &b = track(100);
  auto blocked = std::make_shared<BlockedState>();
  std::vector<device::Event> after;
  ASSERT_TRUE(tracker.prepare(1, all(a, in).tracked(), in, after).ok());
  tracker.enqueued(1, all(a, in).tracked(), in, device::Event(blocked));
  auto untracking =
      std::async(std::launch::async, [&] { return tracker.untrack(a.data()); });
  blocked->isAwaited.get_future().wait();
  auto asking = std::async(std::launch::async,
                           [&] { return tracker.isTracked(b.data()); });
  EXPECT_TRUE(asking.get()); // Else it hangs here.
  EXPECT_TRUE(tracker.isTracked(a.data()));
  blocked->end.set_value();
  EXPECT_TRUE(untracking.get().ok());
  EXPECT_FALSE(tracker.isTracked(a.data()));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

TEST_F(MemoryMovesTest, RegularRangesMoveAsBoxes) {
  auto boxes = [](std::vector<ByteRange> ranges) {
    std::vector<ValidRange> parts;
    for (const ByteRange &range : ranges)
      parts.push_back({range, 1});
    return boxesOf(parts);
  };
  EXPECT_EQ(boxes({{0, 4}, {4, 9}}).size(), 1u);
  EXPECT_EQ(boxes({{0, 4}, {4, 9}})[0].width, 9u);
  auto column = boxes({{8, 10}, {18, 20}, {28, 30}, {38, 40}});
  ASSERT_EQ(column.size(), 1u);
  EXPECT_EQ(column[0].rows, 4u);
  EXPECT_EQ(column[0].deviceOffset, 8u);
  EXPECT_EQ(column[0].deviceRowPitch, 10u);
  auto block = boxes({{0, 2},
                      {10, 12},
                      {20, 22},
                      {100, 102},
                      {110, 112},
                      {120, 122},
                      {200, 203}});
  ASSERT_EQ(block.size(), 2u);
  EXPECT_EQ(block[0].rows, 3u);
  EXPECT_EQ(block[0].layers, 2u);
  EXPECT_EQ(block[0].deviceLayerPitch, 100u);
  EXPECT_EQ(block[1].width, 3u);
}

TEST_F(MemoryMovesTest, AColumnComesHomeAlone) {
  open(1);
  Bytes &a = track(100 * 80);
  Bytes before = a;
  run(1, {all(a, inOut)});
  auto column = addressesOf(a.data() + 16, "hvec(100 1 80)[double]", 1);
  ASSERT_TRUE(column.ok()) << column.status().message();
  ASSERT_EQ(column->size(), 100u);
  ASSERT_TRUE(tracker.bringPartsHome(*column, HostUse::ReadWrite).ok());
  expectMoved(1, a.size(), 800);
  EXPECT_EQ(tracker.counters(1).numFetches, 1u);
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(a[i], i % 80 >= 16 && i % 80 < 24 ? 1 : before[i]) << i;
  // What the host may have written goes back, and nothing else.
  ASSERT_TRUE(tracker.sendParts(1, *column).ok());
  run(1, {all(a, in)});
  expectMoved(1, a.size() + 800, 800);
  EXPECT_EQ(tracker.counters(1).numSends, 2u);
  ASSERT_TRUE(home(all(a, in)).ok());
  expectMoved(1, a.size() + 800, a.size());
}

TEST_F(MemoryMovesTest, PartsThatAreNoLayoutAreErrors) {
  EXPECT_TRUE(contains(addressesOf(nullptr, "nonsense(", 1).status().message(),
                       "the layout 'nonsense(' cannot be used"));
  EXPECT_TRUE(contains(addressesOf(nullptr, "int", -1).status().message(),
                       "there cannot be -1 instances"));
}

uint64_t MemoryMovesTest::moveRangesAndBack(uint64_t count, uint64_t unit) {
  Bytes &a = track(count * 16);
  run(1, {all(a, inOut)}); // 1 everywhere
  std::vector<ByteRange> pieces = irregular(a, count, unit);
  auto start = reinterpret_cast<uintptr_t>(a.data());
  Bytes expected(a.size(), 1), before = a;
  MemoryCounters first = tracker.counters(1);
  uint64_t packedBefore = devices[0]->numPacked;
  EXPECT_EQ(tracker.bringPartsHome(pieces, HostUse::ReadWrite).message(), "");
  for (const ByteRange &piece : pieces)
    for (uint64_t i = piece.begin - start; i < piece.end - start; ++i) {
      EXPECT_EQ(a[i], 1) << i;
      expected[i] = before[i] = a[i] = static_cast<unsigned char>(i * 5);
    }
  // Nothing else has come home.
  EXPECT_EQ(a, before);
  EXPECT_EQ(tracker.sendParts(1, pieces).message(), "");
  MemoryCounters then = tracker.counters(1);
  uint64_t numPacked = devices[0]->numPacked - packedBefore;
  numTransfers =
      then.numFetches - first.numFetches + then.numSends - first.numSends;
  EXPECT_EQ(then.bytesFetched - first.bytesFetched, count * 4);
  EXPECT_EQ(then.bytesSent - first.bytesSent, count * 4);
  std::fill(a.begin(), a.end(), 0);
  // What the host has of it is good; the rest comes from the device.
  for (const ByteRange &piece : pieces)
    std::copy_n(expected.begin() + (piece.begin - start), 4,
                a.begin() + (piece.begin - start));
  EXPECT_EQ(home(all(a, in)).message(), "");
  EXPECT_EQ(a, expected);
  EXPECT_EQ(tracker.untrack(a.data()).message(), "");
  return numPacked;
}

TEST_F(MemoryMovesTest, IrregularRangesMoveAsOne) {
  packing.buildsAfter = 0;
  packing.minBoxes = 10;
  open(1);
  // 50 ranges and their list fit into a piece; of 1000, 84 do.
  for (uint64_t unit : {1, 4}) {
    EXPECT_EQ(moveRangesAndBack(50, unit), 2u);
    EXPECT_EQ(numTransfers, 2u);
    EXPECT_EQ(moveRangesAndBack(1000, unit), 2u * 12);
    EXPECT_EQ(numTransfers, 2u * 12);
  }
}

TEST_F(MemoryMovesTest, KernelsAreBuiltWhenManyRangesHaveMoved) {
  packing.buildsAfter = 500;
  packing.minBoxes = 10;
  open(1);
  EXPECT_EQ(moveRangesAndBack(90, 1), 0u);
  for (int i = 0; i < 10; ++i)
    moveRangesAndBack(90, 1);
  EXPECT_GT(moveRangesAndBack(90, 1), 0u);
  EXPECT_EQ(moveRangesAndBack(8, 1), 0u); // too few
  EXPECT_GT(numTransfers, 2u);
}

TEST_F(MemoryMovesTest, RangesMoveOneByOneWhereTheyCannotBePacked) {
  packing.buildsAfter = 0;
  open(1, 1 << 20);
  devices[0]->packingFails = true;
  EXPECT_EQ(moveRangesAndBack(200, 1), 0u);
  // A device that refused once is not asked again.
  devices[0]->packingFails = false;
  EXPECT_EQ(moveRangesAndBack(200, 1), 0u);
}

TEST_F(MemoryMovesTest, RangesMoveOneByOneWithoutKernels) {
  packing.buildsAfter = 0;
  open(1, 1 << 20);
  devices[0]->loadFails = true;
  EXPECT_EQ(moveRangesAndBack(200, 1), 0u);
}

TEST_F(MemoryMovesTest, RangesMoveOneByOneWithoutStagingMemory) {
  packing.buildsAfter = 0;
  open(1, 1 << 20);
  devices[0]->pinningFails = true;
  EXPECT_EQ(moveRangesAndBack(200, 1), 0u);
  devices[0]->pinningFails = false;
  EXPECT_GT(moveRangesAndBack(200, 1), 0u);
}

TEST_F(MemoryMovesTest, RangesMoveOneByOneOnAFullDevice) {
  packing.buildsAfter = 0;
  open(1, 200 * 16);
  EXPECT_EQ(moveRangesAndBack(200, 1), 0u);
}

TEST_F(MemoryMovesTest, WhatPacksRangesGivesWayToMemory) {
  packing.buildsAfter = 0;
  open(1, 6 << 10);
  EXPECT_GT(moveRangesAndBack(200, 1), 0u);
  Bytes &a = track(6 << 10);
  run(1, {all(a, inOut)});
  ASSERT_TRUE(home(all(a, in)).ok());
  EXPECT_EQ(a[0], 1);
}

TEST_F(MemoryMovesTest, ManyIntervalsStayFast) {
  open(1);
  constexpr uint64_t count = 100000;
  Bytes &a = track(count * 16);
  run(1, {all(a, in)});
  std::vector<ByteRange> pieces = irregular(a, count);
  ASSERT_TRUE(tracker.bringPartsHome(pieces, HostUse::ReadWrite).ok());
  EXPECT_EQ(tracker.validity(a.data(), 1), MemoryValidity::Invalid);
  run(1, {all(a, in)});
  expectMoved(1, a.size() + count * 4, 0);
  EXPECT_EQ(tracker.validity(a.data(), 1), MemoryValidity::Shared);
}
