//===- Event.cpp - Completion of operations on OpenCL queues --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits for OpenCL events and queries them, after flushing their queue.
//
//===----------------------------------------------------------------------===//

#include "Event.h"

#include "../LaunchChecks.h"
#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::opencl;

Status QueueState::flush(uint64_t number) {
  if (flushed.load(std::memory_order_acquire) >= number)
    return {};
  uint64_t now = enqueued.load(std::memory_order_acquire);
  Status status = context.check(context.api.clFlush(handle), "clFlush");
  if (!status.ok())
    return status;
  uint64_t before = flushed.load(std::memory_order_relaxed);
  while (before < now && !flushed.compare_exchange_weak(before, now))
    ;
  return {};
}

Int opencl::executionStatus(const API &api, EventID event) {
  Int status = 0;
  Int code = api.clGetEventInfo(event, EventExecutionStatus, sizeof(status),
                                &status, nullptr);
  return code == Success ? status : code;
}

bool OpenCLEventState::hasEnded() {
  if (endedWell.load(std::memory_order_acquire) || wasForked())
    return true;
  if (Status status = queue->flush(number); !status.ok())
    return true;
  Int status = executionStatus(queue->context.api, handle);
  if (status == Int(Complete))
    endedWell.store(true, std::memory_order_release);
  return status <= Int(Complete);
}

bool OpenCLEventState::seemsEnded() {
  return number <= queue->flushed.load(std::memory_order_acquire) && hasEnded();
}

Status OpenCLEventState::failure() {
  Int status = executionStatus(queue->context.api, handle);
  return status < 0 ? queue->context.check(status, call) : Status();
}

Status OpenCLEventState::wait() {
  OpenCLContext &context = queue->context;
  if (wasForked())
    return context.checkUsable();
  // Querying the status is cheaper than waiting.
  if (endedWell.load(std::memory_order_acquire) ||
      (seemsEnded() && endedWell.load(std::memory_order_acquire)))
    return {};
  if (Status status = queue->flush(number); !status.ok())
    return status;
  Int code = context.api.clWaitForEvents(1, &handle);
  // The event's own status describes a failure better than the waiting call's.
  if (Status status = failure(); !status.ok())
    return status;
  if (code == Success)
    endedWell.store(true, std::memory_order_release);
  return code == FailedWaitList ? context.check(code, call)
                                : context.check(code, "clWaitForEvents");
}

Result<TimeInterval> OpenCLEventState::interval() {
  OpenCLContext &context = queue->context;
  if (!context.withTiming)
    return Status::misuse(
        concat("device ", context.name, " was opened without timing"));
  if (wasForked())
    return context.checkUsable();
  TimeInterval interval;
  auto ask = [&](UInt what, uint64_t &time) {
    Int code = context.api.clGetEventProfilingInfo(handle, what, sizeof(time),
                                                   &time, nullptr);
    return context.check(code, "clGetEventProfilingInfo");
  };
  Status status = ask(ProfilingStart, interval.start);
  if (status.ok())
    status = ask(ProfilingEnd, interval.end);
  if (!status.ok())
    return status;
  uint64_t duration =
      interval.end > interval.start ? interval.end - interval.start : 0;
  interval.start = context.clock.toHost(interval.start);
  interval.end = interval.start + duration;
  return interval;
}

Status WaitList::set(const QueueState &queue, std::span<const Event> after) {
  if (after.size() > few.size())
    many.resize(after.size());
  EventID *events = many.empty() ? few.data() : many.data();
  for (const Event &event : after) {
    if (!event)
      continue;
    auto *state = dynamic_cast<OpenCLEventState *>(event.get());
    if (!state || &state->queue->context != &queue.context)
      return foreignError(queue.context.name, "an event");
    // An error of the flush is ignored: the operation itself will fail and
    // report it.
    if (state->queue.get() != &queue)
      (void)state->queue->flush(state->number).ok();
    events[count++] = state->handle;
  }
  return {};
}
