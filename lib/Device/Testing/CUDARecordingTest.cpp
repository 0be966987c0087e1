//===- CUDARecordingTest.cpp - Recordings on CUDA devices -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests recordings on the fake driver: what can be recorded, what ends a
// recording, and for what a replay waits.
//
//===----------------------------------------------------------------------===//

#include "CUDATesting.h"

#include <algorithm>
#include <thread>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::test;

namespace {
class CUDARecordingTest : public CUDATest {
protected:
  void SetUp() override {
    open();
    load();
    buffer = zeros(8);
  }
  void TearDown() override { buffer.reset(); }

  void begin() { EXPECT_TRUE(must(queue->beginRecording())); }
  std::string endMessage() { return queue->endRecording().status().message(); }
  std::vector<uint32_t> all(uint32_t value) {
    return std::vector<uint32_t>(8, value);
  }

  std::unique_ptr<Buffer> buffer;
};
} // namespace

TEST_F(CUDARecordingTest, RunsWhenItIsReplayed) {
  begin();
  Event first = must(add(*buffer, 1));
  Event second = must(add(*buffer, 10, std::array{first}));
  auto recording = must(queue->endRecording());
  EXPECT_EQ(contents(*buffer), all(0));
  for (int i = 0; i < 3; ++i)
    must(queue->replay(*recording));
  EXPECT_EQ(contents(*buffer), all(33));
  EXPECT_EQ(fakeCUDA().countCalls("cuGraphLaunch"), 3u);
}

TEST_F(CUDARecordingTest, HoldsCopiesAndBoxes) {
  std::vector<uint32_t> in = all(5), out = all(0);
  begin();
  must(queue->write(*buffer, 0, in.data(), 32));
  must(add(*buffer, 1));
  must(queue->readBox(out.data(), *buffer, {4, 4, 1, 0, 8, 0, 8, 0}));
  auto recording = must(queue->endRecording());
  std::fill(in.begin(), in.end(), 7);
  must(must(queue->replay(*recording)).wait());
  EXPECT_EQ(out, (std::vector<uint32_t>{8, 0, 8, 0, 8, 0, 8, 0}));
}

TEST_F(CUDARecordingTest, WaitsForWhatWasEnqueuedBefore) {
  auto other = must(device->createQueue());
  std::vector<uint32_t> in = all(100);
  fakeCUDA().hold(true);
  Event written = must(other->write(*buffer, 0, in.data(), 32));
  begin();
  must(add(*buffer, 1, std::array{written}));
  auto recording = must(queue->endRecording());
  Event end = must(queue->replay(*recording));
  EXPECT_FALSE(end.hasEnded());
  EXPECT_EQ(fakeCUDA().countCalls("cuStreamWaitEvent"), 1u);
  fakeCUDA().hold(false);
  must(end.wait());
  EXPECT_EQ(contents(*buffer), all(101));
  // After it has completed, replay does not wait for it.
  must(written.wait());
  written = Event();
  must(must(queue->replay(*recording)).wait());
  must(must(queue->replay(*recording)).wait());
  EXPECT_LE(fakeCUDA().countCalls("cuStreamWaitEvent"), 1u);
  EXPECT_EQ(contents(*buffer), all(103));
}

TEST_F(CUDARecordingTest, IsWaitedForByOtherQueues) {
  begin();
  Event recorded = must(add(*buffer, 1));
  auto recording = must(queue->endRecording());
  auto other = must(device->createQueue());
  Event end = must(queue->replay(*recording));
  must(must(add(*buffer, 5, std::array{end}, other.get())).wait());
  EXPECT_EQ(contents(*buffer), all(6));
  EXPECT_EQ(
      add(*buffer, 1, std::array{recorded}, other.get()).status().message(),
      "an operation that was recorded has no end of its own; take the "
      "event of Queue::replay");
  EXPECT_FALSE(recorded.wait().ok());
}

TEST_F(CUDARecordingTest, ReplaysInOrderOnAllQueues) {
  begin();
  must(add(*buffer, 1));
  auto recording = must(queue->endRecording());
  auto other = must(device->createQueue());
  for (int i = 0; i < 20; ++i)
    must((i % 2 ? *queue : *other).replay(*recording));
  must(other->finish());
  must(queue->finish());
  EXPECT_EQ(contents(*buffer), all(20));
}

//===----------------------------------------------------------------------===//
// Operations that cannot be recorded
//===----------------------------------------------------------------------===//

static const char *const cannot =
    " in a thread that records operations; that cannot be part of a recording, "
    "which ends here";

TEST_F(CUDARecordingTest, EndsWithAnAllocation) {
  begin();
  must(add(*buffer, 1));
  std::string message =
      std::string("device cuda:0: memory is allocated") + cannot;
  EXPECT_EQ(device->allocate(8).status().message(), message);
  EXPECT_EQ(add(*buffer, 1).status().message(),
            "the recording had ended: " + message);
  EXPECT_EQ(endMessage(), "the recording had ended: " + message);
  // No recorded operation has run, and the queue works as before.
  must(add(*buffer, 2));
  EXPECT_EQ(contents(*buffer), all(2));
  EXPECT_TRUE(device->allocate(8).ok());
}

