//===- CUDAQueue.cpp - Queues of CUDA devices -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on one CUDA stream: order, waiting for other queues,
// notifications. Other files contain the queue's copies, launches and
// recordings.
//
//===----------------------------------------------------------------------===//

#include "CUDAQueue.h"
#include "../LaunchChecks.h"

#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::cuda;

static uint64_t nextNumber() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

CUDAQueue::CUDAQueue(CUDAContext &context, const Properties &properties,
                     int pitchLimit, StreamHandle stream)
    : context(context), properties(properties),
      pitchLimit(uint64_t(pitchLimit)), stream(stream), number(nextNumber()) {}

CUDAQueue::~CUDAQueue() {
  if (wasForked())
    return;
  CurrentContext current(context);
  if (tape)
    dropTape();
  AllowedWhileRecording allowed(context);
  context.api.cuStreamDestroy(stream);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// Nothing to do for an event of this queue, which runs operations in order.
Status CUDAQueue::waitFor(const Event &event) {
  if (!event)
    return {};
  auto *state = dynamic_cast<CUDAEventState *>(event.get());
  if (!state)
    return dynamic_cast<RecordedState *>(event.get())
               ? RecordedState::error()
               : foreignError(context.name, "an event");
  if (&state->context != &context)
    return foreignError(context.name, "an event");
  if (state->queue == number || state->isKnownToHaveEnded())
    return {};
  return context.check(context.api.cuStreamWaitEvent(stream, state->end, 0),
                       "cuStreamWaitEvent");
}

Status CUDAQueue::flush() { return context.checkUsable(); }

Status CUDAQueue::finish() {
  if (Status status = context.checkMayBlock("a queue is waited for");
      !status.ok())
    return status;
  if (tape)
    return tape->failure.empty()
               ? Status::misuse(concat("a queue of device ", context.name,
                                       " is waited for while it records"))
               : tape->error();
  CurrentContext current(context);
  return context.check(context.api.cuStreamSynchronize(stream),
                       "cuStreamSynchronize");
}

//===----------------------------------------------------------------------===//
// Notification
//===----------------------------------------------------------------------===//

namespace {
struct CUDANotification {
  const Driver &driver;
  const std::string device;
  const std::shared_ptr<Loss> loss;
  void (*function)(void *, Status);
  void *argument;
};
} // namespace

/// Runs in a thread of the driver, in which no CUDA function may be called.
static void deliver(StreamHandle, Code code, void *argument) {
  std::unique_ptr<CUDANotification> note(
      static_cast<CUDANotification *>(argument));
  Status status;
  if (code != cudaSuccess)
    status = failure(note->driver, note->device, *note->loss, code,
                     "an operation of a queue");
  note->function(note->argument, std::move(status));
}

/// Uses a stream callback and not cuLaunchHostFunc: only a stream callback is
/// called, with the error, if an earlier operation has failed.
Status CUDAQueue::notify(void (*function)(void *, Status), void *argument) {
  if (Status status = context.checkUsable(); !status.ok())
    return status;
  if (tape) {
    Status status =
        Status::misuse(concat("device ", context.name,
                              ": a notification is asked for in a queue "
                              "that records, which ends the recording"));
    tape->abandon(status);
    return status;
  }
  CurrentContext current(context);
  std::unique_ptr<CUDANotification> note(new CUDANotification{
      context.driver, context.name, context.loss, function, argument});
  Code code = context.api.cuStreamAddCallback(stream, deliver, note.get(), 0);
  if (code != cudaSuccess)
    return context.fail(code, "cuStreamAddCallback");
  note.release();
  return {};
}
