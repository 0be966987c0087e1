//===- TrialBuild.h - Building where a crash does no harm -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPU drivers compile kernels by an LLVM inside the process, which aborts the
// process on code that it does not support. So kernels are compiled in a child
// process first.
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
  /// The signal that killed the child, with the message that the child printed
  /// before; empty if no signal did.
  std::string death;
};

/// Runs `build`, which returns the machine code, in a child of this process.
/// The result is empty if there can be no child, or if it takes too long.
TrialBuild buildInChild(const std::function<std::string()> &build);

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_TRIALBUILD_H
