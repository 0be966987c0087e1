//===- Queue.cpp - In-order queues of an OpenCL device --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on one OpenCL command queue: transfers of ranges and boxes,
// notifications, batches.
//
//===----------------------------------------------------------------------===//

#include "Queue.h"

#include "../LaunchChecks.h"
#include "OpenCLKernels.h"
#include "PendingAtExit.h"

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::opencl;

/// The gates of all queues: a kernel may be waiting for one.
static std::atomic<unsigned> numGates = 0;

OpenCLQueue::~OpenCLQueue() {
  if (wasForked())
    return;
  endBatch();
  state->context.api.clFinish(state->handle);
  notifications->wait();
}

static Status toStatus(OpenCLContext &context, Int code, const char *call) {
  return context.check(code, call);
}

static Status toStatus(OpenCLContext &, Status status, const char *) {
  return status;
}

template <typename Call>
Result<Event> OpenCLQueue::run(const char *name, std::span<const Event> after,
                               Call call) {
  WaitList waits;
  Status status = state->context.checkUsable();
  if (status.ok())
    status = waits.set(*state, after);
  if (!status.ok())
    return status;
  EventID event = nullptr;
  status = toStatus(state->context, call(waits, event), name);
  if (!status.ok())
    return status;
  return Event(std::make_shared<OpenCLEventState>(state, event, name));
}

/// The event of an operation without work, which still completes after the
/// earlier operations.
Result<Event> OpenCLQueue::nothing(std::span<const Event> after) {
  return run("clEnqueueMarkerWithWaitList", after,
             [&](const WaitList &waits, EventID &event) {
               return state->context.api.clEnqueueMarkerWithWaitList(
                   state->handle, waits.size(), waits.data(), &event);
             });
}

Result<OpenCLBuffer *> OpenCLQueue::own(Buffer &buffer) {
  if (OpenCLBuffer *result = OpenCLBuffer::from(state->context, &buffer))
    return result;
  return foreignError(state->context.name, "a buffer");
}

Result<Event> OpenCLQueue::write(Buffer &to, uint64_t offset, const void *from,
                                 uint64_t size, std::span<const Event> after) {
  Result<OpenCLBuffer *> buffer = own(to);
  if (!buffer.ok())
    return buffer.takeStatus();
  if (Status status = checkRange("write", to, offset, size); !status.ok())
    return status;
  if (size == 0)
    return nothing(after);
  return run("clEnqueueWriteBuffer", after,
             [&](const WaitList &waits, EventID &event) {
               return state->context.api.clEnqueueWriteBuffer(
                   state->handle, (*buffer)->handle, 0, offset, size, from,
                   waits.size(), waits.data(), &event);
             });
}

Result<Event> OpenCLQueue::read(void *to, Buffer &from, uint64_t offset,
                                uint64_t size, std::span<const Event> after) {
  Result<OpenCLBuffer *> buffer = own(from);
  if (!buffer.ok())
    return buffer.takeStatus();
  if (Status status = checkRange("read", from, offset, size); !status.ok())
    return status;
  if (size == 0)
    return nothing(after);
  return run("clEnqueueReadBuffer", after,
             [&](const WaitList &waits, EventID &event) {
               return state->context.api.clEnqueueReadBuffer(
                   state->handle, (*buffer)->handle, 0, offset, size, to,
                   waits.size(), waits.data(), &event);
             });
}

Result<Event> OpenCLQueue::copy(Buffer &to, uint64_t toOffset, Buffer &from,
                                uint64_t fromOffset, uint64_t size,
                                std::span<const Event> after) {
  Result<OpenCLBuffer *> target = own(to), source = own(from);
  if (!target.ok() || !source.ok())
    return target.ok() ? source.takeStatus() : target.takeStatus();
  if (Status status = checkCopy(to, toOffset, from, fromOffset, size);
      !status.ok())
    return status;
  if (size == 0)
    return nothing(after);
  return run(
      "clEnqueueCopyBuffer", after, [&](const WaitList &waits, EventID &event) {
        return state->context.api.clEnqueueCopyBuffer(
            state->handle, (*source)->handle, (*target)->handle, fromOffset,
            toOffset, size, waits.size(), waits.data(), &event);
      });
}

