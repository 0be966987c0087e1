//===- FakeCUDAWorld.cpp - The fake CUDA driver's objects and threads -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the fake driver, the threads that run its streams, and the
// functions with which tests control it.
//
//===----------------------------------------------------------------------===//

#include "FakeCUDAModel.h"

#include <algorithm>
#include <utility>

using namespace fake;

thread_local ThreadState fake::threadState;

World &World::get() {
  // Never destroyed: the driver's threads live as long as the process.
  static World &world = *new World;
  return world;
}

//===----------------------------------------------------------------------===//
// Requests of tests
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("default"))) FakeCUDA *sluiceFakeCUDA() {
  return &World::get();
}

void World::stopStreams(std::unique_lock<std::mutex> &lock) {
  isHeld = false;
  for (auto &stream : streams)
    stream->isStopping = true;
  changed.notify_all();
  std::vector<std::unique_ptr<CUstream_st>> stopping = std::move(streams);
  streams.clear();
  lock.unlock();
  for (auto &stream : stopping)
    stream->thread.join();
  lock.lock();
}

void World::reset(const FakeCUDAOptions &newOptions) {
  std::unique_lock lock(mutex);
  stopStreams(lock);
  options = newOptions;
  isInitialised = false;
  memoryInUse = 0;
  for (int device = 0; device < int(contexts.size()); ++device)
    contexts[device].lost = cudaSuccess;
  allocations.clear();
  pinned.clear();
  events.clear();
  modules.clear();
  graphs.clear();
  graphExecs.clear();
  kernels.clear();
  faults.clear();
  calls.clear();
  violations.clear();
  // As if the program had called cuInit: Sluice does so once per process.
  isInitialised = true;
  for (int device = 0; device < int(contexts.size()); ++device)
    contexts[device].device = device;
}

void World::setKernel(const std::string &entry, FakeKernel kernel) {
  std::lock_guard lock(mutex);
  kernels[entry] = std::move(kernel);
}

void World::failCall(const std::string &function, int code, unsigned skip) {
  std::lock_guard lock(mutex);
  faults.push_back({function, code, skip});
}

uint64_t World::countCalls(const std::string &function) {
  std::lock_guard lock(mutex);
  return calls[function];
}

std::vector<std::string> World::takeViolations() {
  std::lock_guard lock(mutex);
  return std::exchange(violations, {});
}

std::vector<std::string> World::liveObjects() {
  std::lock_guard lock(mutex);
  std::vector<std::string> live;
  auto add = [&](const auto &objects) {
    for (const auto &object : objects)
      if (object->isAlive)
        live.push_back(object->kind);
  };
  add(streams), add(events), add(modules), add(graphs), add(graphExecs);
  for (const auto *list : {&allocations, &pinned})
    for (const auto &allocation : *list)
      live.push_back("memory of " + std::to_string(allocation->size) +
                     " bytes");
  return live;
}

void World::lose(int device, int code) {
  std::lock_guard lock(mutex);
  loseContext(contexts[device], code);
}

