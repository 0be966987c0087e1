//===- HostQueue.cpp - Queues of the host device --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread of a host queue takes one task after another, waits for the events
// that it names, and runs it.
//
//===----------------------------------------------------------------------===//

#include "HostQueue.h"

#include "../LaunchChecks.h"
#include "sluice/Base/Text.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

using namespace sluice;
using namespace sluice::device;

HostBuffer::~HostBuffer() { std::free(memory); }

HostKernel::HostKernel(const HostKernelEntry &entry,
                       const Properties &properties)
    : entry(entry) {
  maxGroup = properties.maxGroup;
  goodGroup = properties.maxGroup;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

bool HostEvent::hasEnded() {
  std::lock_guard lock(mutex);
  return ended;
}

Status HostEvent::wait() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return ended; });
  return failure.empty() ? Status()
                         : Status::error(StatusCode::NodeFailed, failure);
}

Result<TimeInterval> HostEvent::interval() {
  std::lock_guard lock(mutex);
  if (!isTimed)
    return Status::misuse("device host was opened without timing");
  return when;
}

void HostEvent::end(std::string problem, TimeInterval interval) {
  std::lock_guard lock(mutex);
  failure = std::move(problem);
  when = interval;
  ended = true;
  changed.notify_all();
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

HostQueue::HostQueue(const Properties &properties, bool isTimed)
    : properties(properties), isTimed(isTimed), thread([this] { runTasks(); }) {
}

HostQueue::~HostQueue() {
  {
    std::lock_guard lock(mutex);
    isStopping = true;
  }
  changed.notify_one();
  thread.join();
}

Result<Event> HostQueue::enqueue(Work work, std::span<const Event> after) {
  for (const Event &event : after)
    if (event && !dynamic_cast<HostEvent *>(event.get()))
      return foreignError(properties.name, "an event");
  auto event = std::make_shared<HostEvent>(isTimed);
  {
    std::lock_guard lock(mutex);
    tasks.push_back({{after.begin(), after.end()}, std::move(work), event});
  }
  changed.notify_one();
  return Event(std::move(event));
}

void HostQueue::runTasks() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return isStopping || !tasks.empty(); });
    if (tasks.empty())
      return;
    Task task = std::move(tasks.front());
    tasks.pop_front();
    lock.unlock();
    runTask(task);
    lock.lock();
  }
}

/// If an event of an operation failed, the operation is not run and fails, too.
void HostQueue::runTask(Task &task) {
  std::string problem;
  for (const Event &event : task.after)
    if (Status status = event.wait(); !status.ok() && problem.empty())
      problem = concat("an operation to wait for failed: ", status.message());
  TimeInterval when;
  when.start = hostNanoseconds();
  if (problem.empty()) {
    try {
      task.work();
    } catch (const std::exception &error) {
      problem = error.what();
    }
  }
  when.end = hostNanoseconds();
  if (!problem.empty() && failure.empty())
    failure = problem;
  task.event->end(std::move(problem), when);
}

Status HostQueue::notify(void (*function)(void *context, Status status),
                         void *context) {
  return enqueue(
             [this, function, context] {
               Status status;
               if (!failure.empty())
                 status = Status::error(StatusCode::NodeFailed, failure);
               failure.clear();
               function(context, std::move(status));
             },
             {})
      .takeStatus();
}

