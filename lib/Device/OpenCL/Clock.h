//===- Clock.h - A device's clock and the host's --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL gives the times of operations on a clock of the device's. The
// difference to the host's clock is measured with an empty operation whose end
// lies between two times of the host, and measured again now and then, since
// the clocks drift apart.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_CLOCK_H
#define SLUICE_LIB_DEVICE_OPENCL_CLOCK_H

#include "API.h"

#include <mutex>

namespace sluice::device::opencl {

class Context;

class Clock {
public:
  explicit Clock(Context &context) : context(context) {}
  Status open();
  void close();
  /// The host's time when the device's clock showed `deviceTime`.
  uint64_t toHost(uint64_t deviceTime);

private:
  struct Measurement {
    int64_t difference = 0; ///< host - device, nanoseconds
    uint64_t width = 0;     ///< of the window that it lies in
  };
  Result<Measurement> measure();
  void update();

  Context &context;
  std::mutex mutex;
  QueueID queue = nullptr;
  Measurement best;
  uint64_t lastUpdate = 0; ///< host time
};

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_CLOCK_H
