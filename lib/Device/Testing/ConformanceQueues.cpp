//===- ConformanceQueues.cpp - Queues and events of every device ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel `step` does not commute, so a wrong order shows in the result.
//
//===----------------------------------------------------------------------===//

#include "../LaunchChecks.h"
#include "Conformance.h"

#include <atomic>
#include <future>
#include <thread>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::test;

namespace {
/// A number on the device and its expected value.
struct Chain {
  Chain(Device &device, DeviceKernel &kernel)
      : kernel(kernel), buffer(must(device.allocate(sizeof(uint32_t)))) {}

  Event set(Queue &queue) {
    return must(queue.write(*buffer, 0, &start, sizeof(start)));
  }
  Event step(Queue &queue, uint32_t addend, uint32_t rounds = 1,
             std::span<const Event> after = {}) {
    for (uint32_t i = 0; i != rounds; ++i)
      expected = expected * factor + addend;
    return must(queue.launch(kernel, {},
                             std::array{memory(*buffer), value(factor),
                                        value(addend), value(rounds)},
                             after));
  }
  uint32_t get(Queue &queue, std::span<const Event> after = {}) {
    uint32_t got = 0;
    must(must(queue.read(&got, *buffer, 0, sizeof(got), after)).wait());
    return got;
  }

  const uint32_t factor = 1664525, start = 1;
  uint32_t expected = 1;
  DeviceKernel &kernel;
  std::unique_ptr<Buffer> buffer;
};

/// Counts notifications, and keeps their messages.
struct Listener {
  static void notified(void *context, Status status) {
    auto *self = static_cast<Listener *>(context);
    std::lock_guard lock(self->mutex);
    self->messages.push_back(status.message());
    self->changed.notify_all();
  }
  std::vector<std::string> waitFor(size_t count) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::seconds(300),
                     [&] { return messages.size() >= count; });
    return messages;
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> messages;
};
} // namespace

/// Number of rounds that keep a device busy for a while.
static constexpr uint32_t longTime = 20'000'000;

TEST_P(Conformance, RunsAQueueInOrder) {
  Chain chain(*device, kernel("step"));
  auto queue = createQueue();
  chain.set(*queue);
  chain.step(*queue, 1, longTime);
  for (uint32_t i = 0; i != 100; ++i)
    chain.step(*queue, i);
  EXPECT_EQ(chain.get(*queue), chain.expected);
}

TEST_P(Conformance, WaitsForEventsOfOtherQueues) {
  Chain chain(*device, kernel("step"));
  std::array queues{createQueue(), createQueue(), createQueue()};
  Event last = chain.set(*queues[0]);
  last = chain.step(*queues[1], 7, longTime, std::span(&last, 1));
  for (uint32_t i = 0; i != 30; ++i)
    last = chain.step(*queues[i % 3], i, 1, std::span(&last, 1));
  EXPECT_EQ(chain.get(*queues[2], std::span(&last, 1)), chain.expected);
  EXPECT_TRUE(last.hasEnded());
  must(last.wait());
}