Status HostQueue::finish() {
  Result<Event> end = enqueue([] {}, {});
  return end.ok() ? end->wait() : end.takeStatus();
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

Result<unsigned char *> HostQueue::own(Buffer &buffer) {
  if (auto *result = dynamic_cast<HostBuffer *>(&buffer))
    return result->memory;
  return foreignError(properties.name, "a buffer");
}

/// memcpy that allows null pointers if there is nothing to copy.
static void copyBytes(void *to, const void *from, uint64_t size) {
  if (size != 0)
    std::memcpy(to, from, size);
}

Result<Event> HostQueue::write(Buffer &to, uint64_t offset, const void *from,
                               uint64_t size, std::span<const Event> after) {
  Result<unsigned char *> target = own(to);
  if (!target.ok())
    return target.takeStatus();
  if (Status status = checkRange("write", to, offset, size); !status.ok())
    return status;
  return enqueue([=, to = *target + offset] { copyBytes(to, from, size); },
                 after);
}

Result<Event> HostQueue::read(void *to, Buffer &from, uint64_t offset,
                              uint64_t size, std::span<const Event> after) {
  Result<unsigned char *> source = own(from);
  if (!source.ok())
    return source.takeStatus();
  if (Status status = checkRange("read", from, offset, size); !status.ok())
    return status;
  return enqueue([=, from = *source + offset] { copyBytes(to, from, size); },
                 after);
}

Result<Event> HostQueue::copy(Buffer &to, uint64_t toOffset, Buffer &from,
                              uint64_t fromOffset, uint64_t size,
                              std::span<const Event> after) {
  Result<unsigned char *> target = own(to), source = own(from);
  if (!target.ok() || !source.ok())
    return target.ok() ? source.takeStatus() : target.takeStatus();
  if (Status status = checkCopy(to, toOffset, from, fromOffset, size);
      !status.ok())
    return status;
  return enqueue([=, to = *target + toOffset,
                  from = *source + fromOffset] { copyBytes(to, from, size); },
                 after);
}

/// Calls `row` for every row of the box.
Result<Event>
HostQueue::transferBox(Buffer &buffer, const CopyBox &wanted, const char *what,
                       void (*row)(void *device, void *host, uint64_t width),
                       void *host, std::span<const Event> after) {
  Result<unsigned char *> device = own(buffer);
  if (!device.ok())
    return device.takeStatus();
  CopyBox box = withPitches(wanted);
  if (Status status = checkBox(what, buffer, box); !status.ok())
    return status;
  return enqueue(
      [=, device = *device] {
        for (uint64_t z = 0; z != box.layers; ++z)
          for (uint64_t y = 0; y != box.rows; ++y)
            row(device + box.deviceOffset + z * box.deviceLayerPitch +
                    y * box.deviceRowPitch,
                static_cast<unsigned char *>(host) + z * box.hostLayerPitch +
                    y * box.hostRowPitch,
                box.width);
      },
      after);
}

Result<Event> HostQueue::writeBox(Buffer &to, const void *from,
                                  const CopyBox &box,
                                  std::span<const Event> after) {
  auto row = [](void *device, void *host, uint64_t width) {
    copyBytes(device, host, width);
  };
  // The cast is safe: a write to the device only reads this memory.
  return transferBox(to, box, "write", row, const_cast<void *>(from), after);
}

Result<Event> HostQueue::readBox(void *to, Buffer &from, const CopyBox &box,
                                 std::span<const Event> after) {
  auto row = [](void *device, void *host, uint64_t width) {
    copyBytes(host, device, width);
  };
  return transferBox(from, box, "read", row, to, after);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// The arguments of a launch, which outlive the call.
struct HostLaunch {
  HostLaunch(const HostKernelEntry &kernel, const LaunchShape &shape)
      : function(kernel.function), shape(shape) {}
  /// Appends an argument; false for a buffer of another device.
  bool add(const KernelArgument &argument);
  void run();

  const HostFunction function;
  const LaunchShape shape;
  /// Copies of the values, and the memory of the running group.
  std::vector<std::vector<std::max_align_t>> storage;
  std::vector<void *> pointers;
};
} // namespace

bool HostLaunch::add(const KernelArgument &argument) {
  if (argument.kind == KernelArgument::Kind::Memory) {
    auto *buffer = dynamic_cast<HostBuffer *>(argument.buffer);
    pointers.push_back(buffer ? buffer->memory : nullptr);
    return buffer || !argument.buffer;
  }
  uint64_t unit = sizeof(std::max_align_t);
  storage.emplace_back(argument.size / unit + 1);
  pointers.push_back(storage.back().data());
  if (argument.kind == KernelArgument::Kind::Value)
    copyBytes(pointers.back(), argument.value, argument.size);
  return true;
}

void HostLaunch::run() {
  HostGroup group{{0, 0, 0}, shape.items};
  for (group.group[2] = 0; group.group[2] != shape.groups[2]; ++group.group[2])
    for (group.group[1] = 0; group.group[1] != shape.groups[1];
         ++group.group[1])
      for (group.group[0] = 0; group.group[0] != shape.groups[0];
           ++group.group[0])
        function(group, pointers.data());
}

Result<Event> HostQueue::launch(DeviceKernel &kernel, const LaunchShape &shape,
                                std::span<const KernelArgument> arguments,
                                std::span<const Event> after) {
  auto *own = dynamic_cast<HostKernel *>(&kernel);
  if (!own)
    return foreignError(properties.name, "a kernel");
  const HostKernelEntry &entry = own->entry;
  if (Status status = checkLaunch(
          {properties, entry.entry, kernel.maxGroup, entry.numParameters},
          shape, arguments);
      !status.ok())
    return status;
  auto launch = std::make_shared<HostLaunch>(entry, shape);
  for (const KernelArgument &argument : arguments)
    if (!launch->add(argument))
      return foreignError(properties.name, "a buffer");
  return enqueue(
      [launch] {
        if (!isEmpty(launch->shape))
          launch->run();
      },
      after);
}
