//===- CUDARecording.cpp - Recorded operations as CUDA graphs -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream is captured in the mode that forbids, only in this thread, calls
// that a graph cannot contain. The back end detects such calls before they
// reach CUDA: they fail and end the recording.
//
// A captured stream cannot wait for operations enqueued outside of the capture.
// The recording keeps their events, and replay waits for them. A completed
// event stays completed, so only the first replays wait.
//
//===----------------------------------------------------------------------===//

#include "../LaunchChecks.h"
#include "CUDAQueue.h"

#include "sluice/Base/Text.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::cuda;

CUDARecording::~CUDARecording() {
  if (wasForked())
    return;
  CurrentContext current(context);
  AllowedWhileRecording allowed(context);
  context.api.cuGraphExecDestroy(graph);
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

Result<bool> CUDAQueue::beginRecording() {
  if (Status status = context.checkUsable(); !status.ok())
    return status;
  if (tape)
    return Status::misuse(
        concat("a queue of device ", context.name, " records already"));
  if (recorderOfThread)
    return context.checkMayBlock("a second recording is begun");
  CurrentContext current(context);
  if (Code code = context.api.cuStreamBeginCapture(stream, captureThreadLocal))
    return context.fail(code, "cuStreamBeginCapture");
  static std::atomic<uint64_t> last = 0;
  tape = std::make_unique<Tape>(this, ++last);
  recorderOfThread = tape.get();
  return true;
}

/// Makes the next recorded operation wait for `event`.
Status CUDAQueue::addToTape(const Event &event) {
  if (!event)
    return {};
  if (auto *recorded = dynamic_cast<RecordedState *>(event.get()))
    return recorded->recording == tape->number ? Status()
                                               : RecordedState::error();
  auto *state = dynamic_cast<CUDAEventState *>(event.get());
  if (!state || &state->context != &context)
    return foreignError(context.name, "an event");
  bool isKnown =
      state->isKnownToHaveEnded() ||
      std::any_of(tape->after.begin(), tape->after.end(),
                  [&](const Event &other) { return other.get() == state; });
  if (!isKnown)
    tape->after.push_back(event);
  return {};
}

/// Ends the capture of the stream. Only the thread that began it may call this.
Result<GraphHandle> CUDAQueue::endCapture() {
  tape->isCapturing = false;
  recorderOfThread = nullptr;
  GraphHandle graph = nullptr;
  Code code = context.api.cuStreamEndCapture(stream, &graph);
  if (code == cudaSuccess && graph)
    return graph;
  if (graph)
    context.api.cuGraphDestroy(graph);
  return code != cudaSuccess
             ? context.fail(code, "cuStreamEndCapture")
             : Status::error(StatusCode::System,
                             concat("device ", context.name,
                                    ": cuStreamEndCapture gave no graph"));
}

void CUDAQueue::Tape::abandon(const Status &reason) {
  if (!queue) {
    recorderOfThread = nullptr;
    delete this;
    return;
  }
  if (failure.empty()) {
    failure = reason.message();
    failureCode = reason.code();
  }
  if (!isCapturing || thread != std::this_thread::get_id())
    return;
  CurrentContext current(queue->context);
  if (Result<GraphHandle> graph = queue->endCapture(); graph.ok())
    queue->context.api.cuGraphDestroy(*graph);
}

Status CUDAQueue::Tape::error() const {
  return Status::error(failureCode,
                       concat("the recording had ended: ", failure));
}

/// Removes the tape. If it is the thread's current recorder, clears that
/// reference, too.
void CUDAQueue::dropTape() {
  tape->abandon(Status::misuse("its queue went away"));
  if (!tape->isCapturing)
    return;
  tape->queue = nullptr;
  tape.release();
}

Result<std::unique_ptr<Recording>> CUDAQueue::endRecording() {
  if (!tape)
    return Status::misuse(
        concat("a queue of device ", context.name, " does not record"));
  if (tape->thread != std::this_thread::get_id())
    return Status::misuse(concat("a recording on device ", context.name,
                                 " ends in another thread than it began"));
  CurrentContext current(context);
  if (!tape->failure.empty()) {
    Status status = tape->error();
    tape->abandon(status);
    tape.reset();
    return status;
  }
  Result<GraphHandle> graph = endCapture();
  std::vector<Event> after = std::move(tape->after);
  tape.reset();
  if (!graph.ok())
    return graph.takeStatus();
  GraphExecHandle exec = nullptr;
  Code code = context.api.cuGraphInstantiateWithFlags(&exec, *graph, 0);
  context.api.cuGraphDestroy(*graph);
  if (code != cudaSuccess)
    return context.fail(code, "cuGraphInstantiateWithFlags");
  std::unique_ptr<Recording> result =
      std::make_unique<CUDARecording>(context, exec, std::move(after));
  return result;
}

//===----------------------------------------------------------------------===//
// Replaying
//===----------------------------------------------------------------------===//

Result<Event> CUDAQueue::replay(Recording &recording,
                                std::span<const Event> after) {
  auto *own = dynamic_cast<CUDARecording *>(&recording);
  if (!own || &own->context != &context)
    return foreignError(context.name, "a recording");
  if (tape) {
    Status status =
        Status::misuse(concat("device ", context.name,
                              ": a recording is replayed in a queue that "
                              "records, which ends the recording"));
    tape->abandon(status);
    return status;
  }
  std::lock_guard lock(own->mutex);
  if (!own->after.empty()) {
    if (Status status = context.checkUsable(); !status.ok())
      return status;
    CurrentContext current(context);
    for (const Event &event : own->after)
      if (Status status = waitFor(event); !status.ok())
        return status;
    std::erase_if(own->after,
                  [](const Event &event) { return event.hasEnded(); });
  }
  return run("cuGraphLaunch", after,
             [&] { return context.api.cuGraphLaunch(own->graph, stream); });
}
