//===- DeviceHistory.h - Measured times of nodes by place -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file in which programs keep the times of nodes at their possible places.
// All programs of a user share it. It is only used for decisions: entries that
// cannot be read are ignored.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEMENT_DEVICEHISTORY_H
#define SLUICE_RUNTIME_PLACEMENT_DEVICEHISTORY_H

#include "sluice/Base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// The times of one node at one place for inputs of similar size.
struct DeviceTiming {
  static constexpr size_t maxSamples = 5;

  std::string hash;    ///< of the program's device code
  std::string program; ///< its name
  std::string node;    ///< path in the hierarchy
  std::string place;   ///< "host, 8 workers", "opencl:0, NAME"
  /// The size, instances plus bytes, is at least 2^sizeClass and less than
  /// twice that.
  unsigned sizeClass = 0;
  uint64_t runs = 0;
  uint64_t lastUse = 0; ///< seconds since 1970
  /// The latest times, in chronological order; at least one.
  std::vector<uint64_t> nanoseconds;

  uint64_t median() const;
  bool isOfSameKind(const DeviceTiming &other) const {
    return sizeClass == other.sizeClass && hash == other.hash &&
           node == other.node && place == other.place;
  }
};

/// Maximum number of entries of a file; beyond it, the least recently used
/// entries are removed.
constexpr size_t maxDeviceTimings = 4096;

/// Parses a text; skips damaged and duplicate entries.
std::vector<DeviceTiming> parseDeviceHistory(std::string_view text);
std::string formatDeviceHistory(std::span<const DeviceTiming> timings);

/// The file in a cache directory.
std::string deviceHistoryFile(const std::string &cacheDirectory);
/// Reads the file; empty if it does not exist or is not the user's own.
std::vector<DeviceTiming> readDeviceHistory(const std::string &cacheDirectory);
/// Adds measurements to the file; `runs` contains only the new ones. Other
/// processes may do the same at the same time.
Status addToDeviceHistory(const std::string &cacheDirectory,
                          std::span<const DeviceTiming> measured);
/// Removes the entries that `isOld` accepts; returns their number.
Result<size_t> removeFromDeviceHistory(const std::string &cacheDirectory,
                                       bool (*isOld)(const DeviceTiming &,
                                                     const void *context),
                                       const void *context);

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEMENT_DEVICEHISTORY_H
