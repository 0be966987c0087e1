//===- OpenCLContext.h - The common state of an OpenCL device's objects ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the library, the context, and whether the device was lost.
// Every code from OpenCL is passed to check(), so that the first call that
// fails because of a loss records it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_OPENCLCONTEXT_H
#define SLUICE_LIB_DEVICE_OPENCL_OPENCLCONTEXT_H

#include "API.h"
#include "sluice/Device/Device.h"

#include <atomic>
#include <mutex>

namespace sluice::device::opencl {

class OpenCLContext;

/// OpenCL returns the times of operations on a clock of the device. Its
/// difference to the host's clock is measured with an empty operation that
/// completes between two readings of the host's clock. The measurement is
/// repeated periodically, since the clocks drift apart.
class Clock {
public:
  explicit Clock(OpenCLContext &context) : context(context) {}
  Status open();
  void close();
  /// The host's time at device time `deviceTime`.
  uint64_t toHost(uint64_t deviceTime);

private:
  struct Measurement {
    int64_t difference = 0; ///< host - device, nanoseconds
    uint64_t width = 0;     ///< of the window that contains it
  };
  Result<Measurement> measure();
  void update();

  OpenCLContext &context;
  std::mutex mutex;
  QueueID queue = nullptr;
  Measurement best;
  uint64_t lastUpdate = 0; ///< host time
};

class OpenCLContext {
public:
  OpenCLContext(const API &api, PlatformID platform, DeviceID device)
      : api(api), platform(platform), device(device), clock(*this) {}
  OpenCLContext(const OpenCLContext &) = delete;
  ~OpenCLContext();
  Status open(bool withTiming);

  Result<QueueID> createQueue();

  /// Calls one of the functions that release a handle.
  template <typename Handle>
  void release(Int (*function)(Handle), Handle handle) {
    if (handle && !wasForked())
      function(handle);
  }

  /// Success, or an error that names `call`; records the loss of the device.
  Status check(Int code, const char *call);
  /// An error once the device was lost.
  Status checkUsable() const;
  bool isLost() const { return lost.load(std::memory_order_relaxed); }

  const API &api;
  const PlatformID platform;
  const DeviceID device;
  ContextID handle = nullptr;
  std::string name; ///< "opencl:0"
  bool withTiming = false;
  Clock clock;

private:
  std::atomic<bool> lost = false;
};

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_OPENCLCONTEXT_H