TEST_P(Conformance, WaitsForManyEventsAndForNone) {
  DeviceKernel &step = kernel("step");
  auto other = createQueue(), queue = createQueue();
  std::vector<Event> events(3); // default ones have ended
  std::vector<std::unique_ptr<Chain>> chains;
  for (uint32_t i = 0; i != 40; ++i) {
    Chain &chain = *chains.emplace_back(std::make_unique<Chain>(*device, step));
    chain.set(*other);
    events.push_back(chain.step(*other, i, 100'000));
    events.emplace_back();
  }
  for (auto &chain : chains)
    EXPECT_EQ(chain->get(*queue, events), chain->expected);
  EXPECT_TRUE(Event().hasEnded());
  must(Event().wait());
}

TEST_P(Conformance, EndsEmptyOperationsAfterThoseBefore) {
  Chain chain(*device, kernel("step"));
  auto queue = createQueue(), other = createQueue();
  chain.set(*queue);
  Event busy = chain.step(*queue, 1, longTime);
  Event none = must(queue->write(*chain.buffer, 0, nullptr, 0));
  Event across =
      must(other->launch(chain.kernel, {{0, 1, 1}, {1, 1, 1}},
                         std::array{memory(*chain.buffer), value(chain.factor),
                                    value(chain.factor), value(chain.factor)},
                         std::span(&busy, 1)));
  must(none.wait());
  EXPECT_TRUE(busy.hasEnded());
  must(across.wait());
  EXPECT_EQ(chain.get(*queue), chain.expected);
}

TEST_P(Conformance, RunsBatches) {
  Chain chain(*device, kernel("step"));
  auto queue = createQueue(), other = createQueue();
  chain.set(*queue);
  Event last;
  for (uint32_t batch = 0; batch != 3; ++batch) {
    queue->beginBatch();
    queue->beginBatch();
    for (uint32_t i = 0; i != 50; ++i)
      last = chain.step(*queue, i);
    must(queue->flush());
    // Another queue may wait for an operation that has not begun.
    last = chain.step(*other, 7, 1, std::span(&last, 1));
    queue->endBatch();
    must(last.wait());
  }
  queue->endBatch();
  EXPECT_EQ(chain.get(*queue), chain.expected);
  // Waiting for the queue ends the batch.
  queue->beginBatch();
  last = chain.step(*queue, 8);
  must(queue->finish());
  EXPECT_TRUE(last.hasEnded());
  // A queue with an open batch can be destroyed.
  queue->beginBatch();
  last = chain.step(*queue, 9);
  queue.reset();
  EXPECT_EQ(chain.get(*other, std::span(&last, 1)), chain.expected);
}

TEST_P(Conformance, PollsEventsWithoutWaiting) {
  Chain chain(*device, kernel("step"));
  auto queue = createQueue();
  chain.set(*queue);
  Event end = chain.step(*queue, 3, 1000);
  uint64_t start = hostNanoseconds();
  while (!end.hasEnded() && hostNanoseconds() - start < 300'000'000'000)
    std::this_thread::yield();
  EXPECT_TRUE(end.hasEnded());
  EXPECT_EQ(chain.get(*queue), chain.expected);
}

TEST_P(Conformance, KeepsEventsOfQueuesThatAreGone) {
  Chain chain(*device, kernel("step"));
  auto queue = createQueue(), other = createQueue();
  chain.set(*queue);
  Event end = chain.step(*queue, 3, longTime);
  queue.reset();
  EXPECT_EQ(chain.get(*other, std::span(&end, 1)), chain.expected);
  must(end.wait());
}

TEST_P(Conformance, WaitsFromManyThreads) {
  Chain chain(*device, kernel("step"));
  auto queue = createQueue();
  chain.set(*queue);
  Event end = chain.step(*queue, 3, longTime);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i != 4; ++i)
    threads.emplace_back([end] {
      must(end.wait());
      EXPECT_TRUE(end.hasEnded());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(chain.get(*queue), chain.expected);
}

TEST_P(Conformance, NotifiesOnceWhenAllHasEnded) {
  Chain chain(*device, kernel("step"));
  auto queue = createQueue();
  chain.set(*queue);
  struct Seen {
    Event end;
    std::promise<bool> hadEnded;
  } seen;
  seen.end = chain.step(*queue, 3, longTime);
  must(queue->notify(
      [](void *context, Status status) {
        EXPECT_EQ(status.message(), "");
        static_cast<Seen *>(context)->hadEnded.set_value(true);
      },
      &seen));
  EXPECT_TRUE(seen.hadEnded.get_future().get());
  EXPECT_TRUE(seen.end.hasEnded());
  EXPECT_EQ(chain.get(*queue), chain.expected);
}

TEST_P(Conformance, NotifiesEveryTime) {
  Listener listener;
  {
    auto queue = createQueue(), other = createQueue();
    auto buffer = allocate(4), otherBuffer = allocate(4);
    uint32_t number = 0;
    for (unsigned i = 0; i != 100; ++i) {
      Queue &target = i % 3 ? *queue : *other;
      if (i % 2)
        must(target.write(i % 3 ? *buffer : *otherBuffer, 0, &number, 4));
      must(target.notify(Listener::notified, &listener));
    }
    EXPECT_EQ(listener.waitFor(100).size(), 100u);
    must(queue->finish());
  }
  EXPECT_EQ(listener.waitFor(100), std::vector<std::string>(100));
}

TEST_P(Conformance, FinishesAndFlushes) {
  Chain chain(*device, kernel("step"));
  auto queue = createQueue();
  must(queue->flush());
  must(queue->finish());
  chain.set(*queue);
  Event end = chain.step(*queue, 5, longTime);
  must(queue->flush());
  must(queue->finish());
  EXPECT_TRUE(end.hasEnded());
  EXPECT_EQ(chain.get(*queue), chain.expected);
}

TEST_P(Conformance, RunsQueuesOfManyThreads) {
  DeviceKernel &step = kernel("step");
  std::vector<std::thread> threads;
  std::atomic<unsigned> wrong = 0;
  for (unsigned t = 0; t != 4; ++t)
    threads.emplace_back([&, t] {
      for (unsigned repeat = 0; repeat != 5; ++repeat) {
        auto queue = must(device->createQueue());
        Chain chain(*device, step);
        chain.set(*queue);
        for (uint32_t i = 0; i != 50; ++i)
          chain.step(*queue, i * t + repeat, 1 + i % 3);
        wrong += chain.get(*queue) != chain.expected;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
}

/// The clocks of host and device are compared when a device is opened. The
/// error is the time of a call, which may be long on a busy machine. So a few
/// devices are tried.
TEST_P(Conformance, KnowsWhenOperationsRan) {
  constexpr uint64_t error = 1'000'000;
  bool isWithinError = false;
  for (int attempt = 0; attempt < 50 && !isWithinError; ++attempt) {
    open({.withTiming = true, .cacheDirectory = ""});
    Chain chain(*device, kernel("step"));
    auto queue = createQueue();
    // The measured time does not include building for the shape.
    chain.set(*queue);
    chain.step(*queue, 1);
    must(queue->finish());
    uint64_t before = hostNanoseconds();
    Event first = chain.step(*queue, 5, longTime);
    Event second = chain.step(*queue, 5, longTime);
    must(second.wait());
    uint64_t after = hostNanoseconds();
    TimeInterval one = must(first.interval()), two = must(second.interval());
    EXPECT_LT(one.start, one.end);
    EXPECT_LT(two.start, two.end);
    isWithinError = before <= one.start + error &&
                    one.end <= two.start + error && two.end <= after + error;
  }
  EXPECT_TRUE(isWithinError);
}

TEST_P(Conformance, KnowsNoTimesUnlessAsked) {
  auto buffer = allocate(4);
  auto queue = createQueue();
  uint32_t number = 0;
  Event end = must(queue->write(*buffer, 0, &number, 4));
  must(end.wait());
  EXPECT_FALSE(end.interval().ok());
}

TEST_P(Conformance, FailsOperationsThatWaitForFailedOnes) {
  if (device->properties().kind != Kind::Host)
    GTEST_SKIP() << "only kernels of the host fail and leave the device usable";
  auto queue = createQueue(), other = createQueue();
  auto buffer = allocate(4);
  uint32_t number = 1;
  Listener listener;
  Event failed = must(queue->launch(kernel("fail"), {}, {}));
  must(queue->notify(Listener::notified, &listener));
  must(queue->notify(Listener::notified, &listener));
  Event write =
      must(other->write(*buffer, 0, &number, 4, std::span(&failed, 1)));
  EXPECT_EQ(failed.wait().message(), "failed on purpose");
  EXPECT_EQ(write.wait().message(),
            "an operation to wait for failed: failed on purpose");
  EXPECT_EQ(listener.waitFor(2),
            (std::vector<std::string>{"failed on purpose", ""}));
}
