//===- TrialBuild.h - Building where a crash does no harm -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drivers for processors compile kernels by an LLVM inside the process, and end
// the process where that gives up. So they compile in a child first.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_OPENCL_TRIALBUILD_H
#define SLUICE_LIB_DEVICE_OPENCL_TRIALBUILD_H

#include <functional>
#include <string>

namespace sluice::device::opencl {

struct TrialBuild {
  /// What the child built; empty if it built nothing, or is not known to have.
  std::string binary;
  /// How the child was ended by a signal, and what it said before; empty if it
  /// was not.
  std::string death;
};

/// Runs `build`, which returns what was built, in a child of this process.
/// Nothing is known where there can be no child, or it takes too long.
TrialBuild buildInChild(const std::function<std::string()> &build);

} // namespace sluice::device::opencl

#endif // SLUICE_LIB_DEVICE_OPENCL_TRIALBUILD_H
