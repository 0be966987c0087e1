//===- MemoryCopiesTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places with memory of their own: data moves when it must and only then.
//
//===----------------------------------------------------------------------===//

#include "Tracker.h"

#include "sluice-c/Plan.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

using namespace sluice;

namespace {
constexpr uint32_t in = SLUICE_ACCESS_IN, out = SLUICE_ACCESS_OUT,
                   inOut = SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT;

/// A device whose memory is the host's, which counts what it does.
class FakeDevice : public MemoryDevice {
public:
  explicit FakeDevice(const char *deviceName) : deviceName(deviceName) {}
  const char *name() const override { return deviceName; }
  Result<void *> allocate(uint64_t size) override {
    if (fails)
      return Status::error(StatusCode::Exhausted, "no memory on the device");
    ++numAllocated;
    return std::calloc(1, size);
  }
  void free(void *copy) override {
    --numAllocated;
    std::free(copy);
  }
  Status copyToDevice(void *copy, const void *host, uint64_t size) override {
    if (fails)
      return Status::error(StatusCode::System, "the device was lost");
    ++numSent;
    std::memcpy(copy, host, size);
    return {};
  }
  Status copyToHost(void *host, const void *copy, uint64_t size) override {
    if (fails)
      return Status::error(StatusCode::System, "the device was lost");
    ++numFetched;
    std::memcpy(host, copy, size);
    return {};
  }

