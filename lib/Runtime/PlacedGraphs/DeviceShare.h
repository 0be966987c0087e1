//===- DeviceShare.h - Nodes shared by several devices --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the instances of one node between devices, if it is known that no
// device writes memory that another one uses.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_DEVICESHARE_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_DEVICESHARE_H

#include "../Devices/OpenDevice.h"
#include "../Execution/Instance.h"
#include "../Memory/Tracker.h"
#include "DeviceShape.h"

#include <span>
#include <vector>

namespace sluice {

/// The instances of a node that one device runs.
struct DeviceShare {
  OpenDevice *device = nullptr;
  DeviceSlabs slabs;
};

/// The memory of a POINTER parameter of a node.
MemoryAccess memoryOf(const NodeRun &node,
                      const SluiceDeviceParameter &parameter);
/// The part of `size` bytes that lies in a range from `touch`. Conditions are
/// ignored, so such a range may be larger than the memory.
SluiceDeviceRange withinMemory(SluiceDeviceRange range, uint64_t size);

/// Equal shares of a node with checked, non-empty extents, on as many of the
/// devices as it has slabs. Empty if it cannot be split: because the memory of
/// its instances is not known, or because one share would write memory that
/// another one uses.
std::vector<DeviceShare> splitNode(const NodeRun &node,
                                   std::span<const uint32_t> pointerParameters,
                                   std::span<OpenDevice *const> devices);

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_DEVICESHARE_H
