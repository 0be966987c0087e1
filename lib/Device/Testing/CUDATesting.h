//===- CUDATesting.h - Common parts of tests of the CUDA back end ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fixture with a device of the fake driver and two kernels, for all tests of
// the CUDA back end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_TESTING_CUDATESTING_H
#define SLUICE_LIB_DEVICE_TESTING_CUDATESTING_H

#include "Conformance.h"
#include "FakeCUDA/FakeCUDA.h"

#include "sluice/Base/TableHead.h"

#include <memory>
#include <string>
#include <vector>

namespace sluice::device::test {

using sluice::device::testing::fakeCUDA;
using sluice::device::testing::FakeCUDAOptions;
using sluice::device::testing::FakeLaunch;

/// A module of one PTX image.
class PTXModuleText {
public:
  explicit PTXModuleText(std::string text, const char *target = "sm_75")
      : text(std::move(text)), image{SLUICE_DEVICE_PTX, 0, target,
                                     this->text.c_str(), this->text.size() + 1},
        module{
            tableHead<SluiceDeviceModule>, "test kernels", "0", &image, 1, 0} {}
  PTXModuleText(const PTXModuleText &) = delete;

  const std::string text;
  const SluiceDeviceImage image;
  const SluiceDeviceModule module;
};

inline const char *const ptxHeader = ".version 6.3\n.target sm_75\n"
                                     ".address_size 64\n";

/// A device of the fake driver, with host functions as kernels.
class CUDATest : public ::testing::Test {
protected:
  void open(OpenOptions options = {}) {
    device = must(openDevice("cuda:0", options));
    queue = must(device->createQueue());
  }
  /// Two kernels, "add" (u64 address, u32 count, u32 value) and "locals"
  /// (u64, u64, u32).
  void load();
  Result<Event> add(Buffer &buffer, uint32_t value,
                    std::span<const Event> after = {}, Queue *on = nullptr);
  std::vector<uint32_t> contents(Buffer &buffer);
  std::unique_ptr<Buffer> zeros(uint64_t count);

  std::unique_ptr<Device> device;
  std::unique_ptr<Queue> queue;
  std::unique_ptr<Module> module;
  DeviceKernel *addKernel = nullptr, *localsKernel = nullptr;
};

} // namespace sluice::device::test

#endif // SLUICE_LIB_DEVICE_TESTING_CUDATESTING_H