  const char *deviceName;
  std::atomic<int> numAllocated{0}, numSent{0}, numFetched{0};
  bool fails = false;
};

struct MemoryCopiesTest : testing::Test {
  void SetUp() override {
    device = tracker.addDevice(fake);
    other = tracker.addDevice(otherFake);
    for (int i = 0; i < 4; ++i)
      data[i] = i;
    ASSERT_TRUE(tracker.track(data, sizeof(data)).ok());
  }
  /// Uses all of `data`.
  int *use(MemoryPlace place, uint32_t access) {
    return usePart(place, access, 0, sizeof(data));
  }
  int *usePart(MemoryPlace place, uint32_t access, uint64_t offset,
               uint64_t size) {
    MemoryAccess memory = {"a", reinterpret_cast<uintptr_t>(data) + offset,
                           size, true, (access & out) != 0};
    auto result = tracker.use(place, memory, access);
    EXPECT_EQ(result.status().message(), "");
    return result.ok() ? static_cast<int *>(*result) : nullptr;
  }
  std::string useError(MemoryPlace place, uintptr_t start, uint64_t size) {
    MemoryAccess memory = {"a", start, size, true, false};
    return tracker.use(place, memory, in).status().message();
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

  static constexpr MemoryValidity I = MemoryValidity::Invalid,
                                  S = MemoryValidity::Shared,
                                  M = MemoryValidity::Modified;
  FakeDevice fake{"fake:0"}, otherFake{"fake:1"};
  MemoryTracker tracker;
  MemoryPlace device, other;
  int data[4];
};
} // namespace

TEST_F(MemoryCopiesTest, ContentIsTheHostsAtFirst) { expectValid(M, I, I); }

TEST_F(MemoryCopiesTest, InIsSentOnceAndNeverFetched) {
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(use(device, in)[3], 3);
  expectValid(S, S, I);
  request(HostUse::Read);
  expectValid(S, S, I);
  EXPECT_EQ(fake.numSent, 1);
  EXPECT_EQ(fake.numFetched, 0);
  EXPECT_EQ(fake.numAllocated, 1);
}

TEST_F(MemoryCopiesTest, OutIsNeverSentAndFetchedWhenAskedFor) {
  int *copy = use(device, out);
  copy[1] = 10;
  expectValid(I, M, I);
  EXPECT_EQ(fake.numSent, 0);
  EXPECT_EQ(fake.numFetched, 0);
  EXPECT_EQ(data[1], 1);
  request(HostUse::Read);
  expectValid(S, S, I);
  EXPECT_EQ(data[1], 10);
  request(HostUse::Read);
  EXPECT_EQ(fake.numFetched, 1);
}

TEST_F(MemoryCopiesTest, ResultsStayOnTheDeviceBetweenLaunches) {
  use(device, out)[0] = 7;
  for (int i = 0; i < 5; ++i)
    ++use(device, inOut)[0];
  EXPECT_EQ(use(device, in)[0], 12);
  expectValid(I, M, I);
  EXPECT_EQ(fake.numSent + fake.numFetched, 0);
}

TEST_F(MemoryCopiesTest, InOutIsSent) {
  EXPECT_EQ(use(device, inOut)[2], 2);
  EXPECT_EQ(fake.numSent, 1);
  expectValid(I, M, I);
}

TEST_F(MemoryCopiesTest, MemoryWithoutAttributesIsSentAndCountsAsWritten) {
  EXPECT_EQ(use(device, SLUICE_ACCESS_NONE)[2], 2);
  EXPECT_EQ(fake.numSent, 1);
  expectValid(I, M, I);
}

TEST_F(MemoryCopiesTest, PartsThatAreNotWrittenSurvive) {
  int *part = usePart(device, out, 4, 8);
  part[0] = 10;
  EXPECT_EQ(fake.numSent, 1);
  request(HostUse::Read);
  EXPECT_EQ(data[0], 0);
  EXPECT_EQ(data[1], 10);
  EXPECT_EQ(data[3], 3);
}

TEST_F(MemoryCopiesTest, InteriorPointersStayInterior) {
  int *whole = use(device, in);
  EXPECT_EQ(usePart(device, in, 8, 8), whole + 2);
  EXPECT_EQ(usePart(hostPlace, in, 8, 8), data + 2);
}

TEST_F(MemoryCopiesTest, AHostThatMayHaveWrittenSendsAgain) {
  use(device, in);
  request(HostUse::ReadWrite);
  expectValid(M, I, I);
  data[0] = 42;
  EXPECT_EQ(use(device, in)[0], 42);
  EXPECT_EQ(fake.numSent, 2);
  EXPECT_EQ(fake.numAllocated, 1);
}

TEST_F(MemoryCopiesTest, HostNodesTakePart) {
  use(device, out)[0] = 5;
  EXPECT_EQ(use(hostPlace, in)[0], 5);
  expectValid(S, S, I);
  use(hostPlace, inOut)[0] = 6;
  expectValid(M, I, I);
  EXPECT_EQ(use(device, in)[0], 6);
  // A node on the host that writes everything needs no fetch.
  use(device, inOut);
  int before = fake.numFetched;
  use(hostPlace, out);
  EXPECT_EQ(fake.numFetched, before);
  expectValid(M, I, I);
}

TEST_F(MemoryCopiesTest, DevicesMeetThroughTheHost) {
  use(device, out)[3] = 9;
  EXPECT_EQ(use(other, in)[3], 9);
  expectValid(S, S, S);
  EXPECT_EQ(fake.numFetched, 1);
  EXPECT_EQ(otherFake.numSent, 1);
  use(other, inOut);
  expectValid(I, I, M);
}

TEST_F(MemoryCopiesTest, UntrackingBringsHomeWhatOnlyADeviceHas) {
  use(device, out)[0] = 77;
  ASSERT_TRUE(tracker.untrack(data).ok());
  EXPECT_EQ(data[0], 77);
  EXPECT_EQ(fake.numAllocated, 0);
}

TEST_F(MemoryCopiesTest, UntrackingSharedMemoryMovesNothing) {
  use(device, in);
  use(other, in);
  ASSERT_TRUE(tracker.untrack(data).ok());
  EXPECT_EQ(fake.numFetched, 0);
  EXPECT_EQ(fake.numAllocated + otherFake.numAllocated, 0);
}

TEST_F(MemoryCopiesTest, FailuresOfDevicesAreReportedAndLoseNothing) {
  fake.fails = true;
  MemoryAccess memory = {"a", reinterpret_cast<uintptr_t>(data), 16, true,
                         true};
  EXPECT_EQ(tracker.use(device, memory, inOut).status().message(),
            "no memory on the device");
  expectValid(M, I, I);
  fake.fails = false;
  use(device, out)[0] = 5;
  fake.fails = true;
  EXPECT_EQ(tracker.bringHome(data, 16, HostUse::Read).message(),
            "the device was lost");
  EXPECT_EQ(tracker.untrack(data).message(), "the device was lost");
  expectValid(I, M, I);
  fake.fails = false;
  request(HostUse::Read);
  EXPECT_EQ(data[0], 5);
}

TEST_F(MemoryCopiesTest, UntrackedMemoryStaysOnTheHost) {
  int untracked[2];
  auto start = reinterpret_cast<uintptr_t>(untracked);
  MemoryAccess memory = {"a", start, 8, true, false};
  EXPECT_EQ(*tracker.use(hostPlace, memory, in), untracked);
  std::string message = useError(device, start, 8);
  EXPECT_NE(message.find("is not tracked, so 'fake:0' cannot use it; track it "
                         "before the launch"),
            std::string::npos)
      << message;
}

TEST_F(MemoryCopiesTest, RefusesWrongSizesAndPlaces) {
  auto start = reinterpret_cast<uintptr_t>(data);
  EXPECT_NE(useError(device, start + 4, 16).find("but only 12 of the tracked"),
            std::string::npos);
  EXPECT_EQ(useError(7, start, 16),
            "there is no place 7 for memory, only the host and 2 devices");
}

TEST_F(MemoryCopiesTest, ReadersInSeveralThreadsSendOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) {
        EXPECT_EQ(use(device, in)[3], 3);
        EXPECT_EQ(use(other, in)[2], 2);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake.numSent, 1);
  EXPECT_EQ(otherFake.numSent, 1);
}
