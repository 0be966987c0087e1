//===- ThreadDevice.h - A device made of threads, for tests ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every queue is a thread, memory is separate from the host's, kernels are C++
// functions. Operations can be slow, fail, or lose the device.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_DEVICES_TESTING_THREADDEVICE_H
#define SLUICE_RUNTIME_DEVICES_TESTING_THREADDEVICE_H

#include "sluice/Device/Device.h"

#include <atomic>
#include <functional>
#include <map>
#include <string>

namespace sluice::test {

/// What a kernel finds: for each parameter the address of its value, of the
/// buffer's content, or of the group's memory.
struct KernelCall {
  std::vector<unsigned char *> parameters;
  device::LaunchShape shape;

  template <typename Value> Value value(size_t parameter) const {
    Value result;
    __builtin_memcpy(&result, parameters[parameter], sizeof(result));
    return result;
  }
  /// Of a POINTER or ARRAY: two parameters.
  template <typename Value> Value *memory(size_t parameter) const {
    return reinterpret_cast<Value *>(parameters[parameter] +
                                     value<uint64_t>(parameter + 1));
  }
  uint64_t numItems(unsigned dimension) const {
    return shape.groups[dimension] * shape.items[dimension];
  }
};
using ThreadKernel = std::function<void(const KernelCall &)>;

/// Kernels by their entries, for all devices.
std::map<std::string, ThreadKernel> &threadKernels();

/// How operations of all such devices behave; they are counted from 0.
struct ThreadDeviceFaults {
  enum class Kind {
    None,
    Refused, ///< the call fails, nothing is enqueued
    Fails,   ///< the operation fails when it runs; later ones run
    Lost     ///< the operation fails and so do all later ones
  };
  Kind kind = Kind::None;
  uint64_t atOperation = 0;
  /// Each operation takes a random time up to this.
  unsigned maxMicroseconds = 0;
};
void setThreadDeviceFaults(const ThreadDeviceFaults &faults);
/// Operations since the faults were set.
uint64_t numThreadDeviceOperations();
/// Launches among them, and replays of recordings.
uint64_t numThreadDeviceLaunches();
uint64_t numThreadDeviceReplays();
/// Devices that are opened from now on make recordings, or do not.
void setThreadDeviceRecords(bool records);

/// Hooks for DeviceOptions: "opencl:0" to "opencl:3".
std::vector<device::Found> findThreadDevices();
Result<std::unique_ptr<device::Device>>
openThreadDevice(const std::string &name, const device::OpenOptions &options);

} // namespace sluice::test

#endif // SLUICE_RUNTIME_DEVICES_TESTING_THREADDEVICE_H
