//===- MemoryCopiesTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places with memory of their own: data moves when it must and only then.
//
//===----------------------------------------------------------------------===//

#include "DevicePlace.h"
#include "Testing/Access.h"
#include "Testing/TestDevice.h"
#include "Tracker.h"

#include "sluice-c/Plan.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

using namespace sluice;
using namespace sluice::test;

namespace {
struct MemoryCopiesTest : testing::Test {
  void SetUp() override {
    places[0] = std::move(*DevicePlace::create(first));
    places[1] = std::move(*DevicePlace::create(second));
    device = tracker.addDevice(*places[0]);
    other = tracker.addDevice(*places[1]);
    for (int i = 0; i < 2; ++i)
      queues[i] = std::move(*(i ? second : first).createQueue());
    for (int i = 0; i < 4; ++i)
      data[i] = i;
    ASSERT_TRUE(tracker.track(data, sizeof(data)).ok());
  }
  void TearDown() override { world.runAll(); }

  MemoryAccess memory(uint64_t offset, uint64_t size, uint32_t access) {
    return {"a", reinterpret_cast<uintptr_t>(data) + offset, size, true,
            (access & out) != 0};
  }
  using Body = std::function<void(int *)>;
  /// Runs a kernel over a part of `data`; `body` gets the part's address.
  device::Event run(MemoryPlace place, uint32_t access, const Body &body,
                    uint64_t offset = 0, uint64_t size = sizeof(data)) {
    MemoryAccess part = memory(offset, size, access);
    std::vector<device::Event> after;
    Result<PlacedMemory> placed = tracker.prepare(place, part, access, after);
    EXPECT_EQ(placed.status().message(), "");
    TestKernel kernel;
    kernel.body = [body, start = placed->offset](auto &memory) {
      body(reinterpret_cast<int *>(memory[0] + start));
    };
    device::KernelArgument argument;
    argument.buffer = placed->buffer;
    Result<device::Event> end =
        queues[place - 1]->launch(kernel, {}, {&argument, 1}, after);
    EXPECT_EQ(end.status().message(), "");
    tracker.enqueued(place, part, access, *end);
    return *end;
  }
  /// A kernel that expects what it reads.
  void expectThere(MemoryPlace place, uint32_t access, int index, int value) {
    device::Event end =
        run(place, access, [=](int *copy) { EXPECT_EQ(copy[index], value); });
    EXPECT_TRUE(end.wait().ok());
  }
  MemoryCounters counters(MemoryPlace place) {
    return places[place - 1]->counters();
  }
  void expectValid(MemoryValidity host, MemoryValidity first,
                   MemoryValidity second) {
    EXPECT_EQ(tracker.validity(data, hostPlace), host);
    EXPECT_EQ(tracker.validity(data, device), first);
    EXPECT_EQ(tracker.validity(data, other), second);
  }
  void request(HostUse use) {
    ASSERT_TRUE(tracker.checkRequest(data, sizeof(data)).ok());
    ASSERT_TRUE(tracker.bringHome(data, sizeof(data), use).ok());
  }
  /// A node on the host.
  void useOnHost(uint32_t access) {
    Status status = tracker.useOnHost(memory(0, sizeof(data), access), access);
    ASSERT_EQ(status.message(), "");
  }
  std::string prepareError(MemoryPlace place, uintptr_t start, uint64_t size) {
    std::vector<device::Event> after;
    return tracker.prepare(place, {"a", start, size, true, false}, in, after)
        .status()
        .message();
  }

  static constexpr MemoryValidity I = MemoryValidity::Invalid,
                                  S = MemoryValidity::Shared,
                                  M = MemoryValidity::Modified;
  TestWorld world;
  TestDevice first{world, "test:0", 1 << 20}, second{world, "test:1", 1 << 20};
  std::unique_ptr<DevicePlace> places[2];
  std::unique_ptr<device::Queue> queues[2];
  MemoryTracker tracker;
  MemoryPlace device, other;
  int data[4];
};
} // namespace

static void nothing(int *) {}

TEST_F(MemoryCopiesTest, ContentIsTheHostsAtFirst) {
  expectValid(M, I, I);
  EXPECT_FALSE(tracker.anyOnDevices());
}

