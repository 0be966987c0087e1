//===- Checks.h - What every back end checks first ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vendors' libraries answer a wrong offset or group size with a bare number, or
// not at all. So all back ends check the arguments of an operation here and
// say the same: what was asked for, and what there is.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_CHECKS_H
#define SLUICE_LIB_DEVICE_CHECKS_H

#include "sluice/Device/Device.h"

#include <string_view>

namespace sluice::device {

/// That a buffer of this size is possible at all.
Status checkAllocation(const Properties &properties, uint64_t size);

/// That `size` bytes at `offset` lie in the buffer; `what` is "write", ...
Status checkRange(std::string_view what, const Buffer &buffer, uint64_t offset,
                  uint64_t size);

/// That both ranges lie in their buffers and do not overlap.
Status checkCopy(const Buffer &to, uint64_t toOffset, const Buffer &from,
                 uint64_t fromOffset, uint64_t size);

/// Puts the tightest pitches where a box has 0, and those of a box with one
/// row or layer where they say nothing.
Box withPitches(Box box);

/// That a box (of withPitches) lies in the buffer, and that its rows do not
/// overlap.
Status checkBox(std::string_view what, const Buffer &buffer, const Box &box);

/// That the box is nothing at all.
inline bool isEmpty(const Box &box) {
  return box.width == 0 || box.rows == 0 || box.layers == 0;
}

/// What an operation says that was given an object of another device; `what`
/// is "a buffer", "a kernel", "an event".
Status foreignError(const std::string &device, const char *what);

/// What a kernel asks for and what a device has, in messages.
struct LaunchLimits {
  const Properties &properties;
  std::string_view kernel;
  uint64_t largestGroup;
  uint64_t numParameters;
};

/// That the device can run groups of this shape and that there is one argument
/// per parameter; a grid without groups is fine.
Status checkLaunch(const LaunchLimits &limits, const LaunchShape &shape,
                   std::span<const Argument> arguments);

inline bool isEmpty(const LaunchShape &shape) {
  return shape.groups[0] == 0 || shape.groups[1] == 0 || shape.groups[2] == 0;
}

/// OpenCL C 1.2, ended by a zero byte. All OpenCL devices take it, but only the
/// kernels of Packing.cpp are in it: it is no SluiceDeviceFormat.
constexpr uint32_t formatOpenCLC = 256;

/// "SPIR-V", "SPIR", "PTX".
const char *formatName(uint32_t format);

/// What load() says when no image fits: what the module has, what the device
/// takes.
Status noImageError(const SluiceDeviceModule &module,
                    const Properties &properties);

/// What Module::kernel says; `names` are those that there are, separated by
/// semicolons.
Status missingKernelError(const char *module, const char *entry,
                          std::string_view names);

/// CLOCK_MONOTONIC.
uint64_t hostNanoseconds();

} // namespace sluice::device

#endif // SLUICE_LIB_DEVICE_CHECKS_H
