//===- DeviceRun.h - One node on a device ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a node that may begin to its kernel in the device's queue: memory,
// parameters, launches.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_DEVICERUN_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_DEVICERUN_H

#include "../Execution/Instance.h"
#include "../Memory/Tracker.h"
#include "DeviceShare.h"
#include "DeviceValues.h"

#include <span>
#include <vector>

namespace sluice {

/// What is left of a node, or a part of it, in a device's queue.
struct DeviceRun {
  struct Claim {
    MemoryTracker *tracker;
    MemoryAccess memory;
    uint32_t access;
    /// Where the memory is there.
    PlacedMemory placed;
  };
  MemoryPlace place = hostPlace;
  /// Of the node's launches, and of the fetches of its values.
  std::vector<device::Event> ends;
  /// Memory that the kernel uses.
  std::vector<Claim> claims;
  /// Values on their way home.
  std::vector<uint32_t> fetches;
  /// Enqueued, at least in part.
  bool isUnderWay = false;

  void clear() {
    ends.clear();
    claims.clear();
    fetches.clear();
    isUnderWay = false;
  }
  /// Blocks until the last of the operations has ended.
  void waitForLast() const {
    if (!ends.empty())
      (void)ends.back().wait();
  }
  /// The first error; blocks until all have ended.
  Status result() const;
};

/// What the host knows of a node's outputs without asking the device.
void setForwards(const NodeRun &node);

/// Records what is done for the nodes of a launch.
class LaunchRecord {
public:
  virtual ~LaunchRecord() = default;
  /// A launch of a kernel by a node, in the order of the queue. The values of
  /// its arguments are copied.
  virtual void add(uint32_t node, device::Kernel &kernel,
                   const device::LaunchShape &shape,
                   std::span<const device::Argument> arguments) = 0;
  /// The memory that a node has claimed and the values that come home from it,
  /// after its launches.
  virtual void add(uint32_t node, const DeviceRun &run) = 0;
};

/// Issues one node, or the share of it that one device runs.
class DeviceIssue {
public:
  /// `trackers` know the memory that the node may use, the first that tracks
  /// an address counts.
  DeviceIssue(NodeRun &node, const DeviceShare &share, DeviceValues &values,
              const DevicePlan &plan, std::span<MemoryTracker *const> trackers,
              DeviceRun &run);

  /// Issues the node, whose extents stand in its record and are not empty, and
  /// begins to fetch `wantedHome` of its values. After an error it has to run
  /// on the host, when what is under way has ended. What is done is also
  /// recorded, unless `record` is null.
  Status issue(std::span<const uint32_t> wantedHome, LaunchRecord *record);
  /// After an error: it is nobody's fault, a null pointer was given.
  bool isHarmless() const { return harmless; }

private:
  struct Parameter {
    device::Argument argument;
    uint64_t word = 0;
  };
  Status prepareMemory();
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
  Status enqueue(std::span<const uint32_t> wantedHome, LaunchRecord *record);
  Status launchAll(LaunchRecord *record);
  uint32_t valueAt(uint64_t frameOffset, bool isArray) const;

  NodeRun &node;
  const SluicePlanNode &table;
  const SluicePlanDeviceKernel &kernelTable;
  OpenDevice &device;
  const DeviceSlabs slabs;
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

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_DEVICERUN_H
