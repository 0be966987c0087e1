//===- Isolation.h - Drivers that contain their own LLVM ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CPU driver contains its own LLVM, and the compiler's processes have another
// one. Both work in one process only if the drivers are opened in a certain
// way.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_ISOLATION_H
#define SLUICE_LIB_DEVICE_OPENCL_ISOLATION_H

namespace sluice::device::opencl {

/// Call it before OpenCL's library is opened, which opens the drivers. If the
/// process has its own LLVM, opens the drivers first, such that they bind to
/// their own libraries and not to those of the process. Returns false if that
/// is necessary but impossible.
bool isolateDrivers();

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_ISOLATION_H
