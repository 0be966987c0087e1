//===- Isolation.h - Drivers that bring their own LLVM --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver for CPUs brings an LLVM of its own, and the compiler's processes
// have another one. Both work in one process only if the drivers are opened in
// a certain way.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_ISOLATION_H
#define SLUICE_LIB_DEVICE_OPENCL_ISOLATION_H

namespace sluice::device::opencl {

/// To be called before OpenCL's library is opened, which opens the drivers. If
/// the process has an LLVM of its own, opens the drivers first, such that they
/// bind to their own libraries and not to those of the process. False if that
/// is necessary but impossible.
bool isolateDrivers();

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_ISOLATION_H
