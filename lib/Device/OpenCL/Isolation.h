//===- Isolation.h - Drivers that bring their own LLVM --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_ISOLATION_H
#define SLUICE_LIB_DEVICE_OPENCL_ISOLATION_H

namespace sluice::device::opencl {

/// To be called before OpenCL's library is opened, which opens the drivers. If
/// the process has an LLVM of its own, opens them first, in a way that they see
/// their libraries and not those of the process. False: that is needed, but not
/// possible.
bool isolateDrivers();

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_ISOLATION_H