TEST_F(MemoryCopiesTest, InIsSentOnceAndNeverFetched) {
  for (int i = 0; i < 3; ++i)
    expectThere(device, in, 3, 3);
  expectValid(S, S, I);
  request(HostUse::Read);
  expectValid(S, S, I);
  EXPECT_EQ(counters(device).bytesSent, 16u);
  EXPECT_EQ(counters(device).bytesHit, 32u);
  EXPECT_EQ(counters(device).bytesFetched, 0u);
  EXPECT_EQ(first.numBuffers, 1u);
  EXPECT_TRUE(tracker.anyOnDevices());
}

TEST_F(MemoryCopiesTest, OutIsNeverSentAndFetchedWhenAskedFor) {
  run(device, out, [](int *copy) { copy[1] = 10; });
  expectValid(I, M, I);
  EXPECT_EQ(data[1], 1);
  request(HostUse::Read);
  expectValid(S, S, I);
  EXPECT_EQ(data[1], 10);
  request(HostUse::Read);
  EXPECT_EQ(counters(device).bytesSent, 0u);
  EXPECT_EQ(counters(device).bytesFetched, 16u);
}

TEST_F(MemoryCopiesTest, ResultsStayOnTheDeviceBetweenLaunches) {
  run(device, out, [](int *copy) { copy[0] = 7; });
  for (int i = 0; i < 5; ++i)
    run(device, inOut, [](int *copy) { ++copy[0]; });
  expectThere(device, in, 0, 12);
  expectValid(I, M, I);
  EXPECT_EQ(counters(device).bytesSent + counters(device).bytesFetched, 0u);
}

TEST_F(MemoryCopiesTest, InOutIsSent) {
  expectThere(device, inOut, 2, 2);
  EXPECT_EQ(counters(device).bytesSent, 16u);
  expectValid(I, M, I);
}

TEST_F(MemoryCopiesTest, MemoryWithoutAttributesIsSentAndCountsAsWritten) {
  expectThere(device, SLUICE_ACCESS_NONE, 2, 2);
  EXPECT_EQ(counters(device).bytesSent, 16u);
  expectValid(I, M, I);
}

TEST_F(MemoryCopiesTest, MemoryOfUnknownSizeIsAllOfItsObject) {
  MemoryAccess unknown = {"a", reinterpret_cast<uintptr_t>(data + 1), 0, false,
                          true};
  std::vector<device::Event> after;
  auto placed = tracker.prepare(device, unknown, out, after);
  ASSERT_TRUE(placed.ok());
  EXPECT_EQ(placed->offset, 4u);
  EXPECT_EQ(counters(device).bytesSent, 16u);
  tracker.enqueued(device, unknown, out, device::Event());
  expectValid(I, M, I);
}

TEST_F(MemoryCopiesTest, OnlyThePartThatIsUsedMoves) {
  run(
      device, out, [](int *part) { part[0] = 10; }, 4, 8);
  EXPECT_EQ(counters(device).bytesSent, 0u);
  EXPECT_EQ(tracker.validity(data, hostPlace, 4), M);
  EXPECT_EQ(tracker.validity(data + 1, hostPlace, 8), I);
  EXPECT_EQ(tracker.validity(data + 1, device, 8), M);
  device::Event end = run(
      device, in, [](int *part) { EXPECT_EQ(part[2], 3); }, 4, 12);
  EXPECT_TRUE(end.wait().ok());
  EXPECT_EQ(counters(device).bytesSent, 4u);
  request(HostUse::Read);
  EXPECT_EQ(counters(device).bytesFetched, 8u);
  EXPECT_EQ(data[0], 0);
  EXPECT_EQ(data[1], 10);
  EXPECT_EQ(data[3], 3);
}

TEST_F(MemoryCopiesTest, AHostThatMayHaveWrittenSendsAgain) {
  run(device, in, nothing);
  request(HostUse::ReadWrite);
  expectValid(M, I, I);
  data[0] = 42;
  expectThere(device, in, 0, 42);
  EXPECT_EQ(counters(device).bytesSent, 32u);
  EXPECT_EQ(first.numAllocations, 1u);
}

