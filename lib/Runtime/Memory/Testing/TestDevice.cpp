//===- TestDevice.cpp - A device that runs in any order it may ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations are kept in a list and run one by one, in any order that their
// events and queues allow: a test finds transfers that are ordered only by
// luck.
//
//===----------------------------------------------------------------------===//

#include "TestDevice.h"

#include "sluice/Base/Text.h"
#include "sluice/Device/Packing.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace sluice;

/// Misuse of a device by the code under test.
static void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "test device: %s\n", what);
  std::abort();
}

namespace sluice {
class TestEvent : public device::Event::State {
public:
  TestEvent(TestWorld &world, TestDevice *device,
            std::shared_ptr<TestWorld::Operation> operation)
      : world(world), device(device), operation(std::move(operation)) {}

  bool hasEnded() override {
    std::lock_guard lock(world.mutex);
    if (!world.isLazy && world.random() % 2)
      world.stepLocked();
    return operation->ended;
  }
  Status wait() override {
    while (true) {
      std::lock_guard lock(world.mutex);
      if (operation->ended)
        return operation->status.ok()
                   ? Status()
                   : Status::error(operation->status.code(),
                                   operation->status.message());
      require(world.stepLocked(), "an event that nothing can end");
    }
  }
  Result<device::TimeInterval> interval() override {
    return device::TimeInterval();
  }

  TestWorld &world;
  TestDevice *const device;
  const std::shared_ptr<TestWorld::Operation> operation;
};
} // namespace sluice

//===----------------------------------------------------------------------===//
// TestWorld
//===----------------------------------------------------------------------===//

bool TestWorld::step() {
  std::lock_guard lock(mutex);
  return stepLocked();
}

bool TestWorld::stepLocked() {
  std::vector<TestQueue *> ready;
  for (TestQueue *queue : queues) {
    if (queue->pending.empty())
      continue;
    auto &after = queue->pending.front()->after;
    bool mayRun = std::all_of(after.begin(), after.end(), [](auto &event) {
      return !event || static_cast<TestEvent *>(event.get())->operation->ended;
    });
    if (mayRun)
      ready.push_back(queue);
  }
  if (ready.empty())
    return false;
  run(*ready[random() % ready.size()]);
  return true;
}

bool TestWorld::isNextToFail() {
  if (failsAfter > 0) {
    --failsAfter;
    return false;
  }
  if (--numFailing == 0) {
    failsAfter = ~uint64_t(0);
    numFailing = 1;
  }
  return true;
}

void TestWorld::run(TestQueue &queue) {
  std::shared_ptr<Operation> operation = std::move(queue.pending.front());
  queue.pending.pop_front();
  ++numRun;
  bool begins = true;
  for (auto &event : operation->after)
    if (event && !static_cast<TestEvent *>(event.get())->operation->status.ok())
      begins = false;
  if (!begins)
    operation->status = Status::error(
        StatusCode::System, "an operation that was waited for has failed");
  else if (queue.device.lost)
    operation->status = Status::error(StatusCode::System, "the device is lost");
  else if (operation->status.ok() && isNextToFail())
    operation->status =
        Status::error(StatusCode::System, "the operation has failed");
  // What fails may have done a part of its work, unless it never began.
  operation->body(begins && (operation->status.ok() || random() % 2));
  operation->body = nullptr;
  operation->after.clear();
  operation->ended = true;
}

//===----------------------------------------------------------------------===//
// TestDevice
//===----------------------------------------------------------------------===//

TestBuffer::TestBuffer(uint64_t size, TestDevice &device)
    : Buffer(size), bytes(size, 0xCD), device(device) {
  device.bytesAllocated += size;
  ++device.numBuffers;
}

TestBuffer::~TestBuffer() {
  std::lock_guard lock(device.world.mutex);
  require(numUses == 0, "a buffer was freed while an operation used it");
  device.bytesAllocated -= size;
  --device.numBuffers;
}

TestDevice::TestDevice(TestWorld &world, const char *name, uint64_t capacity,
                       bool sharesMemory)
    : capacity(capacity), world(world) {
  theProperties.name = name;
  theProperties.sharesMemory = sharesMemory;
  theProperties.memory = theProperties.maxBuffer = capacity;
}

Result<std::unique_ptr<device::Buffer>> TestDevice::allocate(uint64_t size) {
  std::lock_guard lock(world.mutex);
  if (lost)
    return Status::error(StatusCode::System, "the device is lost");
  if (allocationFailsAfter-- == 0 || size > capacity - bytesAllocated)
    return Status::error(StatusCode::Exhausted, "no memory on the device");
  ++numAllocations;
  return std::unique_ptr<device::Buffer>(new TestBuffer(size, *this));
}

