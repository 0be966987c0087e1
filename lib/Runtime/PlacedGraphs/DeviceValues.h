//===- DeviceValues.h - An instance's values on devices -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that nodes hand each other stand in the frame of their instance, or
// in the arrays of one-to-one edges. A device that runs nodes of the instance
// has a frame and arrays of its own. A value is sent where it is read, and
// comes home if somebody there needs it.
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

  /// After a run: no value is anywhere. Waits for transfers under way.
  void reset();

  /// The frame's copy on a device, made by the first call.
  Result<device::Buffer *> frame(OpenDevice &device);
  /// The array's copy on a device, likewise; the host's has its place.
  Result<device::Buffer *> array(OpenDevice &device, uint32_t value);
  /// Sends a value that is on the host unless the device has it. Appends the
  /// event that its users have to wait for.
  Status send(OpenDevice &device, uint32_t value,
              std::vector<device::Event> &after);
  /// Begins to bring a value home from where it is; `fetched` ends it, when
  /// the event has. If the device refuses, it is asked again when it has
  /// nothing else to do: the kernel that made the value may not run twice.
  Result<device::Event> fetch(OpenDevice &device, uint32_t value);
  void fetched(uint32_t value);

  /// A node has made the value at a place.
  void setMade(uint32_t value, MemoryPlace place);
  /// On the host, as far as nobody brings it home just now.
  bool isOnHost(uint32_t value);
  /// A device that has it, or the host.
  MemoryPlace placeOf(uint32_t value);

private:
  struct Frame {
    std::unique_ptr<device::Buffer> buffer;
    /// Where transfers from and to the host's frame pass.
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
    /// Whose staging memory a fetch under way writes.
    Frame *fetchedBy = nullptr;
    std::vector<Array> arrays;
  };
  Result<device::Event> tryFetch(OpenDevice &device, uint32_t value);
  Result<Frame *> frameAt(OpenDevice &device);
  Result<device::Buffer *> bufferOf(OpenDevice &device, uint32_t value);
  uint64_t arrayBytes(const PlacedValue &value) const;
  unsigned char *hostArray(const PlacedValue &value) const;

  GraphInstance &instance;
  const DevicePlan &plan;
  std::mutex mutex;
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<Value> values;
  /// Begun since the last reset.
  std::vector<device::Event> transfers;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_DEVICEVALUES_H
