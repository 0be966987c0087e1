//===- PlacedTest.h - A runtime with test devices -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixture of tests that run nodes on devices made of threads.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_TESTING_PLACEDTEST_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_TESTING_PLACEDTEST_H

#include "../../Devices/Testing/ThreadDevice.h"
#include "../../Host/Testing/RuntimeTest.h"
#include "../../Placement/Placement.h"

namespace sluice::test {

/// Every node on the first device.
inline void placeOnFirst(const PlanInfo &info, std::span<NodePlace> places) {
  for (NodePlace &place : places)
    place.place = 1;
}

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

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_TESTING_PLACEDTEST_H
