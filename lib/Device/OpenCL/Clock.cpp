//===- Clock.cpp - Comparing the clocks of device and host ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the offset between the device's clock and the host's, and adds it to
// the times from OpenCL.
//
//===----------------------------------------------------------------------===//

#include "OpenCLContext.h"

#include "../LaunchChecks.h"

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::opencl;

/// How long a measured difference is used: during this time clocks drift by
/// less than 500 ns.
static constexpr uint64_t updatePeriod = 1'000'000'000;
/// Measurements per update; the one with the narrowest window is used.
static constexpr unsigned numTries = 4;

Status Clock::open() {
  auto created = context.createQueue();
  if (!created.ok())
    return created.takeStatus();
  queue = *created;
  Result<Measurement> first = measure();
  if (!first.ok())
    return first.takeStatus();
  update();
  return {};
}

void Clock::close() {
  context.release(context.api.clReleaseCommandQueue, queue);
  queue = nullptr;
}

Result<Clock::Measurement> Clock::measure() {
  const API &api = context.api;
  EventID event = nullptr;
  uint64_t before = hostNanoseconds();
  Status status =
      context.check(api.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event),
                    "clEnqueueMarkerWithWaitList");
  if (!status.ok())
    return status;
  status = context.check(api.clWaitForEvents(1, &event), "clWaitForEvents");
  uint64_t after = hostNanoseconds();
  uint64_t end = 0;
  if (status.ok())
    status = context.check(api.clGetEventProfilingInfo(
                               event, ProfilingEnd, sizeof(end), &end, nullptr),
                           "clGetEventProfilingInfo");
  api.clReleaseEvent(event);
  if (!status.ok())
    return status;
  return Measurement{int64_t(before + (after - before) / 2) - int64_t(end),
                     after - before};
}

/// If measuring fails, the last difference stays in use: the operation whose
/// times are requested reports the failure itself.
void Clock::update() {
  Measurement narrowest{0, UINT64_MAX};
  for (unsigned i = 0; i != numTries; ++i)
    if (Result<Measurement> next = measure();
        next.ok() && next->width < narrowest.width)
      narrowest = *next;
  if (narrowest.width != UINT64_MAX)
    best = narrowest;
  lastUpdate = hostNanoseconds();
}

uint64_t Clock::toHost(uint64_t deviceTime) {
  std::lock_guard lock(mutex);
  if (queue && hostNanoseconds() - lastUpdate > updatePeriod)
    update();
  return uint64_t(int64_t(deviceTime) + best.difference);
}
