//===- ThreadDevice.cpp - A device made of threads, for tests -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation first waits for the events it was given, in its queue's thread.
//
//===----------------------------------------------------------------------===//

#include "ThreadDevice.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <thread>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::test;

using Faults = ThreadDeviceFaults;

std::map<std::string, ThreadKernel> &test::threadKernels() {
  static std::map<std::string, ThreadKernel> kernels;
  return kernels;
}

namespace {
struct Control {
  std::mutex mutex;
  Faults faults;
  uint64_t numOperations = 0;
  uint64_t numLaunches = 0;
  uint64_t numReplays = 0;
  bool records = false;
  std::mt19937 random{1};
};
Control control;

enum class Fate { Good, Refused, Fails, Lost };

/// What becomes of the next operation, and how long it takes.
Fate nextFate(bool isLaunch, unsigned &microseconds) {
  std::lock_guard lock(control.mutex);
  const Faults &faults = control.faults;
  microseconds = faults.maxMicroseconds
                     ? control.random() % (faults.maxMicroseconds + 1)
                     : 0;
  control.numLaunches += isLaunch;
  uint64_t number = control.numOperations++;
  if (number != faults.atOperation)
    return Fate::Good;
  switch (faults.kind) {
  case Faults::Kind::None:
    return Fate::Good;
  case Faults::Kind::Refused:
    return Fate::Refused;
  case Faults::Kind::Fails:
    return Fate::Fails;
  case Faults::Kind::Lost:
    return Fate::Lost;
  }
  return Fate::Good;
}

Status injected() {
  return Status::error(StatusCode::System, "a fault was injected");
}
Status lost() {
  return Status::error(StatusCode::System, "the device was lost");
}

class ThreadEvent final : public Event::State {
public:
  bool hasEnded() override {
    std::lock_guard lock(mutex);
    return ended;
  }
  Status wait() override {
    std::unique_lock lock(mutex);
    condition.wait(lock, [this] { return ended; });
    return message.empty() ? Status()
                           : Status::error(StatusCode::System, message);
  }
  Result<TimeInterval> interval() override { return TimeInterval(); }
  void end(const Status &status) {
    std::lock_guard lock(mutex);
    message = status.message();
    ended = true;
    condition.notify_all();
  }

private:
  std::mutex mutex;
  std::condition_variable condition;
  bool ended = false;
  std::string message;
};

class ThreadBuffer final : public Buffer {
public:
  explicit ThreadBuffer(uint64_t size)
      : Buffer(size), bytes(new unsigned char[size]) {
    std::memset(bytes.get(), 0xa5, size);
  }
  std::unique_ptr<unsigned char[]> bytes;
};

unsigned char *bytesOf(Buffer &buffer) {
  return static_cast<ThreadBuffer &>(buffer).bytes.get();
}

class ThreadKernelHandle final : public DeviceKernel {
public:
  explicit ThreadKernelHandle(const ThreadKernel &function)
      : function(function) {
    maxGroup = 1024;
    goodGroup = 8;
  }
  const ThreadKernel &function;
};

class ThreadModule final : public Module {
public:
  Result<DeviceKernel *> kernel(const char *entry) override {
    auto found = threadKernels().find(entry);
    if (found == threadKernels().end())
      return Status::error(StatusCode::System,
                           concat("there is no kernel ", quoted(entry)));
    std::unique_ptr<ThreadKernelHandle> &handle = handles[entry];
    if (!handle)
      handle = std::make_unique<ThreadKernelHandle>(found->second);
    return static_cast<DeviceKernel *>(handle.get());
  }

private:
  std::map<std::string, std::unique_ptr<ThreadKernelHandle>> handles;
};

class ThreadRecording final : public Recording {
public:
  std::vector<std::function<void()>> operations;
};

class ThreadQueue final : public Queue {
public:
  ThreadQueue(std::atomic<bool> &isLost, bool records)
      : isLost(isLost), records(records), thread([this] { work(); }) {}
  ~ThreadQueue() override {
    {
      std::lock_guard lock(mutex);
      stopping = true;
    }
    condition.notify_all();
    thread.join();
  }

