//===- DeviceShape.h - Groups and launches of a node on a device ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a node's extents to the launches on a device, within the device's
// limits.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_DEVICESHAPE_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_DEVICESHAPE_H

#include "sluice-c/Plan.h"
#include "sluice/Device/Device.h"

#include <vector>

namespace sluice {

/// Values of the last dimension of a node's grid level; by default all.
struct DeviceSlabs {
  uint64_t first = 0;
  uint64_t end = ~UINT64_C(0);
};

struct DeviceShape {
  device::LaunchShape launch;
  std::vector<uint64_t> localBytes; ///< of each LOCAL parameter
  uint64_t numLaunches = 1;
  /// The slabs that the launches run, at most to the last one.
  DeviceSlabs slabs;
};

/// The extent of the last dimension of a node's grid level, or 1.
uint64_t countSlabs(const SluicePlanDeviceKernel &table,
                    const int64_t *extents);

/// Computes the shape of `slabs` of a node with a device kernel. The extents
/// have been checked and are not empty. An error names the exceeded limit.
Result<DeviceShape> computeShape(const SluicePlanNode &node,
                                 const unsigned char *frame,
                                 const int64_t *extents,
                                 const DeviceSlabs &slabs,
                                 const device::Properties &limits,
                                 const device::DeviceKernel &kernel);

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_DEVICESHAPE_H
