//===- OpenCLContext.cpp - The common state of an OpenCL device's objects -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts OpenCL's error codes to a Status, and detects when one of them means
// that the device is lost.
//
//===----------------------------------------------------------------------===//

#include "OpenCLContext.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::opencl;

/// The code that NVIDIA's driver returns after a kernel has accessed invalid
/// memory.
static constexpr Int illegalAccess = -9999;

OpenCLContext::~OpenCLContext() {
  clock.close();
  release(api.clReleaseContext, handle);
}

Status OpenCLContext::open(bool timing) {
  const intptr_t properties[] = {ContextPlatform,
                                 reinterpret_cast<intptr_t>(platform), 0};
  Int code = Success;
  handle = api.clCreateContext(properties, 1, &device, nullptr, nullptr, &code);
  if (!handle)
    return check(code, "clCreateContext");
  withTiming = timing;
  return timing ? clock.open() : Status();
}

Result<QueueID> OpenCLContext::createQueue() {
  Int code = Success;
  QueueID queue = api.clCreateCommandQueue(
      handle, device, withTiming ? QueueProfiling : Bits(0), &code);
  if (!queue)
    return check(code, "clCreateCommandQueue");
  return queue;
}

Status OpenCLContext::check(Int code, const char *call) {
  if (code == Success)
    return {};
  // A valid queue becomes invalid only with its device.
  if (code == DeviceNotAvailable || code == InvalidQueue ||
      code == illegalAccess)
    lost.store(true, std::memory_order_relaxed);
  return callError(call, code);
}

Status OpenCLContext::checkUsable() const {
  if (wasForked())
    return Status::error(
        StatusCode::System,
        concat("device ", name, " was opened before this process was forked"));
  if (!isLost())
    return {};
  return Status::error(StatusCode::System,
                       concat("device ", name, " was lost earlier"));
}
