//===- DeviceRun.h - One node on a device ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a node that may begin to its kernel in the device's queue: memory,
// parameters, launches.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_DEVICES_DEVICERUN_H
#define SLUICE_RUNTIME_DEVICES_DEVICERUN_H

#include "../Instance.h"
#include "../Tracker.h"
#include "DeviceShape.h"
#include "DeviceValues.h"

#include <span>
#include <vector>

namespace sluice {

/// What is left of a node in a device's queue.
struct DeviceRun {
  struct Claim {
    MemoryTracker *tracker;
    MemoryAccess memory;
    uint32_t access;
  };
  /// Of the node's launches, and of the fetches of its values.
  std::vector<device::Event> ends;
  /// Memory that the kernel uses.
  std::vector<Claim> claims;
  /// Values on their way home.
  std::vector<uint32_t> fetches;
  /// Counts what the instance issued.
  uint64_t number = 0;
  /// Enqueued, at least in part.
  bool isUnderWay = false;

  void clear() {
    ends.clear();
    claims.clear();
    fetches.clear();
    isUnderWay = false;
  }
  /// The first error of the launches, which have ended.
  Status result() const;
};

/// Issues one node.
class DeviceIssue {
public:
  /// `trackers` know the memory that the node may use, the first that tracks
  /// an address counts.
  DeviceIssue(NodeRun &node, OpenDevice &device, DeviceValues &values,
              const DevicePlan &plan, std::span<MemoryTracker *const> trackers,
              DeviceRun &run);

  /// Issues the node, whose extents stand in its record and are not empty, and
  /// begins to fetch `wantedHome` of its values. After an error it has to run
  /// on the host, when what is under way has ended.
  Status issue(std::span<const uint32_t> wantedHome);
  /// After an error: it is nobody's fault, a null pointer was given.
  bool isHarmless() const { return harmless; }

private:
  struct Parameter {
    device::Argument argument;
    uint64_t word = 0;
  };
  Status prepareMemory();
  MemoryAccess memoryOf(const SluiceDeviceParameter &parameter) const;
  Result<PlacedMemory> preparePointer(uint32_t parameter,
                                      const SluiceDeviceRange *range);
  Result<PlacedMemory> prepareBytes(MemoryTracker &tracker,
                                    const MemoryAccess &memory,
                                    uint32_t access);
  MemoryTracker *trackerOf(uintptr_t address);
  void releaseClaims();
  Status bind();
  Status bindParameter(const SluiceDeviceParameter &parameter);
  void addMemory(device::Buffer *buffer);
  void addWord(uint64_t word);
  Status enqueue(std::span<const uint32_t> wantedHome);
  Status launchAll();
  void setForwards();
  uint32_t valueAt(uint64_t frameOffset, bool isArray) const;

  NodeRun &node;
  const SluicePlanNode &table;
  const SluicePlanDeviceKernel &kernelTable;
  OpenDevice &device;
  DeviceValues &values;
  const DevicePlan &plan;
  std::span<MemoryTracker *const> trackers;
  DeviceRun &run;
  device::Kernel *kernel = nullptr;
  DeviceShape shape;
  std::vector<PlacedMemory> pointers;
  std::vector<device::Event> after;
  std::vector<Parameter> parameters;
  std::vector<size_t> launchNumbers;
  size_t nextPointer = 0;
  size_t numLaunched = 0;
  bool harmless = false;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_DEVICES_DEVICERUN_H
