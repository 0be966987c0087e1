//===- FaultsTest.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that the faulty device fails at the requested operations, and only
// there.
//
//===----------------------------------------------------------------------===//

#include "../Faulty/Faults.h"
#include "Conformance.h"

#include <cstdlib>
#include <future>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::test;

namespace {
struct FaultsTest : testing::Test {
  /// Opens a host device with these faults.
  void open(const char *text) {
    ::setenv("SLUICE_DEVICE_FAULTS", text, 1);
    device = must(openDevice("host", {}));
    ::unsetenv("SLUICE_DEVICE_FAULTS");
    buffer = must(device->allocate(8));
    queue = must(device->createQueue());
  }
  Result<Event> write(std::span<const Event> after = {}) {
    return queue->write(*buffer, 0, &number, sizeof(number), after);
  }
  Result<Event> read() {
    return queue->read(&number, *buffer, 0, sizeof(number));
  }
  std::string notified() {
    std::promise<std::string> promise;
    must(queue->notify(
        [](void *context, Status status) {
          static_cast<std::promise<std::string> *>(context)->set_value(
              status.message());
        },
        &promise));
    return promise.get_future().get();
  }

  uint64_t number = 42;
  std::unique_ptr<Device> device;
  std::unique_ptr<Buffer> buffer;
  std::unique_ptr<Queue> queue;
};
} // namespace

TEST_F(FaultsTest, FailsOneOperation) {
  open("write:2,copy:1");
  EXPECT_TRUE(write().ok());
  EXPECT_EQ(write().status().message(),
            "write 2 fails on purpose (SLUICE_DEVICE_FAULTS)");
  Event end = must(write());
  EXPECT_TRUE(write(std::span(&end, 1)).ok());
  EXPECT_TRUE(read().ok());
  EXPECT_FALSE(queue->copy(*buffer, 0, *buffer, 4, 4).ok());
  EXPECT_TRUE(queue->copy(*buffer, 0, *buffer, 4, 4).ok());
  EXPECT_TRUE(device->isUsable());
  must(queue->finish());
}

TEST_F(FaultsTest, FailsFromAnOperationOn) {
  open("read:2+");
  EXPECT_TRUE(read().ok());
  EXPECT_FALSE(read().ok());
  EXPECT_FALSE(read().ok());
  EXPECT_TRUE(write().ok());
}

TEST_F(FaultsTest, FailsAllocationsAsMemoryThatIsUsedUp) {
  open("allocate:2,pin:1");
  EXPECT_EQ(device->allocate(1).status().code(), StatusCode::Exhausted);
  EXPECT_TRUE(device->allocate(1).ok());
  EXPECT_EQ(device->allocateHost(1).status().code(), StatusCode::Exhausted);
  void *memory = must(device->allocateHost(1));
  device->freeHost(memory);
}

TEST_F(FaultsTest, FailsWaitingAndNotifications) {
  open("wait:2,wait:4,wait:5");
  Event first = must(write()), second = must(write());
  EXPECT_EQ(first.wait().message(), "");
  EXPECT_EQ(second.wait().message(),
            "wait 2 fails on purpose (SLUICE_DEVICE_FAULTS)");
  EXPECT_FALSE(second.wait().ok()) << "what failed stays failed";
  EXPECT_TRUE(first.wait().ok());
  EXPECT_EQ(notified(), "");
  EXPECT_EQ(notified(), "wait 4 fails on purpose (SLUICE_DEVICE_FAULTS)");
  EXPECT_FALSE(queue->finish().ok());
  EXPECT_TRUE(queue->finish().ok());
}

TEST_F(FaultsTest, LosesTheDevice) {
  open("lost:3"); // the allocation is the first operation
  EXPECT_TRUE(write().ok());
  EXPECT_TRUE(device->isUsable());
  EXPECT_EQ(read().status().message(),
            "the device was lost (SLUICE_DEVICE_FAULTS)");
  EXPECT_FALSE(device->isUsable());
  EXPECT_FALSE(write().ok());
  EXPECT_FALSE(device->allocate(1).ok());
  EXPECT_FALSE(device->load(sluiceTestKernels).ok());
  EXPECT_EQ(notified(), "the device was lost (SLUICE_DEVICE_FAULTS)");
  EXPECT_FALSE(queue->finish().ok());
}

TEST_F(FaultsTest, FailsLoadingAndLaunching) {
  open("load:1,launch:1");
  EXPECT_FALSE(device->load(sluiceTestKernels).ok());
  auto module = must(device->load(sluiceTestKernels));
  DeviceKernel &kernel = *must(module->kernel("saxpy"));
  float a = 1;
  uint64_t n = 0;
  std::array arguments{memory(*buffer), memory(*buffer), value(a), value(n)};
  EXPECT_FALSE(queue->launch(kernel, {}, arguments).ok());
  must(must(queue->launch(kernel, {}, arguments)).wait());
}

TEST(FaultsText, RefusesWhatIsNoFault) {
  for (const char *text :
       {"launch", "launch:", "launch:0", "launch:x", "launch:1x", "launch:-1",
        "launch:1++", "fly:1", ":1", "launch:1,", ",launch:1", "launch:1;",
        " launch:1", "lost:1+", "launch:99999999999999999999"}) {
    Result<std::vector<FaultRule>> faults = parseFaults(text);
    EXPECT_FALSE(faults.ok()) << text;
    ::setenv("SLUICE_DEVICE_FAULTS", text, 1);
    EXPECT_EQ(openDevice("host", {}).status().code(),
              StatusCode::InvalidArgument)
        << text;
    ::unsetenv("SLUICE_DEVICE_FAULTS");
  }
  EXPECT_EQ(parseFaults("launch:0").status().message(),
            "SLUICE_DEVICE_FAULTS has 'launch:0', expected a colon and a "
            "number from 1 after the kind, as in 'launch:3,write:1+'");
}