  Result<Event> write(Buffer &to, uint64_t offset, const void *from,
                      uint64_t size, std::span<const Event> after) override {
    unsigned char *target = bytesOf(to) + offset;
    return add(false, after, [=] { std::memcpy(target, from, size); });
  }
  Result<Event> read(void *to, Buffer &from, uint64_t offset, uint64_t size,
                     std::span<const Event> after) override {
    unsigned char *source = bytesOf(from) + offset;
    return add(false, after, [=] { std::memcpy(to, source, size); });
  }
  Result<Event> copy(Buffer &to, uint64_t toOffset, Buffer &from,
                     uint64_t fromOffset, uint64_t size,
                     std::span<const Event> after) override {
    unsigned char *target = bytesOf(to) + toOffset;
    unsigned char *source = bytesOf(from) + fromOffset;
    return add(false, after, [=] { std::memmove(target, source, size); });
  }
  Result<Event> writeBox(Buffer &to, const void *from, const CopyBox &box,
                         std::span<const Event> after) override {
    unsigned char *target = bytesOf(to);
    auto *source = static_cast<const unsigned char *>(from);
    return add(false, after, [=] {
      for (uint64_t z = 0; z < box.layers; ++z)
        for (uint64_t y = 0; y < box.rows; ++y)
          std::memcpy(target + box.deviceOffset + z * box.deviceLayerPitch +
                          y * box.deviceRowPitch,
                      source + z * box.hostLayerPitch + y * box.hostRowPitch,
                      box.width);
    });
  }
  Result<Event> readBox(void *to, Buffer &from, const CopyBox &box,
                        std::span<const Event> after) override {
    auto *target = static_cast<unsigned char *>(to);
    unsigned char *source = bytesOf(from);
    return add(false, after, [=] {
      for (uint64_t z = 0; z < box.layers; ++z)
        for (uint64_t y = 0; y < box.rows; ++y)
          std::memcpy(target + z * box.hostLayerPitch + y * box.hostRowPitch,
                      source + box.deviceOffset + z * box.deviceLayerPitch +
                          y * box.deviceRowPitch,
                      box.width);
    });
  }
  Result<Event> launch(DeviceKernel &kernel, const LaunchShape &shape,
                       std::span<const KernelArgument> arguments,
                       std::span<const Event> after) override {
    auto &handle = static_cast<ThreadKernelHandle &>(kernel);
    // Values are copied by the call.
    std::vector<std::vector<unsigned char>> values;
    std::vector<unsigned char *> buffers;
    for (const KernelArgument &argument : arguments) {
      bool isMemory = argument.kind == KernelArgument::Kind::Memory;
      buffers.push_back(isMemory ? bytesOf(*argument.buffer) : nullptr);
      std::vector<unsigned char> &value = values.emplace_back();
      if (isMemory)
        continue;
      value.resize(argument.size);
      if (argument.kind == KernelArgument::Kind::Value)
        std::memcpy(value.data(), argument.value, argument.size);
    }
    return add(true, after,
               [shape, values = std::move(values), buffers, &handle]() mutable {
                 KernelCall call;
                 call.shape = shape;
                 for (size_t i = 0; i < values.size(); ++i)
                   call.parameters.push_back(buffers[i] ? buffers[i]
                                                        : values[i].data());
                 handle.function(call);
               });
  }
  Status notify(void (*function)(void *, Status), void *context) override {
    if (isLost)
      return lost();
    push({[=, this] {
      std::string message;
      {
        std::lock_guard lock(mutex);
        message.swap(firstError);
      }
      function(context, message.empty()
                            ? Status()
                            : Status::error(StatusCode::System, message));
    }});
    return {};
  }
  Status flush() override { return isLost ? lost() : Status(); }
  Status finish() override {
    auto event = std::make_shared<ThreadEvent>();
    push({[event] { event->end({}); }});
    (void)event->wait();
    return isLost ? lost() : Status();
  }

  Result<bool> beginRecording() override {
    if (records)
      recording = std::make_unique<ThreadRecording>();
    return records;
  }
  Result<std::unique_ptr<Recording>> endRecording() override {
    return std::unique_ptr<Recording>(std::move(recording));
  }
  Result<Event> replay(Recording &toRun,
                       std::span<const Event> after) override {
    {
      std::lock_guard lock(control.mutex);
      ++control.numReplays;
    }
    return add(
        true, after,
        [&operations = static_cast<ThreadRecording &>(toRun).operations] {
          for (const std::function<void()> &operation : operations)
            operation();
        });
  }

private:
  struct Operation {
    std::function<void()> run;
  };

