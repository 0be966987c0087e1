//===- PendingAtExit.cpp - Operations in progress at the end --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the list of queues of the process, and waits for their last operations
// in an exit handler.
//
//===----------------------------------------------------------------------===//

#include "PendingAtExit.h"

#include "Event.h"

#include <bit>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::opencl;

/// The maximum wait. Compiling a kernel takes less; a kernel that never ends
/// must not prevent the process from ending.
static constexpr std::chrono::seconds maxWait{10};

namespace {
struct Queues {
  std::mutex mutex;
  std::vector<std::weak_ptr<QueueState>> all;
};
} // namespace

/// Never destroyed, because exit handlers run between the destructors of global
/// objects.
static Queues &queues() {
  static Queues &theQueues = *new Queues();
  return theQueues;
}

/// An event that completes after everything in the queue so far, or null.
static EventID enqueueMarker(const QueueState &queue) {
  const API &api = queue.context.api;
  EventID marker = nullptr;
  if (queue.context.isLost() ||
      api.clEnqueueMarkerWithWaitList(queue.handle, 0, nullptr, &marker) !=
          Success)
    return nullptr;
  if (api.clFlush(queue.handle) == Success)
    return marker;
  api.clReleaseEvent(marker);
  return nullptr;
}

/// Polls until the event has completed or the time has expired: clWaitForEvents
/// has no time limit.
static void waitUntil(const OpenCLContext &context, EventID event, Int status,
                      std::chrono::steady_clock::time_point end) {
  while (executionStatus(context.api, event) > status &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

static void waitForAll() {
  if (wasForked())
    return;
  // One deadline for all handlers together: the first one may use the whole
  // time.
  static const auto end = std::chrono::steady_clock::now() + maxWait;
  // While the lock is held, no device can be closed.
  std::lock_guard lock(queues().mutex);
  for (const std::weak_ptr<QueueState> &known : queues().all) {
    std::shared_ptr<QueueState> queue = known.lock();
    EventID marker = queue ? enqueueMarker(*queue) : nullptr;
    if (!marker)
      continue;
    waitUntil(queue->context, marker, Complete, end);
    queue->context.release(queue->context.api.clReleaseEvent, marker);
  }
}

void opencl::waitForAtExit(const std::shared_ptr<QueueState> &queue) {
  std::lock_guard lock(queues().mutex);
  std::erase_if(queues().all, [](const std::weak_ptr<QueueState> &other) {
    return other.expired();
  });
  queues().all.push_back(queue);
  std::atexit(waitForAll);
}

void opencl::forgetAtExit(const OpenCLContext &context) {
  std::lock_guard lock(queues().mutex);
  std::erase_if(queues().all, [&](const std::weak_ptr<QueueState> &known) {
    std::shared_ptr<QueueState> queue = known.lock();
    return !queue || &queue->context == &context;
  });
}

void opencl::enqueuedKernel(QueueState &queue, EventID kernel) {
  static std::atomic<uint64_t> number = 0;
  uint64_t before = number.fetch_add(1, std::memory_order_relaxed);
  if (before == 0 && queue.context.api.clFlush(queue.handle) == Success)
    waitUntil(queue.context, kernel, Running,
              std::chrono::steady_clock::now() + maxWait);
  if (std::has_single_bit(before + 1))
    std::atexit(waitForAll);
}
