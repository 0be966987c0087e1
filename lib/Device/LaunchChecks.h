//===- LaunchChecks.h - Common checks of all back ends --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For a wrong offset or group size a vendor's library returns a number without
// explanation, or no error at all. So all back ends check the arguments of an
// operation here, with the same messages: the requested value, and the limit of
// the device.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_LAUNCHCHECKS_H
#define SLUICE_LIB_DEVICE_LAUNCHCHECKS_H

#include "sluice/Device/Device.h"

#include <string_view>

namespace sluice::device {

/// An error if the device cannot have a buffer of this size.
Status checkAllocation(const Properties &properties, uint64_t size);

/// An error unless `size` bytes at `offset` lie in the buffer; `what` is
/// "write", ...
Status checkRange(std::string_view what, const Buffer &buffer, uint64_t offset,
                  uint64_t size);

/// An error unless both ranges lie in their buffers and do not overlap.
Status checkCopy(const Buffer &to, uint64_t toOffset, const Buffer &from,
                 uint64_t fromOffset, uint64_t size);

/// Replaces pitches of 0 by the smallest possible ones, and also those of a box
/// with one row or layer, where they have no meaning.
CopyBox withPitches(CopyBox box);

/// An error unless a box (of withPitches) lies in the buffer and its rows do
/// not overlap.
Status checkBox(std::string_view what, const Buffer &buffer,
                const CopyBox &box);

/// True if the box has no bytes.
inline bool isEmpty(const CopyBox &box) {
  return box.width == 0 || box.rows == 0 || box.layers == 0;
}

/// The error of an operation with an object of another device; `what` is "a
/// buffer", "a kernel", "an event".
Status foreignError(const std::string &device, const char *what);

/// The limits of a kernel and of its device, for messages.
struct LaunchLimits {
  const Properties &properties;
  std::string_view kernel;
  uint64_t maxGroup;
  uint64_t numParameters;
};

/// An error unless the device supports groups of this shape and there is one
/// argument per parameter. A grid without groups is allowed.
Status checkLaunch(const LaunchLimits &limits, const LaunchShape &shape,
                   std::span<const KernelArgument> arguments);

inline bool isEmpty(const LaunchShape &shape) {
  return shape.groups[0] == 0 || shape.groups[1] == 0 || shape.groups[2] == 0;
}

/// OpenCL C 1.2, terminated by a zero byte. All OpenCL devices accept it, but
/// only the kernels of Packing.cpp use it: it is not a SluiceDeviceFormat.
constexpr uint32_t formatOpenCLC = 256;

/// The error of load() if no image fits: the formats of the module, and those
/// that the device accepts.
Status noImageError(const SluiceDeviceModule &module,
                    const Properties &properties);

/// The error of Module::kernel; `names` are the module's kernels, separated by
/// semicolons.
Status missingKernelError(const char *module, const char *entry,
                          std::string_view names);

/// The time of CLOCK_MONOTONIC.
uint64_t hostNanoseconds();

} // namespace sluice::device

#endif // SLUICE_LIB_DEVICE_LAUNCHCHECKS_H