Result<Event> OpenCLQueue::writeBox(Buffer &to, const void *from,
                                    const CopyBox &box,
                                    std::span<const Event> after) {
  // The cast is safe: a write to the device only reads this memory.
  return transferBox(Direction::Write, to, const_cast<void *>(from), box,
                     after);
}

Result<Event> OpenCLQueue::readBox(void *to, Buffer &from, const CopyBox &box,
                                   std::span<const Event> after) {
  return transferBox(Direction::Read, from, to, box, after);
}

/// Whether OpenCL supports these pitches: a layer must be a whole number of
/// rows.
static bool isRegular(const CopyBox &box) {
  auto fits = [&](uint64_t rowPitch, uint64_t layerPitch) {
    return layerPitch % rowPitch == 0 && layerPitch / rowPitch >= box.rows;
  };
  return box.layers == 1 || (fits(box.deviceRowPitch, box.deviceLayerPitch) &&
                             fits(box.hostRowPitch, box.hostLayerPitch));
}

Result<Event> OpenCLQueue::transferBox(Direction direction, Buffer &buffer,
                                       void *host, const CopyBox &wanted,
                                       std::span<const Event> after) {
  CopyBox box = withPitches(wanted);
  Result<OpenCLBuffer *> device = own(buffer);
  if (!device.ok())
    return device.takeStatus();
  bool isWrite = direction == Direction::Write;
  if (Status status = checkBox(isWrite ? "write" : "read", buffer, box);
      !status.ok())
    return status;
  if (isEmpty(box))
    return nothing(after);
  if (isRegular(box))
    return transferPlane(direction, **device, host, box, after);
  // Rows and layers can be exchanged, so the loop runs over the smaller number.
  if (box.layers > box.rows) {
    std::swap(box.layers, box.rows);
    std::swap(box.deviceLayerPitch, box.deviceRowPitch);
    std::swap(box.hostLayerPitch, box.hostRowPitch);
  }
  return transferPlanes(direction, **device, static_cast<unsigned char *>(host),
                        box, after);
}

/// Transfers in one call a box that OpenCL supports.
Result<Event> OpenCLQueue::transferPlane(Direction direction,
                                         OpenCLBuffer &buffer, void *host,
                                         const CopyBox &box,
                                         std::span<const Event> after) {
  const size_t origin[] = {box.deviceOffset, 0, 0};
  const size_t hostOrigin[] = {0, 0, 0};
  const size_t region[] = {box.width, box.rows, box.layers};
  size_t deviceLayer = box.layers == 1 ? 0 : box.deviceLayerPitch;
  size_t hostLayer = box.layers == 1 ? 0 : box.hostLayerPitch;
  const API &api = state->context.api;
  auto call = [&](auto *function, const WaitList &waits, EventID &event) {
    return function(state->handle, buffer.handle, 0, origin, hostOrigin, region,
                    box.deviceRowPitch, deviceLayer, box.hostRowPitch,
                    hostLayer, host, waits.size(), waits.data(), &event);
  };
  if (direction == Direction::Write)
    return run("clEnqueueWriteBufferRect", after,
               [&](auto &waits, auto &event) {
                 return call(api.clEnqueueWriteBufferRect, waits, event);
               });
  return run("clEnqueueReadBufferRect", after, [&](auto &waits, auto &event) {
    return call(api.clEnqueueReadBufferRect, waits, event);
  });
}

/// Transfers layer by layer. Each layer waits for the previous one, so that the
/// event of the last one reports any failure.
Result<Event> OpenCLQueue::transferPlanes(Direction direction,
                                          OpenCLBuffer &buffer,
                                          unsigned char *host, CopyBox box,
                                          std::span<const Event> after) {
  uint64_t layers = box.layers;
  box.layers = 1;
  Event last;
  for (uint64_t layer = 0; layer != layers; ++layer) {
    Result<Event> next = transferPlane(direction, buffer, host, box, after);
    if (!next.ok()) {
      // After an error no part of the transfer may still be using the caller's
      // memory.
      (void)last.wait().ok();
      return next;
    }
    last = *next;
    after = std::span(&last, 1);
    box.deviceOffset += box.deviceLayerPitch;
    host += box.hostLayerPitch;
  }
  return last;
}

