//===- OpenDevice.h - A device that nodes run on --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An open device: its memory, the queue of its kernels, its loaded modules, and
// whether it still works.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_DEVICES_OPENDEVICE_H
#define SLUICE_RUNTIME_DEVICES_OPENDEVICE_H

#include "../Memory/DevicePlace.h"

#include "sluice/Device/Device.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace sluice {

class DeviceTrace;

/// Functions may be called from any thread.
class OpenDevice {
public:
  OpenDevice(std::unique_ptr<device::Device> device,
             std::unique_ptr<DevicePlace> place,
             std::unique_ptr<device::Queue> compute, MemoryPlace number,
             DeviceTrace *trace);
  ~OpenDevice();
  OpenDevice(const OpenDevice &) = delete;
  OpenDevice &operator=(const OpenDevice &) = delete;

  /// Number of the place in the tracker; not 0.
  const MemoryPlace number;
  device::Device &device() { return *theDevice; }
  /// "opencl:0".
  const char *name() const { return theDevice->properties().name.c_str(); }
  /// Its memory.
  DevicePlace &place() { return *thePlace; }
  /// Null unless a trace is made.
  DeviceTrace *const trace;
  /// The queue for kernels; hold `queueMutex` while you use it.
  device::Queue &compute() { return *theCompute; }
  std::mutex queueMutex;

  /// The kernel of a node, which must have one. The first call loads the module
  /// of the plan, which may take long; an error is the same in every call.
  /// Valid as long as the device.
  Result<device::DeviceKernel *> kernel(const SluicePlan &plan,
                                        const SluicePlanNode &node);

  bool isUsable() const { return usable.load(std::memory_order_relaxed); }
  /// Marks the device as failed; reports the reason once. `node` is the node
  /// that failed, or null.
  void fail(const Status &status, const char *node);

  /// The number of enqueued kernels that have not completed; a measure of how
  /// busy the device is.
  uint32_t numInFlight() const {
    return inFlight.load(std::memory_order_relaxed);
  }
  void kernelsEnqueued(uint32_t number) {
    inFlight.fetch_add(number, std::memory_order_relaxed);
  }
  void kernelsEnded(uint32_t number) {
    inFlight.fetch_sub(number, std::memory_order_relaxed);
  }

private:
  /// The result of loading: a module, or the reason why there is none.
  struct Loaded {
    std::unique_ptr<device::Module> module;
    std::string problem;
    std::unordered_map<std::string, device::DeviceKernel *> kernels;
  };
  Loaded &load(const SluiceDeviceModule &module);

  std::unique_ptr<device::Device> theDevice;
  std::unique_ptr<DevicePlace> thePlace;
  std::unique_ptr<device::Queue> theCompute;
  std::atomic<bool> usable{true};
  std::atomic<uint32_t> inFlight{0};
  std::mutex modulesMutex;
  /// By module hash.
  std::unordered_map<std::string, Loaded> modules;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_DEVICES_OPENDEVICE_H