TEST_F(MemoryCopiesTest, HostNodesTakePart) {
  run(device, out, [](int *copy) { copy[0] = 5; });
  useOnHost(in);
  EXPECT_EQ(data[0], 5);
  expectValid(S, S, I);
  useOnHost(inOut);
  data[0] = 6;
  expectValid(M, I, I);
  expectThere(device, inOut, 0, 6);
  // A node on the host that writes everything needs no fetch.
  uint64_t before = counters(device).bytesFetched;
  useOnHost(out);
  EXPECT_EQ(counters(device).bytesFetched, before);
  expectValid(M, I, I);
}

TEST_F(MemoryCopiesTest, DevicesMeetThroughTheHost) {
  run(device, out, [](int *copy) { copy[3] = 9; });
  expectThere(other, in, 3, 9);
  expectValid(S, S, S);
  EXPECT_EQ(counters(device).bytesFetched, 16u);
  EXPECT_EQ(counters(other).bytesSent, 16u);
  run(other, inOut, nothing);
  expectValid(I, I, M);
}

TEST_F(MemoryCopiesTest, UntrackingBringsHomeWhatOnlyADeviceHas) {
  run(device, out, [](int *copy) { copy[0] = 77; });
  ASSERT_TRUE(tracker.untrack(data).ok());
  EXPECT_EQ(data[0], 77);
  EXPECT_FALSE(tracker.anyOnDevices());
}

TEST_F(MemoryCopiesTest, UntrackingSharedMemoryMovesNothing) {
  run(device, in, nothing);
  run(other, in, nothing);
  ASSERT_TRUE(tracker.untrack(data).ok());
  EXPECT_EQ(counters(device).bytesFetched + counters(other).bytesFetched, 0u);
}

TEST_F(MemoryCopiesTest, FetchingHomeDoesNotBlock) {
  run(device, out, [](int *copy) { copy[0] = 8; });
  world.isLazy = true;
  auto home = tracker.beginFetchHome(memory(0, 16, in));
  ASSERT_TRUE(home.ok());
  EXPECT_EQ(data[0], 0);
  EXPECT_FALSE(home->hasEnded());
  EXPECT_TRUE(home->wait().ok());
  EXPECT_EQ(data[0], 8);
  expectValid(S, S, I);
}

TEST_F(MemoryCopiesTest, FailuresOfDevicesAreReportedAndLoseNothing) {
  first.allocationFailsAfter = 0;
  EXPECT_NE(prepareError(device, reinterpret_cast<uintptr_t>(data), 16)
                .find("no memory on the device"),
            std::string::npos);
  expectValid(M, I, I);
  EXPECT_TRUE(run(device, out, [](int *copy) { copy[0] = 5; }).wait().ok());
  world.failsAfter = 0;
  world.numFailing = 2;
  std::string message = tracker.bringHome(data, 16, HostUse::Read).message();
  EXPECT_NE(message.find("from 'test:0': the operation has failed"),
            std::string::npos)
      << message;
  expectValid(I, M, I);
  world.failsAfter = ~uint64_t(0);
  request(HostUse::Read);
  EXPECT_EQ(data[0], 5);
}

TEST_F(MemoryCopiesTest, AKernelThatFailsGivesBackWhatWasThere) {
  world.failsAfter = 1; // the upload succeeds
  device::Event end = run(device, inOut, nothing);
  EXPECT_FALSE(end.wait().ok());
  tracker.failed(device, memory(0, 16, inOut), inOut);
  expectValid(M, I, I);
}

TEST_F(MemoryCopiesTest, WhoUsedAKernelMayFindLaterThatItFailed) {
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(run(device, inOut, [](int *copy) { ++copy[0]; }).wait().ok());
  expectValid(I, M, I);
  for (int i = 0; i < 3; ++i)
    tracker.failed(device, memory(0, 16, inOut), inOut);
  expectValid(M, I, I);
  EXPECT_EQ(data[0], 0);
  // What came home meanwhile is nothing to go back to.
  run(device, inOut, nothing);
  request(HostUse::Read);
  run(device, inOut, nothing);
  tracker.failed(device, memory(0, 16, inOut), inOut);
  expectValid(M, I, I);
  run(device, inOut, nothing);
  run(device, inOut, nothing);
  request(HostUse::Read);
  tracker.failed(device, memory(0, 16, inOut), inOut);
  tracker.failed(device, memory(0, 16, inOut), inOut);
  expectValid(I, I, I);
  Status status = tracker.bringHome(data, 16, HostUse::Read);
  EXPECT_NE(status.message().find("are lost"), std::string::npos);
}

