//===- TestDevice.h - A device that runs in any order it may --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices for tests of the memory tracker. Operations do not run when they are
// enqueued: whenever an event is queried or waited for, a world of devices
// picks, by a seed, one of the operations that may run next. So a missing
// dependence gives wrong bytes for some seed. Operations, allocations and whole
// devices fail on request.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_TESTING_TESTDEVICE_H
#define SLUICE_RUNTIME_MEMORY_TESTING_TESTDEVICE_H

#include "sluice/Device/Device.h"

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>

namespace sluice {

class TestQueue;

/// Whatever runs, on all devices of a test.
class TestWorld {
public:
  explicit TestWorld(uint32_t seed = 1) : random(seed) {}

  struct Operation {
    std::function<void(bool runs)> body;
    std::vector<device::Event> after;
    bool ended = false;
    Status status;
  };

  /// Runs one operation that may run; false: there is none.
  bool step();
  void runAll() {
    while (step())
      continue;
  }
  /// Nothing runs until somebody waits.
  bool isLazy = false;
  /// Operations that have run or failed.
  uint64_t numRun = 0;
  /// This many operations more succeed, then `numFailing` fail.
  uint64_t failsAfter = ~uint64_t(0), numFailing = 1;

private:
  bool isNextToFail();
  friend class TestQueue;
  friend class TestEvent;
  friend class TestDevice;
  friend class TestBuffer;
  bool stepLocked();
  void run(TestQueue &queue);

  std::recursive_mutex mutex;
  std::mt19937 random;
  std::vector<TestQueue *> queues;
};

class TestBuffer : public device::Buffer {
public:
  TestBuffer(uint64_t size, class TestDevice &device);
  ~TestBuffer() override;
  std::vector<unsigned char> bytes;
  uint64_t numUses = 0; ///< by operations under way

private:
  TestDevice &device;
};

class TestKernel : public device::DeviceKernel {
public:
  /// Gets the memory arguments' first bytes.
  std::function<void(const std::vector<unsigned char *> &)> body;
  /// Of kernels that pack ranges instead: gets the buffers and the values.
  std::function<void(const std::vector<TestBuffer *> &,
                     const std::vector<uint64_t> &)>
      packs;
};

class TestDevice : public device::Device {
public:
  TestDevice(TestWorld &world, const char *name,
             uint64_t capacity = ~uint64_t(0), bool sharesMemory = true);

  Result<std::unique_ptr<device::Buffer>> allocate(uint64_t size) override;
  Result<void *> allocateHost(uint64_t size) override;
  void freeHost(void *memory) override;
  Result<std::unique_ptr<device::Queue>> createQueue() override;
  /// Only the kernels that pack ranges, which are functions here.
  Result<std::unique_ptr<device::Module>>
  load(const SluiceDeviceModule &module) override;
  bool isUsable() override { return !lost; }

  /// Everything fails from now on.
  void lose() { lost = true; }
  uint64_t numBuffers = 0, bytesAllocated = 0, numHostBlocks = 0;
  /// Allocations that were made so far.
  uint64_t numAllocations = 0;
  /// This many allocations more succeed, then one fails.
  uint64_t allocationFailsAfter = ~uint64_t(0);
  uint64_t capacity;
  /// The kernels that pack ranges are refused when they are built, or run.
  bool loadFails = false, packingFails = false;
  bool pinningFails = false;           ///< of the host's memory
  std::atomic<uint64_t> numPacked = 0; ///< launches of them

private:
  friend class TestQueue;
  friend class TestWorld;
  friend class TestBuffer;
  TestWorld &world;
  std::atomic<bool> lost{false};
};

class TestQueue : public device::Queue {
public:
  TestQueue(TestWorld &world, TestDevice &device);
  ~TestQueue() override;

  Result<device::Event> write(device::Buffer &to, uint64_t offset,
                              const void *from, uint64_t size,
                              std::span<const device::Event> after) override;
  Result<device::Event> read(void *to, device::Buffer &from, uint64_t offset,
                             uint64_t size,
                             std::span<const device::Event> after) override;
  Result<device::Event> copy(device::Buffer &to, uint64_t toOffset,
                             device::Buffer &from, uint64_t fromOffset,
                             uint64_t size,
                             std::span<const device::Event> after) override;
  Result<device::Event> writeBox(device::Buffer &to, const void *from,
                                 const device::CopyBox &box,
                                 std::span<const device::Event> after) override;
  Result<device::Event> readBox(void *to, device::Buffer &from,
                                const device::CopyBox &box,
                                std::span<const device::Event> after) override;
  Result<device::Event>
  launch(device::DeviceKernel &kernel, const device::LaunchShape &shape,
         std::span<const device::KernelArgument> arguments,
         std::span<const device::Event> after) override;
  Status notify(void (*function)(void *context, Status status),
                void *context) override;
  Status flush() override { return {}; }
  Status finish() override;

private:
  friend class TestWorld;
  friend class TestEvent;
  Result<device::Event> add(std::function<void()> body,
                            std::vector<TestBuffer *> buffers,
                            std::span<const device::Event> after);

  TestWorld &world;
  TestDevice &device;
  std::deque<std::shared_ptr<TestWorld::Operation>> pending;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_TESTING_TESTDEVICE_H
