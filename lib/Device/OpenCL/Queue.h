//===- Queue.h - In-order queues of an OpenCL device ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One in-order command queue with its notifications, and batches that begin
// when their gate, a user event, is opened.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_QUEUE_H
#define SLUICE_LIB_DEVICE_OPENCL_QUEUE_H

#include "Event.h"
#include "OpenCLMemory.h"

#include <condition_variable>

namespace sluice::device::opencl {

/// Counts the undelivered notifications of a queue. Notifications share it,
/// since a driver may deliver one after the queue was destroyed.
class Outstanding {
public:
  void add();
  void remove();
  /// Waits for all notifications, with a time limit: a driver that has lost its
  /// device may never deliver some.
  void wait();

private:
  std::mutex mutex;
  std::condition_variable changed;
  unsigned count = 0;
};

class OpenCLQueue final : public Queue {
public:
  OpenCLQueue(std::shared_ptr<QueueState> state, bool isOfAccelerator)
      : state(std::move(state)), isOfAccelerator(isOfAccelerator) {}
  /// Waits until everything has completed and every notification is delivered.
  ~OpenCLQueue() override;

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
  Status notify(void (*function)(void *context, Status status),
                void *context) override;
  Status flush() override;
  Status finish() override;
  void beginBatch() override;
  void endBatch() override;

private:
  enum class Direction { Write, Read };
  /// Calls `call(waits, event)`, the OpenCL function `name`; `call` returns a
  /// code or a Status.
  template <typename Call>
  Result<Event> run(const char *name, std::span<const Event> after, Call call);
  Result<Event> nothing(std::span<const Event> after);
  /// Casts the buffer to one of this device.
  Result<OpenCLBuffer *> own(Buffer &buffer);
  Result<Event> transferBox(Direction direction, Buffer &buffer, void *host,
                            const CopyBox &box, std::span<const Event> after);
  Result<Event> transferPlane(Direction direction, OpenCLBuffer &buffer,
                              void *host, const CopyBox &box,
                              std::span<const Event> after);
  Result<Event> transferPlanes(Direction direction, OpenCLBuffer &buffer,
                               unsigned char *host, CopyBox box,
                               std::span<const Event> after);

  const std::shared_ptr<QueueState> state;
  const bool isOfAccelerator;
  /// User event for which the operations of a batch wait, or null.
  EventID gate = nullptr;
  const std::shared_ptr<Outstanding> notifications =
      std::make_shared<Outstanding>();
};

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_QUEUE_H
