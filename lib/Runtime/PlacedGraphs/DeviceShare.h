//===- DeviceShare.h - Nodes that several devices share -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the instances of one node between devices, where it is known that no
// device writes what another one uses.
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

/// The memory that a POINTER parameter of a node names.
MemoryAccess memoryOf(const NodeRun &node,
                      const SluiceDeviceParameter &parameter);
/// What of `size` bytes lies in a range that `touch` gave; since conditions are
/// left out, such a range may be larger than the memory.
SluiceDeviceRange withinMemory(SluiceDeviceRange range, uint64_t size);

/// Equal shares of a node whose extents were checked and are not empty, on as
/// many of the devices as it has slabs for. Empty if it cannot be split: what
/// its instances touch is not known, or one share would write what another
/// uses.
std::vector<DeviceShare> splitNode(const NodeRun &node,
                                   std::span<const uint32_t> pointerParameters,
                                   std::span<OpenDevice *const> devices);

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_DEVICESHARE_H
