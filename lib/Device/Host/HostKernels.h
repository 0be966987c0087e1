//===- HostKernels.h - Kernels implemented by host functions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host device compiles nothing: a module is a table of functions,
// registered under the module's name. A function runs one work-group. At a
// barrier of the kernel, the function's loop over the items ends and the next
// loop begins.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_HOST_HOSTKERNELS_H
#define SLUICE_LIB_DEVICE_HOST_HOSTKERNELS_H

#include <array>
#include <cstdint>
#include <span>

namespace sluice::device {

/// The work-group that a function runs.
struct HostGroup {
  std::array<uint64_t, 3> group; ///< its number
  std::array<uint64_t, 3> items; ///< its shape
};

/// One pointer per argument: to the value, to the start of the buffer (null if
/// there is none), or to the group's memory.
using HostFunction = void (*)(const HostGroup &group, void *const *arguments);

struct HostKernelEntry {
  const char *entry;
  HostFunction function;
  uint32_t numParameters;
};

/// Makes Device::load find these kernels for modules of this name, and replaces
/// earlier registrations. The table must live until the process ends.
void registerHostKernels(const char *module,
                         std::span<const HostKernelEntry> kernels);

/// The table for a module; empty if there is none.
std::span<const HostKernelEntry> findHostKernels(const char *module);

} // namespace sluice::device

#endif // SLUICE_LIB_DEVICE_HOST_HOSTKERNELS_H
