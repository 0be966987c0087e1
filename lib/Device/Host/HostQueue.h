//===- HostQueue.h - Queues of the host device ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A queue is a thread that runs one task after another.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_HOST_HOSTQUEUE_H
#define SLUICE_LIB_DEVICE_HOST_HOSTQUEUE_H

#include "HostKernels.h"
#include "sluice/Device/Device.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sluice::device {

/// Memory of the host.
class HostBuffer final : public Buffer {
public:
  HostBuffer(unsigned char *memory, uint64_t size)
      : Buffer(size), memory(memory) {}
  ~HostBuffer() override;
  unsigned char *const memory;
};

class HostKernel final : public DeviceKernel {
public:
  HostKernel(const HostKernelEntry &entry, const Properties &properties);
  const HostKernelEntry entry;
};

/// The state for which an event waits; set once, by the queue's thread.
class HostEvent final : public Event::State {
public:
  explicit HostEvent(bool isTimed) : isTimed(isTimed) {}
  bool hasEnded() override;
  Status wait() override;
  Result<TimeInterval> interval() override;
  void end(std::string failure, TimeInterval when);

private:
  const bool isTimed;
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  std::string failure; ///< empty if it succeeded
  TimeInterval when;
};

class HostQueue final : public Queue {
public:
  HostQueue(const Properties &properties, bool isTimed);
  ~HostQueue() override;

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
  Status flush() override { return {}; }
  Status finish() override;

private:
  /// Runs the operation; throws an exception if it fails.
  using Work = std::function<void()>;
  struct Task {
    std::vector<Event> after;
    Work work;
    std::shared_ptr<HostEvent> event;
  };
  Result<Event> enqueue(Work work, std::span<const Event> after);
  /// The memory of a buffer of this device.
  Result<unsigned char *> own(Buffer &buffer);
  Result<Event>
  transferBox(Buffer &buffer, const CopyBox &box, const char *what,
              void (*row)(void *device, void *host, uint64_t width), void *host,
              std::span<const Event> after);
  void runTasks();
  void runTask(Task &task);

  const Properties &properties;
  const bool isTimed;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Task> tasks;
  bool isStopping = false;
  /// Error of the last failed operation since the last notification. Only the
  /// queue's thread uses it.
  std::string failure;
  std::thread thread;
};

} // namespace sluice::device

#endif // SLUICE_LIB_DEVICE_HOST_HOSTQUEUE_H
