//===- Event.h - Completion of operations on OpenCL queues ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL guarantees that an operation begins only after its queue was flushed.
// So an event flushes its queue before it is queried or waited for.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_EVENT_H
#define SLUICE_LIB_DEVICE_OPENCL_EVENT_H

#include "OpenCLContext.h"

#include <array>

namespace sluice::device::opencl {

/// A command queue and the number of the last flushed operation. Events share
/// it, because they may outlive the Queue.
struct QueueState {
  QueueState(OpenCLContext &context, QueueID handle)
      : context(context), handle(handle) {}
  ~QueueState() { context.release(context.api.clReleaseCommandQueue, handle); }
  /// Flushes, unless the operation with this number has already been flushed.
  Status flush(uint64_t number);

  OpenCLContext &context;
  const QueueID handle;
  std::atomic<uint64_t> enqueued = 0; ///< operations
  std::atomic<uint64_t> flushed = 0;  ///< operations
};

/// The state of an operation: CL_COMPLETE is 0, failures are negative.
Int executionStatus(const API &api, EventID event);

class OpenCLEventState final : public Event::State {
public:
  /// Takes ownership of the event.
  OpenCLEventState(std::shared_ptr<QueueState> queue, EventID handle,
                   const char *call)
      : queue(std::move(queue)), handle(handle), call(call),
        number(this->queue->enqueued.fetch_add(1) + 1) {}
  ~OpenCLEventState() override {
    queue->context.release(queue->context.api.clReleaseEvent, handle);
  }

  bool hasEnded() override;
  bool seemsEnded() override;
  Status wait() override;
  Result<TimeInterval> interval() override;

private:
  friend class WaitList;
  Status failure();

  const std::shared_ptr<QueueState> queue;
  const EventID handle;
  const char *const call; ///< the call that made it
  const uint64_t number;  ///< in its queue, from 1
  /// The operation is known to have completed without error; OpenCL need not be
  /// queried again.
  std::atomic<bool> endedWell = false;
};

/// Events in the form for OpenCL's functions.
class WaitList {
public:
  /// For operations on `queue`; flushes the other queues. An event of another
  /// device is an error.
  Status set(const QueueState &queue, std::span<const Event> after);
  UInt size() const { return count; }
  const EventID *data() const {
    if (count == 0)
      return nullptr;
    return many.empty() ? few.data() : many.data();
  }

private:
  std::array<EventID, 16> few;
  std::vector<EventID> many; ///< if `few` is too small
  UInt count = 0;
};

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_EVENT_H
