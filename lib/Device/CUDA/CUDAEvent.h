//===- CUDAEvent.h - Completion of operations on CUDA queues --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two kinds of events that CUDA queues return: for enqueued operations, and
// for operations that were recorded into a graph.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_CUDA_CUDAEVENT_H
#define SLUICE_LIB_DEVICE_CUDA_CUDAEVENT_H

#include "CUDAContext.h"
#include "sluice/Device/Device.h"

namespace sluice::device::cuda {

/// The completion of an enqueued operation.
class CUDAEventState final : public Event::State {
public:
  CUDAEventState(CUDAContext &context, uint64_t queue)
      : context(context), queue(queue) {}
  ~CUDAEventState() override;

  bool hasEnded() override;
  Status wait() override;
  Result<TimeInterval> interval() override;

  /// Takes the events from the pool.
  Status prepare();
  /// Before and after the operation.
  Status recordStart(StreamHandle stream);
  Status recordEnd(StreamHandle stream);
  /// Whether hasEnded has returned true before; does not call the driver.
  bool isKnownToHaveEnded() const {
    return isEnded.load(std::memory_order_acquire);
  }

  CUDAContext &context;
  const uint64_t queue; ///< number of the queue
  EventHandle end = nullptr;

private:
  EventHandle start = nullptr; ///< only with timing
  std::shared_ptr<const ClockReference> reference;
  std::atomic<bool> isEnded = false;
};

/// The completion of a recorded operation. Only operations of the same
/// recording can wait for it.
class RecordedState final : public Event::State {
public:
  explicit RecordedState(uint64_t recording) : recording(recording) {}
  bool hasEnded() override { return true; }
  Status wait() override { return error(); }
  Result<TimeInterval> interval() override { return error(); }
  static Status error();

  const uint64_t recording; ///< number of the recording
};

} // namespace sluice::device::cuda

#endif // SLUICE_LIB_DEVICE_CUDA_CUDAEVENT_H