  Result<Event> add(bool isLaunch, std::span<const Event> after,
                    std::function<void()> work) {
    if (recording) {
      recording->operations.push_back(std::move(work));
      return Event();
    }
    unsigned microseconds;
    Fate fate = nextFate(isLaunch, microseconds);
    if (isLost)
      return lost();
    if (fate == Fate::Refused)
      return injected();
    auto event = std::make_shared<ThreadEvent>();
    std::vector<Event> waits(after.begin(), after.end());
    push({[=, this, work = std::move(work)] {
      Status status;
      for (const Event &wait : waits)
        if (Status failed = wait.wait(); status.ok())
          status = std::move(failed);
      if (microseconds)
        std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
      if (fate == Fate::Lost)
        isLost = true;
      if (isLost)
        status = lost();
      else if (fate == Fate::Fails)
        status = injected();
      if (status.ok())
        work();
      if (!status.ok()) {
        std::lock_guard lock(mutex);
        if (firstError.empty())
          firstError = status.message();
      }
      event->end(status);
    }});
    return Event(event);
  }

  void push(Operation operation) {
    {
      std::lock_guard lock(mutex);
      operations.push_back(std::move(operation));
    }
    condition.notify_all();
  }
  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      condition.wait(lock, [this] { return stopping || !operations.empty(); });
      if (operations.empty())
        return;
      Operation operation = std::move(operations.front());
      operations.pop_front();
      lock.unlock();
      operation.run();
      operation = {};
      lock.lock();
    }
  }

  std::atomic<bool> &isLost;
  const bool records;
  std::unique_ptr<ThreadRecording> recording;
  std::mutex mutex;
  std::condition_variable condition;
  std::deque<Operation> operations;
  std::string firstError;
  bool stopping = false;
  std::thread thread;
};

class ThreadDevice final : public Device {
public:
  explicit ThreadDevice(std::string name) {
    theProperties.kind = Kind::OpenCL;
    theProperties.name = std::move(name);
    theProperties.description = "threads";
    theProperties.isAccelerator = true;
    theProperties.memory = theProperties.maxBuffer = 1u << 30;
    theProperties.localMemory = 1u << 15;
    theProperties.maxGroup = 256;
    theProperties.maxItems = {256, 256, 64};
    theProperties.maxGrid = {1u << 20, 65535, 65535};
    theProperties.computeUnits = 1;
    theProperties.hasDouble = theProperties.hasAtomic64 = true;
  }
  Result<std::unique_ptr<Buffer>> allocate(uint64_t size) override {
    if (isLost)
      return lost();
    return std::unique_ptr<Buffer>(new ThreadBuffer(size));
  }
  Result<void *> allocateHost(uint64_t size) override {
    if (isLost)
      return lost();
    return std::aligned_alloc(64, (size + 63) & ~UINT64_C(63));
  }
  void freeHost(void *memory) override { std::free(memory); }
  Result<std::unique_ptr<Queue>> createQueue() override {
    return std::unique_ptr<Queue>(new ThreadQueue(isLost, records));
  }
  Result<std::unique_ptr<Module>> load(const SluiceDeviceModule &) override {
    return std::unique_ptr<Module>(new ThreadModule());
  }
  bool isUsable() override { return !isLost; }

private:
  const bool records = [] {
    std::lock_guard lock(control.mutex);
    return control.records;
  }();
  std::atomic<bool> isLost{false};
};
} // namespace

void test::setThreadDeviceFaults(const Faults &faults) {
  std::lock_guard lock(control.mutex);
  control.faults = faults;
  control.numOperations = control.numLaunches = control.numReplays = 0;
}

uint64_t test::numThreadDeviceOperations() {
  std::lock_guard lock(control.mutex);
  return control.numOperations;
}

uint64_t test::numThreadDeviceLaunches() {
  std::lock_guard lock(control.mutex);
  return control.numLaunches;
}

uint64_t test::numThreadDeviceReplays() {
  std::lock_guard lock(control.mutex);
  return control.numReplays;
}

void test::setThreadDeviceRecords(bool records) {
  std::lock_guard lock(control.mutex);
  control.records = records;
}

std::vector<Found> test::findThreadDevices() {
  std::vector<Found> found;
  for (const char *name : {"opencl:0", "opencl:1", "opencl:2", "opencl:3"})
    found.push_back({ThreadDevice(name).properties(), ""});
  return found;
}

Result<std::unique_ptr<Device>> test::openThreadDevice(const std::string &name,
                                                       const OpenOptions &) {
  return std::unique_ptr<Device>(new ThreadDevice(name));
}