TEST_F(MemoryCopiesTest, UntrackedMemoryStaysOnTheHost) {
  int untracked[2];
  auto start = reinterpret_cast<uintptr_t>(untracked);
  EXPECT_TRUE(tracker.useOnHost({"a", start, 8, true, false}, in).ok());
  std::string message = prepareError(device, start, 8);
  EXPECT_NE(message.find("is not tracked, so 'test:0' cannot use it; track it "
                         "before the launch"),
            std::string::npos)
      << message;
}

TEST_F(MemoryCopiesTest, RefusesWrongSizesAndPlaces) {
  auto start = reinterpret_cast<uintptr_t>(data);
  EXPECT_NE(
      prepareError(device, start + 4, 16).find("but only 12 of the tracked"),
      std::string::npos);
  EXPECT_EQ(prepareError(7, start, 16),
            "there is no place 7 for memory, only the host and 2 devices");
}

TEST_F(MemoryCopiesTest, ReadersInSeveralThreadsSendOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) {
        std::vector<device::Event> after;
        MemoryAccess part = memory(0, 16, in);
        for (MemoryPlace place : {device, other}) {
          EXPECT_TRUE(tracker.prepare(place, part, in, after).ok());
          tracker.notEnqueued(place, part, in);
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(counters(device).bytesSent, 16u);
  EXPECT_EQ(counters(other).bytesSent, 16u);
}

//===----------------------------------------------------------------------===//
// Failures that are noticed late
//===----------------------------------------------------------------------===//

namespace {
/// An operation that ends when the test says so.
struct ManualEnd : device::Event::State {
  explicit ManualEnd(bool isGood) : isGood(isGood) {}
  bool hasEnded() override { return ended; }
  Status wait() override {
    ended = true;
    return isGood ? Status()
                  : Status::error(StatusCode::System, "it failed on purpose");
  }
  Result<device::TimeInterval> interval() override {
    return device::TimeInterval();
  }

  const bool isGood;
  bool ended = false;
};
} // namespace

/// The second of two kernels fails, and is seen to have ended before the first:
/// what the first one wrote is lost, and must not be what was before it.
TEST_F(MemoryCopiesTest, KernelsMayBeSeenToEndInAnyOrder) {
  auto first = std::make_shared<ManualEnd>(true);
  auto second = std::make_shared<ManualEnd>(false);
  MemoryAccess all = memory(0, sizeof(data), inOut);
  for (const auto &end : {first, second}) {
    std::vector<device::Event> after;
    ASSERT_TRUE(tracker.prepare(device, all, inOut, after).ok());
    tracker.enqueued(device, all, inOut, device::Event(end));
  }
  second->ended = true;
  tracker.validity(data, device);
  first->ended = true;
  tracker.failed(device, all, inOut);
  Status status = tracker.useOnHost(memory(0, sizeof(data), in), in);
  EXPECT_NE(status.message().find("lost"), std::string::npos)
      << status.message();
}

/// A transfer home fails under a kernel that was enqueued behind it: before the
/// kernel, the host did not have the bytes.
TEST_F(MemoryCopiesTest, TransfersMayFailUnderLaterKernels) {
  run(device, inOut, [](int *copy) { copy[0] = 10; });
  world.runAll();
  tracker.validity(data, device);
  world.isLazy = true;
  world.failsAfter = 0;
  Result<device::Event> home =
      tracker.beginFetchHome(memory(0, sizeof(data), in));
  EXPECT_EQ(home.status().message(), "");
  device::Event end = run(device, inOut, [](int *copy) { ++copy[0]; });
  world.isLazy = false;
  world.runAll();
  EXPECT_FALSE(end.wait().ok());
  tracker.failed(device, memory(0, sizeof(data), inOut), inOut);
  Status status = tracker.useOnHost(memory(0, sizeof(data), in), in);
  EXPECT_TRUE(!status.ok() || data[0] == 10) << data[0];
}
