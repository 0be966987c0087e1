//===- Conformance.cpp - Tests that run on every device -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

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

Kernel &Conformance::kernel(const char *entry) {
  if (!module)
    module = must(device->load(sluiceTestKernels));
  return *must(module->kernel(entry));
}

/// CUDA only where there is a GPU; the fake driver has a program of its own.
static std::vector<std::string> devicesToTest() {
  if (getenv("SLUICE_CUDA_LIBRARY"))
    return {"cuda"};
  std::vector<std::string> names{"host", "opencl"};
  for (const Found &found : findDevices())
    if (found.properties.kind == Kind::CUDA && found.problem.empty()) {
      names.push_back("cuda");
      break;
    }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Devices, Conformance,
                         testing::ValuesIn(devicesToTest()),
                         [](const auto &info) { return info.param; });
