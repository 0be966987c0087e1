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

/// The remaining state of a node, or a part of it, in a device's queue.
struct DeviceRun {
  struct Claim {
    MemoryTracker *tracker;
    MemoryAccess memory;
    uint32_t access;
    /// The position of the memory on the device.
    PlacedMemory placed;
  };
  MemoryPlace place = hostPlace;
  /// Events of the node's launches, and of the fetches of its values.
  std::vector<device::Event> ends;
  /// Memory that the kernel uses.
  std::vector<Claim> claims;
  /// Values being fetched.
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
  /// The first error; blocks until all operations have ended.
  Status result() const;
};

/// Sets the outputs of a node that the host knows without the device.
void setForwards(const NodeRun &node);

/// Records the operations of a launch's nodes.
class LaunchRecord {
public:
  virtual ~LaunchRecord() = default;
  /// Adds a launch of a kernel by a node, in queue order. Copies the values of
  /// its arguments.
  virtual void add(uint32_t node, device::DeviceKernel &kernel,
                   const device::LaunchShape &shape,
                   std::span<const device::KernelArgument> arguments) = 0;
  /// Adds the claimed memory of a node and its fetched values, after its
  /// launches.
  virtual void add(uint32_t node, const DeviceRun &run) = 0;
};

/// Issues one node, or the share of a node for one device.
class DeviceIssue {
public:
  /// `trackers` know the memory that the node may use; the first one that
  /// tracks an address counts.
  DeviceIssue(NodeRun &node, const DeviceShare &share, DeviceValues &values,
              const DevicePlan &plan, std::span<MemoryTracker *const> trackers,
              DeviceRun &run);

  /// Issues the node, whose extents are in its record and not empty, and begins
  /// to fetch the values `wantedHome`. After an error the node must run on the
  /// host, when the operations in progress have ended. Also records the
  /// operations, unless `record` is null.
  Status issue(std::span<const uint32_t> wantedHome, LaunchRecord *record);
  /// Whether an error was only caused by a null pointer in the arguments.
  bool isHarmless() const { return harmless; }

private:
  struct Parameter {
    device::KernelArgument argument;
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
  device::DeviceKernel *kernel = nullptr;
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
