//===- TrialBuild.h - Building in a process that may crash ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPU drivers compile kernels with an LLVM inside the process, which aborts the
// process on code that it does not support. So kernels are first compiled in a
// child process.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_TRIALBUILD_H
#define SLUICE_LIB_DEVICE_OPENCL_TRIALBUILD_H

#include <functional>
#include <string>

namespace sluice::device::opencl {

struct TrialBuild {
  /// Machine code that the child built; empty if it built none or did not
  /// finish.
  std::string binary;
  /// The signal that killed the child, with the message that the child had
  /// printed; empty if no signal did.
  std::string death;
};

/// Runs `build`, which returns the machine code, in a child of this process.
/// The result is empty if the child cannot be made, or takes too long.
TrialBuild buildInChild(const std::function<std::string()> &build);

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_TRIALBUILD_H
