//===- CUDAQueue.h - Queues of CUDA devices -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A queue is a stream that does not synchronise with the default stream. A
// recording is a CUDA graph captured from the stream.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_CUDA_CUDAQUEUE_H
#define SLUICE_LIB_DEVICE_CUDA_CUDAQUEUE_H

#include "CUDAEvent.h"
#include "CUDAModule.h"

#include <thread>

namespace sluice::device::cuda {

class CUDABuffer final : public Buffer {
public:
  CUDABuffer(CUDAContext &context, uint64_t size, Address address)
      : Buffer(size), context(context), address(address) {}
  ~CUDABuffer() override;

  CUDAContext &context;
  const Address address;
};

class CUDARecording final : public Recording {
public:
  CUDARecording(CUDAContext &context, GraphExecHandle graph,
                std::vector<Event> after)
      : context(context), graph(graph), after(std::move(after)) {}
  ~CUDARecording() override;

  CUDAContext &context;
  /// Guards the following members: one thread at a time launches graphs.
  std::mutex mutex;
  const GraphExecHandle graph;
  /// Operations enqueued before the recording for which recorded ones wait.
  std::vector<Event> after;
};

class CUDAQueue final : public Queue {
public:
  CUDAQueue(CUDAContext &context, const Properties &properties, int pitchLimit,
            StreamHandle stream);
  ~CUDAQueue() override;

  Result<Event> write(Buffer &to, uint64_t offset, const void *from,
                      uint64_t size, std::span<const Event> after) override;
  Result<Event> read(void *to, Buffer &from, uint64_t offset, uint64_t size,
                     std::span<const Event> after) override;
  Result<Event> copy(Buffer &to, uint64_t toOffset, Buffer &from,
                     uint64_t fromOffset, uint64_t size,
                     std::span<const Event> after) override;
  Result<Event> writeBox(Buffer &to, const void *from, const CopyBox &box,
                         std::span<const Event> after) override;
  Result<Event> readBox(void *to, Buffer &from, const CopyBox &box,
                        std::span<const Event> after) override;
  Result<Event> launch(DeviceKernel &kernel, const LaunchShape &shape,
                       std::span<const KernelArgument> arguments,
                       std::span<const Event> after) override;
  Status notify(void (*function)(void *, Status), void *context) override;
  Status flush() override;
  Status finish() override;
  Result<bool> beginRecording() override;
  Result<std::unique_ptr<Recording>> endRecording() override;
  Result<Event> replay(Recording &recording,
                       std::span<const Event> after) override;

private:
  /// The recording between beginRecording and endRecording.
  struct Tape final : CUDARecorder {
    Tape(CUDAQueue *queue, uint64_t number)
        : queue(queue), number(number),
          event(std::make_shared<RecordedState>(number)) {}
    void abandon(const Status &reason) override;
    Status error() const;

    CUDAQueue *queue; ///< null: it was destroyed in another thread
    const uint64_t number;
    const Event event; ///< of every recorded operation
    const std::thread::id thread = std::this_thread::get_id();
    bool isCapturing = true;
    std::vector<Event> after;
    StatusCode failureCode = StatusCode::Ok;
    std::string failure; ///< the reason why it was abandoned
  };

  /// Enqueues one operation: waits for `after`, calls `enqueue`, and returns
  /// the event of its completion. `call` is the CUDA function's name for
  /// errors.
  template <typename Enqueue>
  Result<Event> run(const char *call, std::span<const Event> after,
                    Enqueue enqueue);
  template <typename Enqueue>
  Result<Event> record(const char *call, std::span<const Event> after,
                       Enqueue enqueue);
  Status waitFor(const Event &event);
  Status addToTape(const Event &event);
  Result<CUDABuffer *> own(Buffer &buffer);
  Result<Event> copyBox(CUDABuffer &buffer, unsigned char *host, CopyBox box,
                        bool isWrite, std::span<const Event> after);
  Code copyParts(CUDABuffer &buffer, unsigned char *host, const CopyBox &box,
                 bool isWrite);
  Result<GraphHandle> endCapture();
  void dropTape();

  CUDAContext &context;
  const Properties &properties;
  const uint64_t pitchLimit;
  const StreamHandle stream;
  const uint64_t number; ///< unlike `stream`, never reused
  std::unique_ptr<Tape> tape;
};

/// Joins rows, or layers, that are contiguous in both memories, so that a box
/// needs as few copies as possible.
CopyBox simplify(CopyBox box);

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

template <typename Enqueue>
Result<Event> CUDAQueue::run(const char *call, std::span<const Event> after,
                             Enqueue enqueue) {
  if (Status status = context.checkUsable(); !status.ok())
    return status;
  CurrentContext current(context);
  if (tape) [[unlikely]]
    return record(call, after, enqueue);
  for (const Event &event : after)
    if (Status status = waitFor(event); !status.ok())
      return status;
  auto state = std::make_shared<CUDAEventState>(context, number);
  if (Status status = state->prepare(); !status.ok())
    return status;
  if (Status status = state->recordStart(stream); !status.ok())
    return status;
  if (Code code = enqueue())
    return context.fail(code, call);
  if (Status status = state->recordEnd(stream); !status.ok())
    return status;
  return Event(std::move(state));
}

template <typename Enqueue>
Result<Event> CUDAQueue::record(const char *call, std::span<const Event> after,
                                Enqueue enqueue) {
  if (!tape->failure.empty())
    return tape->error();
  for (const Event &event : after)
    if (Status status = addToTape(event); !status.ok())
      return status;
  if (Code code = enqueue()) {
    Status status = context.fail(code, call);
    tape->abandon(status);
    return status;
  }
  return tape->event;
}

} // namespace sluice::device::cuda

#endif // SLUICE_LIB_DEVICE_CUDA_CUDAQUEUE_H
