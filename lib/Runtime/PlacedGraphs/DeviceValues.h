//===- DeviceValues.h - An instance's values on devices -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that nodes pass to each other are in the frame of their instance, or
// in the arrays of one-to-one edges. A device that runs nodes of the instance
// has its own frame and arrays. A value is sent to the places that read it, and
// is fetched if the host needs it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_DEVICEVALUES_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_DEVICEVALUES_H

#include "../Devices/OpenDevice.h"
#include "../Execution/Instance.h"
#include "DevicePlan.h"

#include <memory>
#include <mutex>
#include <vector>

namespace sluice {

/// Values are numbered as in DevicePlan::values. Functions that take a device
/// enqueue operations on its compute queue; the caller holds its lock.
class DeviceValues {
public:
  DeviceValues(GraphInstance &instance, const DevicePlan &plan);
  ~DeviceValues();

  /// Called after a run: invalidates all values and waits for transfers in
  /// progress.
  void reset();

  /// The frame's copy on a device, made by the first call.
  Result<device::Buffer *> frame(OpenDevice &device);
  /// The array's copy on a device, made by the first call; the host has its own
  /// array.
  Result<device::Buffer *> array(OpenDevice &device, uint32_t value);
  /// Sends a value from the host unless the device has it. Appends the event
  /// for which its users must wait.
  Status send(OpenDevice &device, uint32_t value,
              std::vector<device::Event> &after);
  /// Begins to fetch a value from its place; call `fetched` when the event has
  /// completed. If the device refuses, tries again when the device is idle,
  /// because the kernel that made the value may not run twice.
  Result<device::Event> fetch(OpenDevice &device, uint32_t value);
  void fetched(uint32_t value);

  /// Records that a node has made the value at a place.
  void setMade(uint32_t value, MemoryPlace place);
  /// Whether the value is on the host, ignoring fetches in progress.
  bool isOnHost(uint32_t value);
  /// A device that has it, or the host.
  MemoryPlace placeOf(uint32_t value);

private:
  struct Frame {
    std::unique_ptr<device::Buffer> buffer;
    /// Staging memory for transfers from and to the host's frame.
    unsigned char *staging = nullptr;
    OpenDevice *device = nullptr;
  };
  struct Array {
    MemoryPlace place;
    std::unique_ptr<device::Buffer> buffer;
  };
  struct Sent {
    MemoryPlace place;
    device::Event end;
  };
  struct Value {
    uint64_t places = 0; ///< bits
    std::vector<Sent> sent;
    /// The frame whose staging memory a fetch in progress writes.
    Frame *fetchedBy = nullptr;
    std::vector<Array> arrays;
  };
  Result<device::Event> tryFetch(OpenDevice &device, uint32_t value);
  Result<Frame *> frameAt(OpenDevice &device);
  uint64_t arrayBytes(const PlacedValue &value) const;
  unsigned char *hostArray(const PlacedValue &value) const;

  GraphInstance &instance;
  const DevicePlan &plan;
  std::mutex mutex;
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<Value> values;
  /// Transfers begun since the last reset.
  std::vector<device::Event> transfers;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_DEVICEVALUES_H
