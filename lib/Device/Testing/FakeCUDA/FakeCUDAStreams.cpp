//===- FakeCUDAStreams.cpp - Streams, events and copies of the fake -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's functions for streams, events, copies and captures.
//
//===----------------------------------------------------------------------===//

#include "FakeCUDAModel.h"

#include <algorithm>

using namespace fake;

#define EXPORT extern "C" __attribute__((visibility("default"))) Code

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

EXPORT cuStreamCreate(StreamHandle *result, unsigned flags) {
  Call call("cuStreamCreate", context);
  if (call.code)
    return call.code;
  if (flags != streamNonBlocking)
    return call.violation(cudaInvalidValue, "a stream that blocks");
  call.world.reapStreams(call.lock);
  auto stream = std::make_unique<CUstream_st>();
  stream->context = threadState.current;
  *result = stream.get();
  stream->thread = std::thread(runStream, std::ref(*stream));
  call.world.streams.push_back(std::move(stream));
  return cudaSuccess;
}

EXPORT cuStreamDestroy_v2(StreamHandle stream) {
  Call call("cuStreamDestroy", context);
  if (call.code)
    return call.code;
  if (!call.isGood(stream))
    return invalidHandle;
  if (stream->capture)
    call.world.violate("cuStreamDestroy: the stream is captured");
  // Operations in progress complete by themselves.
  stream->isAlive = false;
  return cudaSuccess;
}

/// For calls that add something to a stream.
static Code checkStream(Call &call, StreamHandle stream) {
  if (call.code)
    return call.code;
  return call.isGood(stream) ? cudaSuccess : invalidHandle;
}

EXPORT cuStreamSynchronize(StreamHandle stream) {
  Call call("cuStreamSynchronize", context | noCapture);
  if (Code code = checkStream(call, stream))
    return code;
  if (stream->capture) {
    stream->capture->isInvalid = true;
    return call.violation(captureUnsupported, "the stream is captured");
  }
  World &world = call.world;
  world.changed.wait(call.lock, [&] {
    return world.isDrained(*stream) || stream->context->lost != cudaSuccess;
  });
  return stream->context->lost;
}

EXPORT cuStreamWaitEvent(StreamHandle stream, EventHandle event,
                         unsigned flags) {
  Use use(stream->users, "cuStreamWaitEvent", "a stream");
  Call call("cuStreamWaitEvent", context);
  if (Code code = checkStream(call, stream))
    return code;
  // The event may belong to another context, but must exist.
  if (!event || !event->isAlive)
    return call.violation(invalidHandle, "an event that was destroyed");
  if (flags != 0)
    return call.violation(cudaInvalidValue, "unknown flags");
  if (event->isCaptured)
    return call.violation(capturedEvent, "the event was recorded in a capture");
  if (stream->capture) {
    stream->capture->isInvalid = true;
    return call.violation(captureIsolation,
                          "a captured stream waits for what is not captured");
  }
  if (!event->moment)
    return call.violation(cudaSuccess, "the event was never recorded");
  Operation operation;
  operation.waitsFor = event->moment;
  return submit(call, stream, std::move(operation));
}

