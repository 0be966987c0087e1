//===- CUDAEvent.cpp - Completion of operations on CUDA queues ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA event consists of a pair of driver events around the operation (one,
// without timing). This file records them, queries them, and converts them to
// times of the host's clock.
//
//===----------------------------------------------------------------------===//

#include "CUDAEvent.h"

#include "sluice/Base/Text.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::cuda;

CUDAEventState::~CUDAEventState() {
  reference.reset();
  if (start)
    context.giveEvent(start);
  if (end)
    context.giveEvent(end);
}

Status CUDAEventState::prepare() {
  Result<EventHandle> taken = context.takeEvent();
  if (!taken.ok())
    return taken.takeStatus();
  end = *taken;
  if (!context.withTiming)
    return {};
  Result<std::shared_ptr<const ClockReference>> clock = context.clock();
  if (!clock.ok())
    return clock.takeStatus();
  reference = std::move(*clock);
  taken = context.takeEvent();
  if (!taken.ok())
    return taken.takeStatus();
  start = *taken;
  return {};
}

Status CUDAEventState::recordStart(StreamHandle stream) {
  return start ? context.check(context.api.cuEventRecord(start, stream),
                               "cuEventRecord")
               : Status();
}

Status CUDAEventState::recordEnd(StreamHandle stream) {
  return context.check(context.api.cuEventRecord(end, stream), "cuEventRecord");
}

/// Operations of a lost device count as completed; waiting for one returns the
/// error.
bool CUDAEventState::hasEnded() {
  if (isKnownToHaveEnded() || !context.isFit())
    return true;
  CurrentContext current(context);
  AllowedWhileRecording allowed(context);
  Code code = context.api.cuEventQuery(end);
  if (code == cudaNotReady)
    return false;
  if (context.check(code, "cuEventQuery").ok())
    isEnded.store(true, std::memory_order_release);
  return true;
}

Status CUDAEventState::wait() {
  if (isKnownToHaveEnded())
    return {};
  if (Status status =
          context.checkMayBlock("the end of an operation is waited for");
      !status.ok())
    return status;
  CurrentContext current(context);
  Status status =
      context.check(context.api.cuEventSynchronize(end), "cuEventSynchronize");
  if (status.ok())
    isEnded.store(true, std::memory_order_release);
  return status;
}

Result<TimeInterval> CUDAEventState::interval() {
  if (!start)
    return Status::misuse(concat("device ", context.name,
                                 " was opened without timing, so the times of "
                                 "its operations are not known"));
  if (Status status = context.checkUsable(); !status.ok())
    return status;
  CurrentContext current(context);
  Result<uint64_t> first = context.hostTime(*reference, start);
  if (!first.ok())
    return first.takeStatus();
  Result<uint64_t> last = context.hostTime(*reference, end);
  if (!last.ok())
    return last.takeStatus();
  return TimeInterval{*first, std::max(*first, *last)};
}

Status RecordedState::error() {
  return Status::misuse("an operation that was recorded has no end of its own; "
                        "take the event of Queue::replay");
}