Result<Event> OpenCLQueue::launch(DeviceKernel &kernel,
                                  const LaunchShape &shape,
                                  std::span<const KernelArgument> arguments,
                                  std::span<const Event> after) {
  OpenCLContext &context = state->context;
  OpenCLKernel *own = OpenCLKernel::from(context, kernel);
  if (!own)
    return foreignError(context.name, "a kernel");
  if (Status status = own->check(shape, arguments); !status.ok())
    return status;
  if (isEmpty(shape))
    return nothing(after);
  return run("clEnqueueNDRangeKernel", after,
             [&](const WaitList &waits, EventID &event) {
               Status status =
                   own->enqueue(state->handle, shape, arguments, waits, event);
               if (status.ok() && !isOfAccelerator && numGates == 0)
                 enqueuedKernel(*state, event);
               return status;
             });
}

void Outstanding::add() {
  std::lock_guard lock(mutex);
  ++count;
}

void Outstanding::remove() {
  std::lock_guard lock(mutex);
  if (--count == 0)
    changed.notify_all();
}

void Outstanding::wait() {
  std::unique_lock lock(mutex);
  changed.wait_for(lock, std::chrono::seconds(5),
                   [this] { return count == 0; });
}

namespace {
struct Notification {
  void (*function)(void *context, Status status);
  void *context;
  std::shared_ptr<Outstanding> outstanding;
};
} // namespace

/// The driver calls this in its own thread, in which OpenCL forbids most of its
/// functions; so none is called here.
static void notified(EventID, Int status, void *context) {
  std::unique_ptr<Notification> notification(
      static_cast<Notification *>(context));
  notification->function(notification->context,
                         status < 0 ? callError("an operation before", status)
                                    : Status());
  notification->outstanding->remove();
}

Status OpenCLQueue::notify(void (*function)(void *context, Status status),
                           void *context) {
  if (Status status = state->context.checkUsable(); !status.ok())
    return status;
  const API &api = state->context.api;
  EventID marker = nullptr;
  Status status = state->context.check(
      api.clEnqueueMarkerWithWaitList(state->handle, 0, nullptr, &marker),
      "clEnqueueMarkerWithWaitList");
  if (!status.ok())
    return status;
  state->enqueued.fetch_add(1);
  auto notification = std::make_unique<Notification>(
      Notification{function, context, notifications});
  notifications->add();
  status = state->context.check(
      api.clSetEventCallback(marker, Complete, notified, notification.get()),
      "clSetEventCallback");
  api.clReleaseEvent(marker);
  if (!status.ok()) {
    notifications->remove();
    return status;
  }
  notification.release();
  return flush();
}

/// Batches are only for CPU drivers: an accelerator works in parallel with the
/// caller and does not compete for processors.
void OpenCLQueue::beginBatch() {
  if (isOfAccelerator || gate || !state->context.checkUsable().ok())
    return;
  const API &api = state->context.api;
  Int code = Success;
  gate = api.clCreateUserEvent(state->context.handle, &code);
  if (!gate)
    return;
  ++numGates;
  // The queue runs in order, so operations after this marker wait for the gate.
  code = api.clEnqueueMarkerWithWaitList(state->handle, 1, &gate, nullptr);
  if (code != Success)
    endBatch();
}

void OpenCLQueue::endBatch() {
  if (!gate)
    return;
  state->context.api.clSetUserEventStatus(gate, Complete);
  state->context.release(state->context.api.clReleaseEvent, gate);
  gate = nullptr;
  --numGates;
}

Status OpenCLQueue::flush() {
  return state->flush(state->enqueued.load(std::memory_order_relaxed));
}

Status OpenCLQueue::finish() {
  endBatch();
  if (Status status = state->context.checkUsable(); !status.ok())
    return status;
  return state->context.check(state->context.api.clFinish(state->handle),
                              "clFinish");
}
