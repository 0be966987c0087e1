//===- TracedDevice.cpp - Queues that report their operations to a trace --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps a device while a trace is made, so that no other code needs to know
// about traces. Memory, kernels and events are those of the device.
//
//===----------------------------------------------------------------------===//

#include "DeviceTrace.h"

using namespace sluice;
using namespace sluice::device;

namespace {
class TracedQueue final : public Queue {
public:
  using Kind = QueueTrace::Kind;
  TracedQueue(std::unique_ptr<Queue> inner, DeviceTrace &device)
      : inner(std::move(inner)), device(device), trace(device.addQueue()) {}

  Result<Event> write(Buffer &to, uint64_t offset, const void *from,
                      uint64_t size, std::span<const Event> after) override {
    return note(Kind::Upload, size,
                inner->write(to, offset, from, size, after));
  }
  Result<Event> read(void *to, Buffer &from, uint64_t offset, uint64_t size,
                     std::span<const Event> after) override {
    return note(Kind::Download, size,
                inner->read(to, from, offset, size, after));
  }
  Result<Event> copy(Buffer &to, uint64_t toOffset, Buffer &from,
                     uint64_t fromOffset, uint64_t size,
                     std::span<const Event> after) override {
    return note(Kind::Copy, size,
                inner->copy(to, toOffset, from, fromOffset, size, after));
  }
  Result<Event> writeBox(Buffer &to, const void *from, const CopyBox &box,
                         std::span<const Event> after) override {
    return note(Kind::Upload, box.width * box.rows * box.layers,
                inner->writeBox(to, from, box, after));
  }
  Result<Event> readBox(void *to, Buffer &from, const CopyBox &box,
                        std::span<const Event> after) override {
    return note(Kind::Download, box.width * box.rows * box.layers,
                inner->readBox(to, from, box, after));
  }
  Result<Event> launch(DeviceKernel &kernel, const LaunchShape &shape,
                       std::span<const KernelArgument> arguments,
                       std::span<const Event> after) override {
    const char *node = TraceLabel::get();
    return note(Kind::Kernel, 0, inner->launch(kernel, shape, arguments, after),
                node ? node : device.nodeOf(&kernel));
  }
  Status notify(void (*function)(void *, Status), void *context) override {
    return inner->notify(function, context);
  }
  Status flush() override { return inner->flush(); }
  Status finish() override { return inner->finish(); }

  void beginBatch() override { inner->beginBatch(); }
  void endBatch() override { inner->endBatch(); }
  Result<bool> beginRecording() override {
    Result<bool> begun = inner->beginRecording();
    isRecording = begun.ok() && *begun;
    return begun;
  }
  Result<std::unique_ptr<Recording>> endRecording() override {
    isRecording = false;
    return inner->endRecording();
  }
  Result<Event> replay(Recording &recording,
                       std::span<const Event> after) override {
    return note(Kind::Replay, 0, inner->replay(recording, after));
  }

private:
  Result<Event> note(Kind kind, uint64_t bytes, Result<Event> event,
                     const char *name = TraceLabel::get()) {
    if (event.ok() && !isRecording)
      trace.add(kind, name, bytes, *event);
    return event;
  }

  std::unique_ptr<Queue> inner;
  DeviceTrace &device;
  QueueTrace &trace;
  bool isRecording = false;
};

class TracedDevice final : public Device {
public:
  TracedDevice(std::unique_ptr<Device> device, DeviceTrace &trace)
      : inner(std::move(device)), trace(trace) {
    theProperties = inner->properties();
  }
  Result<std::unique_ptr<Buffer>> allocate(uint64_t size) override {
    return inner->allocate(size);
  }
  Result<void *> allocateHost(uint64_t size) override {
    return inner->allocateHost(size);
  }
  void freeHost(void *memory) override { inner->freeHost(memory); }
  Result<std::unique_ptr<Queue>> createQueue() override {
    Result<std::unique_ptr<Queue>> queue = inner->createQueue();
    if (queue.ok())
      return std::unique_ptr<Queue>(
          std::make_unique<TracedQueue>(std::move(*queue), trace));
    return queue;
  }
  Result<std::unique_ptr<Module>>
  load(const SluiceDeviceModule &module) override {
    return inner->load(module);
  }
  bool isUsable() override { return inner->isUsable(); }

private:
  std::unique_ptr<Device> inner;
  DeviceTrace &trace;
};
} // namespace

std::unique_ptr<Device> sluice::traceDevice(std::unique_ptr<Device> device,
                                            DeviceTrace &trace) {
  return std::make_unique<TracedDevice>(std::move(device), trace);
}
