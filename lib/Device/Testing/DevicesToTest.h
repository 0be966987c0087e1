//===- DevicesToTest.h - The devices on which tests run -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list of devices for all conformance suites.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_TESTING_DEVICESTOTEST_H
#define SLUICE_LIB_DEVICE_TESTING_DEVICESTOTEST_H

#include "sluice/Device/Device.h"

#include <cstdlib>

namespace sluice::device::test {

/// CUDA only on machines with a GPU; the fake driver has separate test
/// programs.
inline std::vector<std::string> devicesToTest() {
  if (std::getenv("SLUICE_CUDA_LIBRARY"))
    return {"cuda"};
  std::vector<std::string> names{"host", "opencl"};
  for (const Found &found : findDevices())
    if (found.properties.kind == Kind::CUDA && found.problem.empty()) {
      names.push_back("cuda");
      break;
    }
  return names;
}

} // namespace sluice::device::test

#endif // SLUICE_LIB_DEVICE_TESTING_DEVICESTOTEST_H