Result<void *> TestDevice::allocateHost(uint64_t size) {
  std::lock_guard lock(world.mutex);
  if (lost)
    return Status::error(StatusCode::System, "the device is lost");
  if (pinningFails)
    return Status::error(StatusCode::Exhausted, "no memory to be pinned");
  ++numHostBlocks;
  return std::malloc(size);
}

void TestDevice::freeHost(void *memory) {
  std::lock_guard lock(world.mutex);
  --numHostBlocks;
  std::free(memory);
}

Result<std::unique_ptr<device::Queue>> TestDevice::createQueue() {
  return std::unique_ptr<device::Queue>(new TestQueue(world, *this));
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// What the kernels of device::PackingKernels do.
static void packPieces(bool isGather, uint64_t unit,
                       const std::vector<TestBuffer *> &buffers,
                       const std::vector<uint64_t> &values) {
  TestBuffer &memory = *buffers[0], &staging = *buffers[1];
  uint64_t base = values[0], data = values[1], numPieces = values[2];
  std::vector<device::PackedPiece> list(numPieces + 1);
  uint64_t listSize = list.size() * sizeof(list[0]);
  require(listSize <= staging.size, "a list behind the end of its buffer");
  std::memcpy(list.data(), staging.bytes.data(), listSize);
  for (uint64_t i = 0; i < numPieces; ++i) {
    uint64_t size = (list[i + 1].packed - list[i].packed) * unit;
    uint64_t place = (base + list[i].offset) * unit;
    uint64_t packed = (data + list[i].packed) * unit;
    require(size && place + size <= memory.size &&
                packed + size <= staging.size,
            "a piece that is empty or behind the end of a buffer");
    require(packed >= listSize, "a piece within the list");
    unsigned char *inMemory = memory.bytes.data() + place;
    unsigned char *inStaging = staging.bytes.data() + packed;
    std::memcpy(isGather ? inStaging : inMemory,
                isGather ? inMemory : inStaging, size);
  }
}

namespace {
class PackingModule final : public device::Module {
public:
  Result<device::DeviceKernel *> kernel(const char *entry) override {
    std::string_view name = entry;
    TestKernel &kernel = kernels[entry];
    bool isGather = name.starts_with("gather");
    uint64_t unit = name.ends_with("Words") ? 4 : 1;
    kernel.goodGroup = kernel.maxGroup = 8;
    kernel.packs = [=](auto &buffers, auto &values) {
      packPieces(isGather, unit, buffers, values);
    };
    return &kernel;
  }

private:
  std::map<std::string, TestKernel> kernels;
};
} // namespace

Result<std::unique_ptr<device::Module>>
TestDevice::load(const SluiceDeviceModule &) {
  if (loadFails)
    return Status::error(StatusCode::System, "the kernels are refused");
  return std::unique_ptr<device::Module>(new PackingModule);
}

//===----------------------------------------------------------------------===//
// TestQueue
//===----------------------------------------------------------------------===//

TestQueue::TestQueue(TestWorld &world, TestDevice &device)
    : world(world), device(device) {
  std::lock_guard lock(world.mutex);
  world.queues.push_back(this);
}

TestQueue::~TestQueue() {
  std::lock_guard lock(world.mutex);
  require(pending.empty(), "a queue was freed while it had operations");
  std::erase(world.queues, this);
}

Result<device::Event> TestQueue::add(std::function<void()> body,
                                     std::vector<TestBuffer *> buffers,
                                     std::span<const device::Event> after) {
  std::lock_guard lock(world.mutex);
  if (device.lost)
    return Status::error(StatusCode::System, "the device is lost");
  auto operation = std::make_shared<TestWorld::Operation>();
  operation->after.assign(after.begin(), after.end());
  for (auto &event : after) {
    auto *state = dynamic_cast<TestEvent *>(event.get());
    require(!event || (state && state->device == &device),
            "a queue waits for an event of another device");
  }
  for (TestBuffer *buffer : buffers)
    ++buffer->numUses;
  operation->body = [body = std::move(body),
                     buffers = std::move(buffers)](bool runs) {
    if (runs)
      body();
    for (TestBuffer *buffer : buffers)
      --buffer->numUses;
  };
  pending.push_back(operation);
  return device::Event(
      std::make_shared<TestEvent>(world, &device, std::move(operation)));
}

Result<device::Event> TestQueue::write(device::Buffer &to, uint64_t offset,
                                       const void *from, uint64_t size,
                                       std::span<const device::Event> after) {
  return writeBox(to, from, {size, 1, 1, offset, size, size, size, size},
                  after);
}

Result<device::Event> TestQueue::read(void *to, device::Buffer &from,
                                      uint64_t offset, uint64_t size,
                                      std::span<const device::Event> after) {
  return readBox(to, from, {size, 1, 1, offset, size, size, size, size}, after);
}

Result<device::Event> TestQueue::copy(device::Buffer &to, uint64_t toOffset,
                                      device::Buffer &from, uint64_t fromOffset,
                                      uint64_t size,
                                      std::span<const device::Event> after) {
  auto *target = static_cast<TestBuffer *>(&to);
  auto *source = static_cast<TestBuffer *>(&from);
  require(toOffset + size <= to.size && fromOffset + size <= from.size,
          "a copy behind the end of a buffer");
  return add(
      [=] {
        std::memmove(target->bytes.data() + toOffset,
                     source->bytes.data() + fromOffset, size);
      },
      {target, source}, after);
}

/// Calls `function(deviceOffset, hostOffset)` for each run of a box.
template <typename Function>
static void visitRuns(const device::CopyBox &box, Function &&function) {
  for (uint64_t layer = 0; layer < box.layers; ++layer)
    for (uint64_t row = 0; row < box.rows; ++row)
      function(box.deviceOffset + layer * box.deviceLayerPitch +
                   row * box.deviceRowPitch,
               layer * box.hostLayerPitch + row * box.hostRowPitch);
}

static void checkBox(const TestBuffer &buffer, const device::CopyBox &box) {
  require(box.width && box.rows && box.layers, "an empty box");
  require(box.rows == 1 || box.deviceRowPitch >= box.width,
          "a box's rows overlap");
  require(box.layers == 1 ||
              box.deviceLayerPitch >= box.rows * box.deviceRowPitch,
          "a box's layers overlap");
  visitRuns(box, [&](uint64_t offset, uint64_t) {
    require(offset + box.width <= buffer.size,
            "a transfer behind the end of a buffer");
  });
}

Result<device::Event>
TestQueue::writeBox(device::Buffer &to, const void *from,
                    const device::CopyBox &box,
                    std::span<const device::Event> after) {
  auto *target = static_cast<TestBuffer *>(&to);
  auto *source = static_cast<const unsigned char *>(from);
  checkBox(*target, box);
  return add(
      [=] {
        visitRuns(box, [&](uint64_t offset, uint64_t host) {
          std::memcpy(target->bytes.data() + offset, source + host, box.width);
        });
      },
      {target}, after);
}

Result<device::Event> TestQueue::readBox(void *to, device::Buffer &from,
                                         const device::CopyBox &box,
                                         std::span<const device::Event> after) {
  auto *source = static_cast<TestBuffer *>(&from);
  auto *target = static_cast<unsigned char *>(to);
  checkBox(*source, box);
  return add(
      [=] {
        visitRuns(box, [&](uint64_t offset, uint64_t host) {
          std::memcpy(target + host, source->bytes.data() + offset, box.width);
        });
      },
      {source}, after);
}

Result<device::Event>
TestQueue::launch(device::DeviceKernel &kernel, const device::LaunchShape &,
                  std::span<const device::KernelArgument> arguments,
                  std::span<const device::Event> after) {
  std::vector<TestBuffer *> buffers;
  std::vector<uint64_t> values;
  for (const device::KernelArgument &argument : arguments)
    if (argument.buffer)
      buffers.push_back(static_cast<TestBuffer *>(argument.buffer));
    else
      std::memcpy(&values.emplace_back(), argument.value, argument.size);
  auto *function = static_cast<TestKernel *>(&kernel);
  if (function->packs) {
    if (device.packingFails)
      return Status::error(StatusCode::System, "a launch is refused");
    ++device.numPacked;
    return add(
        [packs = function->packs, buffers, values] { packs(buffers, values); },
        buffers, after);
  }
  return add(
      [body = function->body, buffers] {
        std::vector<unsigned char *> memory;
        for (TestBuffer *buffer : buffers)
          memory.push_back(buffer->bytes.data());
        body(memory);
      },
      buffers, after);
}

Status TestQueue::notify(void (*function)(void *context, Status status),
                         void *context) {
  return add([=] { function(context, Status()); }, {}, {}).takeStatus();
}

Status TestQueue::finish() {
  while (true) {
    std::lock_guard lock(world.mutex);
    if (pending.empty())
      return {};
    require(world.stepLocked(), "a queue that cannot end");
  }
}
