//===- Conformance.cpp - Tests that run on every device -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the devices of the conformance suite and lists them as test parameters.
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "DevicesToTest.h"

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::test;

void Conformance::open(const OpenOptions &options) {
  module.reset();
  device.reset();
  Result<std::unique_ptr<Device>> opened = openDevice(GetParam(), options);
  if (!opened.ok())
    FAIL() << opened.status().message();
  device = std::move(*opened);
}

DeviceKernel &Conformance::kernel(const char *entry) {
  if (!module)
    module = must(device->load(sluiceTestKernels));
  return *must(module->kernel(entry));
}

INSTANTIATE_TEST_SUITE_P(Devices, Conformance,
                         testing::ValuesIn(devicesToTest()),
                         [](const auto &info) { return info.param; });