void World::hold(bool held) {
  std::lock_guard lock(mutex);
  isHeld = held;
  changed.notify_all();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static std::string rangeText(uint64_t address, uint64_t size) {
  char text[64];
  snprintf(text, sizeof text, "%llu bytes at %#llx", (unsigned long long)size,
           (unsigned long long)address);
  return text;
}

std::shared_ptr<Allocation> World::find(uint64_t address, uint64_t size,
                                        const char *call) {
  for (const auto &allocation : allocations) {
    uint64_t offset = address - allocation->address;
    if (address >= allocation->address && offset <= allocation->size &&
        size <= allocation->size - offset)
      return allocation;
  }
  violate(std::string(call) + ": " + rangeText(address, size) +
          " are in no allocation, or were freed");
  return nullptr;
}

std::shared_ptr<Allocation> World::findPinned(const void *memory, uint64_t size,
                                              const char *call) {
  uint64_t address = uint64_t(uintptr_t(memory));
  for (const auto &block : pinned) {
    if (address + size <= block->address ||
        address >= block->address + block->size)
      continue;
    if (address >= block->address &&
        address + size <= block->address + block->size)
      return block;
    violate(std::string(call) + ": " + rangeText(address, size) +
            " of the host are only in part in pinned memory");
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

void World::enqueue(CUstream_st &stream, Operation operation) {
  for (const auto &allocation : operation.touches)
    ++allocation->uses;
  stream.operations.push_back(std::move(operation));
  changed.notify_all();
}

void World::reapStreams(std::unique_lock<std::mutex> &lock) {
  constexpr size_t maxDestroyed = 64;
  std::vector<std::unique_ptr<CUstream_st>> reaped;
  size_t numDestroyed = size_t(
      std::count_if(streams.begin(), streams.end(),
                    [](const auto &stream) { return !stream->isAlive; }));
  for (auto &stream : streams) {
    if (numDestroyed <= maxDestroyed)
      break;
    if (stream->isAlive || !isDrained(*stream))
      continue;
    stream->isStopping = true;
    reaped.push_back(std::move(stream));
    --numDestroyed;
  }
  if (reaped.empty())
    return;
  std::erase(streams, nullptr);
  changed.notify_all();
  lock.unlock();
  for (auto &stream : reaped)
    stream->thread.join();
  lock.lock();
}

void World::loseContext(CUctx_st &lost, Code code) {
  if (lost.lost == cudaSuccess)
    lost.lost = code;
  changed.notify_all();
}

/// Runs one operation; on a lost device operations complete without running.
static void runOperation(World &world, CUstream_st &stream,
                         Operation &operation,
                         std::unique_lock<std::mutex> &lock) {
  CUctx_st &context = *stream.context;
  world.changed.wait(lock, [&] {
    return context.lost != cudaSuccess || !operation.waitsFor ||
           operation.waitsFor->isOver;
  });
  Code code = context.lost;
  unsigned delay = world.options.delayMicroseconds;
  lock.unlock();
  if (code == cudaSuccess && delay)
    std::this_thread::sleep_for(std::chrono::microseconds(delay));
  if (code == cudaSuccess && operation.work)
    code = operation.work();
  if (operation.callback) {
    threadState.isInCallback = true;
    operation.callback(&stream, code, operation.argument);
    threadState.isInCallback = false;
  }
  operation.work = nullptr;
  lock.lock();
  if (code != cudaSuccess)
    world.loseContext(context, code);
}

static void endOperation(Operation &operation) {
  for (const auto &allocation : operation.touches)
    --allocation->uses;
  if (!operation.ends)
    return;
  operation.ends->isOver = true;
  operation.ends->time = std::chrono::steady_clock::now();
}

void fake::runStream(CUstream_st &stream) {
  World &world = World::get();
  std::unique_lock lock(world.mutex);
  while (true) {
    world.changed.wait(lock, [&] {
      return !world.isHeld && (!stream.operations.empty() || stream.isStopping);
    });
    if (stream.operations.empty())
      return;
    Operation operation = std::move(stream.operations.front());
    stream.operations.pop_front();
    stream.isBusy = true;
    runOperation(world, stream, operation, lock);
    endOperation(operation);
    stream.isBusy = false;
    world.changed.notify_all();
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool World::spoilCaptures() {
  bool isSpoilt = false;
  for (auto &stream : streams)
    if (stream->capture && stream->capture->mode != captureRelaxed &&
        stream->capture->thread == std::this_thread::get_id()) {
      stream->capture->isInvalid = true;
      isSpoilt = true;
    }
  return isSpoilt;
}

Call::Call(const char *name, unsigned needs)
    : name(name), world(World::get()), lock(world.mutex) {
  code = check(needs);
}

Code Call::check(unsigned needs) {
  ++world.calls[name];
  if (threadState.isInCallback)
    return violation(notPermitted, "called by a callback");
  for (Fault &fault : world.faults)
    if (fault.function == name && fault.skip-- == 0) {
      Code code = fault.code;
      world.faults.erase(world.faults.begin() + (&fault - world.faults.data()));
      return code;
    }
  if (needs != nothing && !world.isInitialised)
    return violation(notInitialized, "called before cuInit");
  if (needs & context) {
    if (!threadState.current)
      return violation(invalidContext, "the thread has no current context");
    if (!(needs & evenIfLost) && threadState.current->lost != cudaSuccess)
      return threadState.current->lost;
  }
  if ((needs & noCapture) && threadState.captureMode != captureRelaxed &&
      world.spoilCaptures())
    return violation(captureUnsupported, "called in a thread that captures");
  return cudaSuccess;
}

bool Call::isGood(const Object *object) {
  if (!object) {
    world.violate(std::string(name) + ": null handle");
    return false;
  }
  if (!object->isAlive)
    world.violate(std::string(name) + ": uses " + object->kind +
                  " that was destroyed");
  else if (object->context != threadState.current)
    world.violate(std::string(name) + ": uses " + object->kind +
                  " of another context");
  else
    return true;
  return false;
}

Use::Use(std::atomic<int> &users, const char *call, const char *what)
    : users(users) {
  if (users++ == 0)
    return;
  World &world = World::get();
  std::lock_guard lock(world.mutex);
  world.violate(std::string(call) + ": two threads use " + what);
}

Code fake::submit(Call &call, StreamHandle stream, Operation operation) {
  World &world = call.world;
  for (const auto &allocation : operation.touches)
    if (!allocation)
      return cudaInvalidValue;
  if (!stream->capture) {
    world.enqueue(*stream, std::move(operation));
    return cudaSuccess;
  }
  if (stream->capture->isInvalid)
    return captureInvalidated;
  stream->capture->graph->nodes.push_back(std::move(operation));
  return cudaSuccess;
}