TEST_F(CUDARecordingTest, EndsWithWaiting) {
  Event before = must(add(*buffer, 1));
  begin();
  EXPECT_EQ(queue->finish().message(),
            std::string("device cuda:0: a queue is waited for") + cannot);
  EXPECT_FALSE(queue->endRecording().ok());
  begin();
  EXPECT_EQ(before.wait().message(),
            std::string("device cuda:0: the end of an operation is waited "
                        "for") +
                cannot);
  EXPECT_FALSE(queue->endRecording().ok());
  must(before.wait());
}

TEST_F(CUDARecordingTest, EndsWithNotificationsAndReplays) {
  begin();
  auto recording = must(queue->endRecording());
  begin();
  EXPECT_EQ(queue->replay(*recording).status().message(),
            "device cuda:0: a recording is replayed in a queue that records, "
            "which ends the recording");
  EXPECT_FALSE(queue->endRecording().ok());
  begin();
  Status status = queue->notify([](void *, Status) { ADD_FAILURE(); }, nullptr);
  EXPECT_EQ(status.message(),
            "device cuda:0: a notification is asked for in a queue that "
            "records, which ends the recording");
  EXPECT_FALSE(queue->endRecording().ok());
}

TEST_F(CUDARecordingTest, EndsWithAFailedCall) {
  begin();
  fakeCUDA().failCall("cuLaunchKernel", 701);
  std::string message = "device cuda:0: cuLaunchKernel: "
                        "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (too many "
                        "resources requested for launch)";
  EXPECT_EQ(add(*buffer, 1).status().message(), message);
  EXPECT_EQ(endMessage(), "the recording had ended: " + message);
  begin();
  fakeCUDA().failCall("cuStreamEndCapture", 901);
  must(add(*buffer, 1));
  EXPECT_FALSE(queue->endRecording().ok());
  must(add(*buffer, 1));
  EXPECT_EQ(contents(*buffer), all(1));
}

TEST_F(CUDARecordingTest, LeavesOtherQueuesAndFreeingAlone) {
  auto other = must(device->createQueue());
  auto scratch = zeros(8);
  Event before = must(add(*buffer, 1));
  must(before.wait());
  begin();
  must(add(*buffer, 1));
  must(add(*scratch, 5, {}, other.get()));
  std::thread([&] {
    EXPECT_TRUE(device->allocate(64).ok());
    must(other->finish());
  }).join();
  EXPECT_TRUE(before.hasEnded());
  scratch.reset();
  other.reset();
  auto recording = must(queue->endRecording());
  must(queue->replay(*recording));
  EXPECT_EQ(contents(*buffer), all(2));
}

TEST_F(CUDARecordingTest, IsTheOnlyOneOfItsThread) {
  auto other = must(device->createQueue());
  begin();
  EXPECT_FALSE(queue->beginRecording().ok());
  EXPECT_EQ(other->beginRecording().status().message(),
            std::string("device cuda:0: a second recording is begun") + cannot);
  EXPECT_FALSE(queue->endRecording().ok());
  EXPECT_EQ(endMessage(), "a queue of device cuda:0 does not record");
}

TEST_F(CUDARecordingTest, EndsInItsThread) {
  begin();
  std::thread([&] {
    EXPECT_EQ(endMessage(), "a recording on device cuda:0 ends in another "
                            "thread than it began");
  }).join();
  must(add(*buffer, 1));
  auto recording = must(queue->endRecording());
  must(queue->replay(*recording));
  EXPECT_EQ(contents(*buffer), all(1));
}

TEST_F(CUDARecordingTest, GoesAwayWithItsQueue) {
  begin();
  must(add(*buffer, 1));
  queue.reset();
  queue = must(device->createQueue());
  EXPECT_EQ(contents(*buffer), all(0));
}

TEST_F(CUDARecordingTest, FailsWithItsDevice) {
  begin();
  must(add(*buffer, 1));
  fakeCUDA().lose(0, 719);
  EXPECT_FALSE(add(*buffer, 1).ok());
  EXPECT_FALSE(queue->endRecording().ok());
  EXPECT_FALSE(device->isUsable());
  queue.reset(), buffer.reset(), module.reset(), device.reset();
  fakeCUDA().reset({});
}

TEST_F(CUDARecordingTest, UsesNoMemoryThatIsGone) {
  begin();
  must(add(*buffer, 1));
  auto recording = must(queue->endRecording());
  auto gone = std::move(buffer);
  buffer = zeros(8);
  gone.reset();
  // The fake's kernel reads its addresses when it runs.
  must(queue->replay(*recording));
  EXPECT_FALSE(queue->finish().ok());
  EXPECT_EQ(fakeCUDA().takeViolations().size(), 1u);
  recording.reset(), queue.reset(), buffer.reset(), module.reset();
  device.reset();
  fakeCUDA().reset({});
}
