//===- CUDAContext.cpp - The common state of a CUDA device's objects ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After some errors, such as an access to an invalid address in a kernel, every
// later call of the process fails with the same code. The first call that gets
// such a code marks the device as lost, so that later calls fail with the
// reason and without waiting.
//
//===----------------------------------------------------------------------===//

#include "CUDAContext.h"
#include "../LaunchChecks.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::cuda;

thread_local CUDARecorder *cuda::recorderOfThread = nullptr;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Codes that are final for the process or context, according to CUDA's
/// documentation.
static bool isFinal(Code code) {
  switch (code) {
  case cudaDeinitialized:
  case cudaECCUncorrectable:
  case cudaNVLinkUncorrectable:
  case cudaContained:
  case cudaIllegalAddress:
  case cudaLaunchTimeout:
  case cudaContextIsDestroyed:
  case cudaAssert:
  case cudaHardwareStackError:
  case cudaIllegalInstruction:
  case cudaMisalignedAddress:
  case cudaInvalidAddressSpace:
  case cudaInvalidPC:
  case cudaLaunchFailed:
  case cudaTensorMemoryLeak:
  case cudaMPSRPCFailure:
  case cudaMPSClientTerminated:
  case cudaExternalDevice:
  case cudaUnknown:
    return true;
  default:
    return false;
  }
}

void Loss::note(const std::string &why) {
  std::lock_guard lock(mutex);
  if (isLost)
    return;
  text = why;
  isLost = true;
}

std::string Loss::reason() {
  std::lock_guard lock(mutex);
  return text;
}

Status cuda::failure(const Driver &driver, const std::string &device,
                     Loss &loss, Code code, const char *call) {
  std::string text = driver.describe(code, call);
  if (isFinal(code)) {
    loss.note(text);
    return Status::error(StatusCode::System,
                         concat("device ", device, " is lost: ", text));
  }
  return Status::error(code == cudaOutOfMemory ? StatusCode::Exhausted
                                               : StatusCode::System,
                       concat("device ", device, ": ", text));
}

Status CUDAContext::unfitError() {
  if (wasForked())
    return forkedError();
  return Status::error(StatusCode::System,
                       concat("device ", name, " is lost: ", loss->reason()));
}

Status CUDAContext::checkMayBlock(const char *what) {
  if (Status status = checkUsable(); !status.ok())
    return status;
  if (!recorderOfThread)
    return {};
  Status status = Status::misuse(
      concat("device ", name, ": ", what,
             " in a thread that records operations; that cannot be part of a "
             "recording, which ends here"));
  recorderOfThread->abandon(status);
  return status;
}

//===----------------------------------------------------------------------===//
// The context
//===----------------------------------------------------------------------===//

Status CUDAContext::open() {
  if (Status status = check(driver.retainContext(handle, device),
                            "cuDevicePrimaryCtxRetain");
      !status.ok())
    return status;
  if (!withTiming)
    return {};
  CurrentContext current(*this);
  if (Code code = api.cuStreamCreate(&clockStream, streamNonBlocking))
    return fail(code, "cuStreamCreate");
  // Measured now, because a recording thread could not do it.
  Result<std::shared_ptr<const ClockReference>> measured = clock();
  return measured.ok() ? Status() : measured.takeStatus();
}

CUDAContext::~CUDAContext() {
  if (!handle || wasForked())
    return;
  // Errors are ignored: they have been reported, or the process is ending.
  CurrentContext current(*this);
  AllowedWhileRecording allowed(*this);
  reference.reset();
  for (EventHandle event : freeEvents)
    api.cuEventDestroy(event);
  if (clockStream)
    api.cuStreamDestroy(clockStream);
}

CurrentContext::CurrentContext(CUDAContext &context) : context(context) {
  context.api.cuCtxGetCurrent(&before);
  if (before == context.handle) [[likely]]
    return;
  isRestored = before || context.device != 0;
  // An error is ignored here: the call that needs the context also fails and
  // reports it.
  context.api.cuCtxSetCurrent(context.handle);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

Result<EventHandle> CUDAContext::takeEvent() {
  {
    std::lock_guard lock(mutex);
    if (!freeEvents.empty()) {
      EventHandle event = freeEvents.back();
      freeEvents.pop_back();
      return event;
    }
  }
  AllowedWhileRecording allowed(*this);
  EventHandle event = nullptr;
  Code code =
      api.cuEventCreate(&event, withTiming ? eventDefault : eventDisableTiming);
  if (code != cudaSuccess)
    return fail(code, "cuEventCreate");
  return event;
}

void CUDAContext::giveEvent(EventHandle event) {
  std::lock_guard lock(mutex);
  freeEvents.push_back(event);
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

ClockReference::~ClockReference() {
  if (event)
    context.giveEvent(event);
}

/// The device records the event between two readings of the host's clock. Of a
/// few tries the one with the shortest time between the readings is used.
Status CUDAContext::measureClock(ClockReference &reference) {
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < 4; ++i) {
    ClockReference candidate(*this);
    Result<EventHandle> event = takeEvent();
    if (!event.ok())
      return event.takeStatus();
    candidate.event = *event;
    uint64_t before = hostNanoseconds();
    if (Code code = api.cuEventRecord(*event, clockStream))
      return fail(code, "cuEventRecord");
    if (Code code = api.cuEventSynchronize(*event))
      return fail(code, "cuEventSynchronize");
    uint64_t taken = hostNanoseconds() - before;
    if (taken >= shortest)
      continue;
    shortest = taken;
    reference.host = before + taken / 2;
    std::swap(reference.event, candidate.event);
  }
  return {};
}

std::shared_ptr<const ClockReference> CUDAContext::recentClock() {
  constexpr uint64_t second = 1000000000;
  std::lock_guard lock(mutex);
  // A recording thread must not wait for the device, so it uses an older
  // measurement.
  bool isRecent = reference && (recorderOfThread ||
                                reference->host + second > hostNanoseconds());
  return isRecent ? reference : nullptr;
}

Result<std::shared_ptr<const ClockReference>> CUDAContext::clock() {
  if (std::shared_ptr<const ClockReference> recent = recentClock())
    return recent;
  std::lock_guard once(measuring);
  if (std::shared_ptr<const ClockReference> recent = recentClock())
    return recent;
  if (Status status = checkMayBlock("the clock is read"); !status.ok())
    return status;
  auto measured = std::make_shared<ClockReference>(*this);
  if (Status status = measureClock(*measured); !status.ok())
    return status;
  std::shared_ptr<const ClockReference> result = std::move(measured);
  // Destroyed after the lock is released, because returning its event takes the
  // lock.
  std::shared_ptr<const ClockReference> former = result;
  {
    std::lock_guard lock(mutex);
    std::swap(reference, former);
  }
  return result;
}

Result<uint64_t> CUDAContext::hostTime(const ClockReference &reference,
                                       EventHandle event) {
  float milliseconds = 0;
  if (Code code = api.cuEventElapsedTime(&milliseconds, reference.event, event))
    return fail(code, "cuEventElapsedTime");
  return uint64_t(double(reference.host) + double(milliseconds) * 1e6);
}