EXPORT cuStreamAddCallback(StreamHandle stream, StreamCallback function,
                           void *argument, unsigned flags) {
  Use use(stream->users, "cuStreamAddCallback", "a stream");
  Call call("cuStreamAddCallback", context);
  if (Code code = checkStream(call, stream))
    return code;
  if (flags != 0 || !function)
    return call.violation(cudaInvalidValue, "flags must be 0");
  if (stream->capture) {
    stream->capture->isInvalid = true;
    return call.violation(captureUnsupported, "the stream is captured");
  }
  Operation operation;
  operation.callback = function;
  operation.argument = argument;
  return submit(call, stream, std::move(operation));
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

EXPORT cuEventCreate(EventHandle *result, unsigned flags) {
  Call call("cuEventCreate", context);
  if (call.code)
    return call.code;
  if (flags & ~eventDisableTiming)
    return call.violation(cudaInvalidValue, "unknown flags");
  auto event = std::make_unique<CUevent_st>();
  event->context = threadState.current;
  event->flags = flags;
  *result = event.get();
  call.world.events.push_back(std::move(event));
  return cudaSuccess;
}

EXPORT cuEventDestroy_v2(EventHandle event) {
  Call call("cuEventDestroy", context);
  if (call.code)
    return call.code;
  if (!call.isGood(event))
    return invalidHandle;
  event->isAlive = false;
  return cudaSuccess;
}

EXPORT cuEventRecord(EventHandle event, StreamHandle stream) {
  Use use(stream->users, "cuEventRecord", "a stream");
  Call call("cuEventRecord", context);
  if (Code code = checkStream(call, stream))
    return code;
  if (!call.isGood(event))
    return invalidHandle;
  event->isCaptured = stream->capture != nullptr;
  event->moment = std::make_shared<Moment>();
  Operation operation;
  operation.ends = event->moment;
  return submit(call, stream, std::move(operation));
}

static Code checkEvent(Call &call, EventHandle event) {
  if (call.code)
    return call.code;
  if (!call.isGood(event))
    return invalidHandle;
  if (event->isCaptured)
    return call.violation(capturedEvent, "the event was recorded in a capture");
  if (!event->moment)
    call.world.violate(std::string(call.name) +
                       ": the event was never recorded");
  return cudaSuccess;
}

EXPORT cuEventQuery(EventHandle event) {
  Call call("cuEventQuery", context | noCapture);
  if (Code code = checkEvent(call, event))
    return code;
  return !event->moment || event->moment->isOver ? cudaSuccess : cudaNotReady;
}

EXPORT cuEventSynchronize(EventHandle event) {
  Call call("cuEventSynchronize", context | noCapture);
  if (Code code = checkEvent(call, event))
    return code;
  std::shared_ptr<Moment> moment = event->moment;
  call.world.changed.wait(call.lock, [&] {
    return !moment || moment->isOver || event->context->lost != cudaSuccess;
  });
  return event->context->lost;
}

EXPORT cuEventElapsedTime(float *milliseconds, EventHandle start,
                          EventHandle end) {
  Call call("cuEventElapsedTime", context);
  for (EventHandle event : {start, end}) {
    if (Code code = checkEvent(call, event))
      return code;
    if (event->flags & eventDisableTiming)
      return call.violation(invalidHandle, "an event without timing");
    if (!event->moment)
      return invalidHandle;
    if (!event->moment->isOver)
      return cudaNotReady;
  }
  *milliseconds = std::chrono::duration<float, std::milli>(end->moment->time -
                                                           start->moment->time)
                      .count();
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static unsigned char *bytesAt(const std::shared_ptr<Allocation> &allocation,
                              Address address) {
  return allocation->bytes.get() + (address - allocation->address);
}

/// Pinned memory must not be freed before the copy.
static void touchPinned(Call &call, Operation &operation, const void *memory,
                        size_t size) {
  if (auto block = call.world.findPinned(memory, size, call.name))
    operation.touches.push_back(block);
}

EXPORT cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t size,
                            StreamHandle stream) {
  Use use(stream->users, "cuMemcpyHtoDAsync", "a stream");
  Call call("cuMemcpyHtoDAsync", context);
  if (Code code = checkStream(call, stream))
    return code;
  auto target = call.world.find(to, size, call.name);
  Operation operation;
  operation.touches = {target};
  touchPinned(call, operation, from, size);
  operation.work = [=] {
    std::memcpy(bytesAt(target, to), from, size);
    return cudaSuccess;
  };
  return submit(call, stream, std::move(operation));
}

EXPORT cuMemcpyDtoHAsync_v2(void *to, Address from, size_t size,
                            StreamHandle stream) {
  Use use(stream->users, "cuMemcpyDtoHAsync", "a stream");
  Call call("cuMemcpyDtoHAsync", context);
  if (Code code = checkStream(call, stream))
    return code;
  auto source = call.world.find(from, size, call.name);
  Operation operation;
  operation.touches = {source};
  touchPinned(call, operation, to, size);
  operation.work = [=] {
    std::memcpy(to, bytesAt(source, from), size);
    return cudaSuccess;
  };
  return submit(call, stream, std::move(operation));
}

EXPORT cuMemcpyDtoDAsync_v2(Address to, Address from, size_t size,
                            StreamHandle stream) {
  Use use(stream->users, "cuMemcpyDtoDAsync", "a stream");
  Call call("cuMemcpyDtoDAsync", context);
  if (Code code = checkStream(call, stream))
    return code;
  auto target = call.world.find(to, size, call.name);
  auto source = call.world.find(from, size, call.name);
  if (target == source && to < from + size && from < to + size)
    return call.violation(cudaInvalidValue, "the ranges overlap");
  Operation operation;
  operation.touches = {target, source};
  operation.work = [=] {
    std::memcpy(bytesAt(target, to), bytesAt(source, from), size);
    return cudaSuccess;
  };
  return submit(call, stream, std::move(operation));
}

namespace {
/// One side of a copy of a box.
struct Side {
  unsigned type;
  const void *host;
  Address device;
  size_t x, y, z, pitch, height;

  uint64_t row(size_t rowOfLayer, size_t layer) const {
    return ((z + layer) * height + y + rowOfLayer) * pitch + x;
  }
};
} // namespace

static const char *problemOf(const Side &side, const Copy3D &copy) {
  if (side.type != memoryTypeHost && side.type != memoryTypeDevice)
    return "an unknown type of memory";
  if (side.pitch && side.pitch < copy.widthInBytes + side.x)
    return "the pitch is less than the width";
  if (copy.height > 1 && side.pitch == 0)
    return "rows without a pitch";
  if (side.height && side.height < copy.height + side.y)
    return "the height of a layer is less than the number of rows";
  if (copy.depth > 1 && side.height == 0)
    return "layers without a height";
  if (side.pitch > 2147483647)
    return "the pitch is too large";
  return nullptr;
}

static Code copyBox(Call &call, const Copy3D &copy, StreamHandle stream) {
  Side sides[] = {
      {copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcXInBytes,
       copy.srcY, copy.srcZ, copy.srcPitch, copy.srcHeight},
      {copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstXInBytes,
       copy.dstY, copy.dstZ, copy.dstPitch, copy.dstHeight}};
  if (copy.srcLOD || copy.dstLOD || copy.reserved0 || copy.reserved1)
    return call.violation(cudaInvalidValue, "reserved fields are not null");
  if (!copy.widthInBytes || !copy.height || !copy.depth)
    return call.violation(cudaInvalidValue, "an empty box");
  Operation operation;
  unsigned char *starts[2];
  for (int i = 0; i < 2; ++i) {
    const Side &side = sides[i];
    if (const char *problem = problemOf(side, copy))
      return call.violation(cudaInvalidValue, problem);
    uint64_t first = side.row(0, 0);
    uint64_t size =
        side.row(copy.height - 1, copy.depth - 1) + copy.widthInBytes - first;
    if (side.type == memoryTypeHost) {
      starts[i] = static_cast<unsigned char *>(const_cast<void *>(side.host));
      touchPinned(call, operation, starts[i] + first, size);
      continue;
    }
    auto memory = call.world.find(side.device + first, size, call.name);
    if (!memory)
      return cudaInvalidValue;
    operation.touches.push_back(memory);
    starts[i] = bytesAt(memory, side.device);
  }
  operation.work = [copy, from = sides[0], to = sides[1], source = starts[0],
                    target = starts[1]] {
    for (size_t layer = 0; layer < copy.depth; ++layer)
      for (size_t row = 0; row < copy.height; ++row)
        std::memcpy(target + to.row(row, layer), source + from.row(row, layer),
                    copy.widthInBytes);
    return cudaSuccess;
  };
  return submit(call, stream, std::move(operation));
}

EXPORT cuMemcpy3DAsync_v2(const Copy3D *copy, StreamHandle stream) {
  Use use(stream->users, "cuMemcpy3DAsync", "a stream");
  Call call("cuMemcpy3DAsync", context);
  if (Code code = checkStream(call, stream))
    return code;
  return copyBox(call, *copy, stream);
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

EXPORT cuThreadExchangeStreamCaptureMode(int *mode) {
  Call call("cuThreadExchangeStreamCaptureMode", initialised);
  if (call.code == cudaSuccess)
    std::swap(*mode, threadState.captureMode);
  return call.code;
}

EXPORT cuStreamBeginCapture_v2(StreamHandle stream, int mode) {
  Use use(stream->users, "cuStreamBeginCapture", "a stream");
  Call call("cuStreamBeginCapture", context);
  if (Code code = checkStream(call, stream))
    return code;
  if (stream->capture)
    return call.violation(cudaInvalidValue, "the stream is captured already");
  auto graph = std::make_unique<CUgraph_st>();
  graph->context = threadState.current;
  stream->capture = std::make_unique<Capture>(
      Capture{graph.get(), std::this_thread::get_id(), mode, false});
  call.world.graphs.push_back(std::move(graph));
  return cudaSuccess;
}

EXPORT cuStreamEndCapture(StreamHandle stream, GraphHandle *graph) {
  Use use(stream->users, "cuStreamEndCapture", "a stream");
  Call call("cuStreamEndCapture", context | evenIfLost);
  *graph = nullptr;
  if (call.code && stream && stream->capture) {
    // The capture also ends if the call fails.
    stream->capture->graph->isAlive = false;
    stream->capture.reset();
  }
  if (Code code = checkStream(call, stream))
    return code;
  if (!stream->capture)
    return call.violation(captureUnmatched, "the stream is not captured");
  if (stream->capture->mode != captureRelaxed &&
      stream->capture->thread != std::this_thread::get_id())
    return call.violation(captureWrongThread, "begun by another thread");
  std::unique_ptr<Capture> capture = std::move(stream->capture);
  if (capture->isInvalid || stream->context->lost != cudaSuccess) {
    capture->graph->isAlive = false;
    return stream->context->lost ? stream->context->lost : captureInvalidated;
  }
  *graph = capture->graph;
  return cudaSuccess;
}

EXPORT cuGraphInstantiateWithFlags(GraphExecHandle *result, GraphHandle graph,
                                   unsigned long long flags) {
  Call call("cuGraphInstantiateWithFlags", context);
  if (call.code)
    return call.code;
  if (!call.isGood(graph) || flags != 0)
    return cudaInvalidValue;
  auto exec = std::make_unique<CUgraphExec_st>();
  exec->context = threadState.current;
  exec->nodes = graph->nodes;
  *result = exec.get();
  call.world.graphExecs.push_back(std::move(exec));
  return cudaSuccess;
}

EXPORT cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  Use use(stream->users, "cuGraphLaunch", "a stream");
  Use graphUse(exec->users, "cuGraphLaunch", "a graph");
  Call call("cuGraphLaunch", context);
  if (Code code = checkStream(call, stream))
    return code;
  if (!call.isGood(exec))
    return cudaInvalidValue;
  if (stream->capture) {
    stream->capture->isInvalid = true;
    return call.violation(captureUnsupported, "the stream is captured");
  }
  for (const Operation &node : exec->nodes)
    for (const auto &allocation : node.touches)
      if (allocation->isFreed)
        return call.violation(cudaInvalidValue,
                              "a node uses memory that was freed");
  Operation before, after;
  before.waitsFor = exec->lastLaunch;
  exec->lastLaunch = after.ends = std::make_shared<Moment>();
  call.world.enqueue(*stream, std::move(before));
  for (const Operation &node : exec->nodes)
    call.world.enqueue(*stream, node);
  call.world.enqueue(*stream, std::move(after));
  return cudaSuccess;
}

EXPORT cuGraphExecDestroy(GraphExecHandle exec) {
  Call call("cuGraphExecDestroy", context | evenIfLost);
  if (call.code)
    return call.code;
  if (!call.isGood(exec))
    return cudaInvalidValue;
  exec->isAlive = false;
  return cudaSuccess;
}

EXPORT cuGraphDestroy(GraphHandle graph) {
  Call call("cuGraphDestroy", context | evenIfLost);
  if (call.code)
    return call.code;
  if (!call.isGood(graph))
    return cudaInvalidValue;
  graph->isAlive = false;
  return cudaSuccess;
}
