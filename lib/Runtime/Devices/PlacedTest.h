//===- PlacedTest.h - A runtime with test devices -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixture of tests that run nodes on devices made of threads.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_DEVICES_PLACEDTEST_H
#define SLUICE_RUNTIME_DEVICES_PLACEDTEST_H

#include "../RuntimeTest.h"
#include "Placement.h"
#include "ThreadDevice.h"

namespace sluice::test {

/// The parameter is the number of workers.
class PlacedTest : public RuntimeTest {
protected:
  void SetUp() override {
    options.devices.find = findThreadDevices;
    options.devices.open = openThreadDevice;
    options.devices.names = {"opencl:0", "opencl:1"};
    setThreadDeviceFaults({});
    RuntimeTest::SetUp();
  }
  void TearDown() override {
    RuntimeTest::TearDown();
    setThreadDeviceFaults({});
  }
};

} // namespace sluice::test

#endif // SLUICE_RUNTIME_DEVICES_PLACEDTEST_H
