//===- Platforms.h - The OpenCL devices of this machine -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the OpenCL devices of this machine with their properties, and the
// reasons why some of them cannot be used.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_PLATFORMS_H
#define SLUICE_LIB_DEVICE_OPENCL_PLATFORMS_H

#include "API.h"
#include "sluice/Device/Device.h"

namespace sluice::device::opencl {

/// A device with its handles, or a platform or library without usable devices
/// (without handles, and with the kind as its name).
struct FoundDevice {
  Found found;
  PlatformID platform = nullptr;
  DeviceID device = nullptr;
};

/// Numbers devices over all platforms, in the library's order.
std::vector<FoundDevice> findAll();

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_PLATFORMS_H
