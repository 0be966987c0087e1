//===- Drivers.h - The OpenCL drivers of this machine ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gets information on drivers without opening them: opening takes a tenth of a
// second or more.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_DRIVERS_H
#define SLUICE_LIB_DEVICE_OPENCL_DRIVERS_H

#include <string>
#include <vector>

namespace sluice::device::opencl {

/// The libraries that the usual OpenCL loaders will open, as listed in files
/// "name.icd".
std::vector<std::string> findDrivers();

/// False only if all drivers are PoCL's and the machine has no device file of
/// an accelerator: then the only OpenCL devices are the host's own cores.
bool mayHaveAccelerators(const std::string &deviceFiles = "/dev");

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_DRIVERS_H
