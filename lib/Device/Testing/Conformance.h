//===- Conformance.h - Tests that run on every device ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fixture that opens the device named by the test parameter, with the tests'
// kernels. Devices that do not exist on this machine are skipped, with the
// reason.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_TESTING_CONFORMANCE_H
#define SLUICE_LIB_DEVICE_TESTING_CONFORMANCE_H

#include "sluice/Device/Device.h"

#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <stdexcept>

/// Of TestKernels.c; made by make_images.py.
extern const SluiceDeviceModule sluiceTestKernels;

namespace sluice::device::test {

inline KernelArgument memory(Buffer &buffer) {
  KernelArgument argument;
  argument.kind = KernelArgument::Kind::Memory;
  argument.buffer = &buffer;
  return argument;
}

/// The value must live until the launch.
template <typename Value> KernelArgument value(const Value &value) {
  KernelArgument argument;
  argument.value = &value;
  argument.size = sizeof(Value);
  return argument;
}

inline KernelArgument local(uint64_t size) {
  KernelArgument argument;
  argument.kind = KernelArgument::Kind::Local;
  argument.size = size;
  return argument;
}

/// The value, which must exist.
template <typename Value> Value must(Result<Value> result) {
  EXPECT_EQ(result.status().message(), "");
  if (!result.ok())
    throw std::runtime_error(result.status().message());
  return std::move(*result);
}

inline void must(Status status) { EXPECT_EQ(status.message(), ""); }

class Conformance : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override { open({}); }
  /// Opens the device again with other options.
  void open(const OpenOptions &options);

  std::unique_ptr<Buffer> allocate(uint64_t size) {
    return must(device->allocate(size));
  }
  std::unique_ptr<Queue> createQueue() { return must(device->createQueue()); }
  DeviceKernel &kernel(const char *entry);
  /// Opens the device again and runs a kernel.
  void expectWorks(const OpenOptions &options);

  std::unique_ptr<Device> device;
  std::unique_ptr<Module> module;
};

} // namespace sluice::device::test

#endif // SLUICE_LIB_DEVICE_TESTING_CONFORMANCE_H
