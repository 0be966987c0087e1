//===- DeviceSet.h - The devices of a program -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the devices that SLUICE_DEVICE names when a graph with code for
// devices is first launched: programs without such code never wait for a
// driver.
//
//
// Room: open devices, with their memory, kernels and rows in a trace, and their
// settings. Does not know nodes and instances: Placement chooses, PlacedGraphs
// runs. May include Base, Device, Scheduling, Memory and Trace.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_DEVICES_DEVICESET_H
#define SLUICE_RUNTIME_DEVICES_DEVICESET_H

#include "DeviceOptions.h"
#include "OpenDevice.h"

#include <array>
#include <atomic>
#include <mutex>
#include <span>

namespace sluice {

class MemoryTracker;
class Trace;

/// Functions may be called from any thread.
class DeviceSet {
public:
  static constexpr unsigned maxDevices = 63;

  /// Opens nothing. Opening a device uses the trace, if there is one, and the
  /// tracker.
  DeviceSet(const DeviceOptions &options, std::string cacheDirectory,
            Trace *trace, MemoryTracker &tracker);
  ~DeviceSet();
  DeviceSet(const DeviceSet &) = delete;
  DeviceSet &operator=(const DeviceSet &) = delete;

  /// The first call opens the devices in SLUICE_DEVICE. An error names a device
  /// that cannot be opened and the reason; every later call returns the same
  /// error.
  Status open();
  /// The open devices, in the order of SLUICE_DEVICE; some may have failed.
  /// Devices may be added, but are never removed. Entry i is MemoryPlace i + 1.
  std::span<OpenDevice *const> devices() const {
    return {table.data(), count.load(std::memory_order_acquire)};
  }
  /// Null for the host.
  OpenDevice *at(MemoryPlace place) const {
    return place == hostPlace ? nullptr : table[place - 1];
  }
  /// The place with this name: "host", "device", "opencl:0". Opens the device
  /// if SLUICE_DEVICE does not restrict the devices.
  Result<MemoryPlace> find(const std::string &name);
  /// SLUICE_DEVICE names devices: nodes that cannot run on them are reported.
  bool wereNamed() const { return !options.names.empty(); }
  bool isHostOnly() const { return options.hostOnly; }
  bool shares() const { return options.share; }

private:
  Status openAll();
  Result<OpenDevice *> openOne(const std::string &name);
  Result<OpenDevice *> add(std::unique_ptr<device::Device> device);
  Result<std::unique_ptr<device::Device>> openNamed(const std::string &name);
  std::string names() const;

  const DeviceOptions &options;
  const std::string cacheDirectory;
  Trace *const trace;
  MemoryTracker &tracker;
  std::mutex mutex;
  std::atomic<bool> isOpen{false};
  /// The reason why `open` failed.
  std::string problem;
  std::array<OpenDevice *, maxDevices> table{};
  std::atomic<size_t> count{0};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_DEVICES_DEVICESET_H
