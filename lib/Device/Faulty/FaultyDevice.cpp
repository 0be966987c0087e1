//===- FaultyDevice.cpp - A device that fails deliberately ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers, kernels and modules are those of the real device; queues and events
// are wrapped. A failure is reported only when the real device no longer uses
// memory that the caller may then free.
//
//===----------------------------------------------------------------------===//

#include "Faults.h"

#include <mutex>
#include <string>

using namespace sluice;
using namespace sluice::device;

namespace {
class FaultyEvent final : public Event::State {
public:
  FaultyEvent(Event inner, std::shared_ptr<Faults> faults)
      : inner(std::move(inner)), faults(std::move(faults)) {}
  bool hasEnded() override { return inner.hasEnded(); }
  bool seemsEnded() override { return inner.seemsEnded(); }
  /// The first call decides whether the operation failed; later calls return
  /// the same result.
  Status wait() override {
    Status status = inner.wait();
    if (!status.ok())
      return status;
    std::call_once(isDecided,
                   [&] { failure = faults->next(FaultKind::Wait).message(); });
    return failure.empty() ? Status()
                           : Status::error(StatusCode::System, failure);
  }
  Result<TimeInterval> interval() override { return inner.interval(); }

  const Event inner;

private:
  const std::shared_ptr<Faults> faults;
  std::once_flag isDecided;
  std::string failure;
};

class FaultyQueue final : public Queue {
public:
  FaultyQueue(std::unique_ptr<Queue> inner, std::shared_ptr<Faults> faults)
      : inner(std::move(inner)), faults(std::move(faults)) {}

  Result<Event> write(Buffer &to, uint64_t offset, const void *from,
                      uint64_t size, std::span<const Event> after) override {
    return run(FaultKind::Write, after, [&](auto inside) {
      return inner->write(to, offset, from, size, inside);
    });
  }
  Result<Event> read(void *to, Buffer &from, uint64_t offset, uint64_t size,
                     std::span<const Event> after) override {
    return run(FaultKind::Read, after, [&](auto inside) {
      return inner->read(to, from, offset, size, inside);
    });
  }
  Result<Event> copy(Buffer &to, uint64_t toOffset, Buffer &from,
                     uint64_t fromOffset, uint64_t size,
                     std::span<const Event> after) override {
    return run(FaultKind::Copy, after, [&](auto inside) {
      return inner->copy(to, toOffset, from, fromOffset, size, inside);
    });
  }
  Result<Event> writeBox(Buffer &to, const void *from, const CopyBox &box,
                         std::span<const Event> after) override {
    return run(FaultKind::Write, after, [&](auto inside) {
      return inner->writeBox(to, from, box, inside);
    });
  }
  Result<Event> readBox(void *to, Buffer &from, const CopyBox &box,
                        std::span<const Event> after) override {
    return run(FaultKind::Read, after, [&](auto inside) {
      return inner->readBox(to, from, box, inside);
    });
  }
  Result<Event> launch(DeviceKernel &kernel, const LaunchShape &shape,
                       std::span<const KernelArgument> arguments,
                       std::span<const Event> after) override {
    return run(FaultKind::Launch, after, [&](auto inside) {
      return inner->launch(kernel, shape, arguments, inside);
    });
  }
  Result<Event> replay(Recording &recording,
                       std::span<const Event> after) override {
    return run(FaultKind::Launch, after,
               [&](auto inside) { return inner->replay(recording, inside); });
  }
  void beginBatch() override { inner->beginBatch(); }
  void endBatch() override { inner->endBatch(); }
  Result<bool> beginRecording() override { return inner->beginRecording(); }
  Result<std::unique_ptr<Recording>> endRecording() override {
    return inner->endRecording();
  }
  Status notify(void (*function)(void *context, Status status),
                void *context) override;
  Status flush() override { return inner->flush(); }
  Status finish() override {
    Status status = inner->finish();
    return status.ok() ? faults->next(FaultKind::Wait) : std::move(status);
  }

private:
  template <typename Operation>
  Result<Event> run(FaultKind kind, std::span<const Event> after,
                    Operation operation);

  const std::unique_ptr<Queue> inner;
  const std::shared_ptr<Faults> faults;
};

class FaultyDevice final : public Device {
public:
  FaultyDevice(std::unique_ptr<Device> inner, std::vector<FaultRule> rules)
      : inner(std::move(inner)),
        faults(std::make_shared<Faults>(std::move(rules))) {
    theProperties = this->inner->properties();
  }
  Result<std::unique_ptr<Buffer>> allocate(uint64_t size) override {
    if (Status status = faults->next(FaultKind::Allocate); !status.ok())
      return status;
    return inner->allocate(size);
  }
  Result<void *> allocateHost(uint64_t size) override {
    if (Status status = faults->next(FaultKind::Pin); !status.ok())
      return status;
    return inner->allocateHost(size);
  }
  void freeHost(void *memory) override { inner->freeHost(memory); }
  Result<std::unique_ptr<Queue>> createQueue() override;
  Result<std::unique_ptr<Module>>
  load(const SluiceDeviceModule &module) override {
    if (Status status = faults->next(FaultKind::Load); !status.ok())
      return status;
    return inner->load(module);
  }
  bool isUsable() override { return !faults->isLost() && inner->isUsable(); }

private:
  const std::unique_ptr<Device> inner;
  const std::shared_ptr<Faults> faults;
};

struct FaultyNotification {
  void (*function)(void *context, Status status);
  void *context;
  std::shared_ptr<Faults> faults;
};
} // namespace

template <typename Operation>
Result<Event> FaultyQueue::run(FaultKind kind, std::span<const Event> after,
                               Operation operation) {
  if (Status status = faults->next(kind); !status.ok()) {
    // Operations in flight complete before the failure is reported, including
    // those that a batch has not started yet.
    inner->endBatch();
    (void)inner->finish().ok();
    return status;
  }
  std::vector<Event> inside;
  for (const Event &event : after) {
    auto *own = dynamic_cast<FaultyEvent *>(event.get());
    inside.push_back(own ? own->inner : event);
  }
  Result<Event> event = operation(std::span<const Event>(inside));
  if (!event.ok() || !*event)
    return event;
  return Event(std::make_shared<FaultyEvent>(std::move(*event), faults));
}

static void notified(void *context, Status status) {
  std::unique_ptr<FaultyNotification> notification(
      static_cast<FaultyNotification *>(context));
  if (status.ok())
    status = notification->faults->next(FaultKind::Wait);
  notification->function(notification->context, std::move(status));
}

Status FaultyQueue::notify(void (*function)(void *context, Status status),
                           void *context) {
  auto notification = std::make_unique<FaultyNotification>(
      FaultyNotification{function, context, faults});
  Status status = inner->notify(notified, notification.get());
  if (status.ok())
    notification.release();
  return status;
}

Result<std::unique_ptr<Queue>> FaultyDevice::createQueue() {
  Result<std::unique_ptr<Queue>> queue = inner->createQueue();
  if (!queue.ok())
    return queue;
  return std::unique_ptr<Queue>(
      std::make_unique<FaultyQueue>(std::move(*queue), faults));
}

std::unique_ptr<Device> device::makeFaulty(std::unique_ptr<Device> device,
                                           std::vector<FaultRule> rules) {
  return std::make_unique<FaultyDevice>(std::move(device), std::move(rules));
}
