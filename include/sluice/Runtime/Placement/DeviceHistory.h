//===- DeviceHistory.h - How long nodes took where ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file in which programs keep the times of nodes at the places they may run
// at. All programs of a user share it. It only helps to choose: entries that
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

/// The times of one node at one place for inputs of about one size.
struct DeviceTiming {
  static constexpr size_t maxSamples = 5;

  std::string hash;    ///< of the program's code for devices
  std::string program; ///< its name
  std::string node;    ///< path in the hierarchy
  std::string place;   ///< "host, 8 workers", "opencl:0, NAME"
  /// The size, instances and bytes together, is at least 2^sizeClass and less
  /// than twice that.
  unsigned sizeClass = 0;
  uint64_t runs = 0;
  uint64_t lastUse = 0; ///< seconds since 1970
  /// The latest times, the newest last; at least one.
  std::vector<uint64_t> nanoseconds;

  uint64_t median() const;
  bool isOfSameKind(const DeviceTiming &other) const {
    return sizeClass == other.sizeClass && hash == other.hash &&
           node == other.node && place == other.place;
  }
};

/// Entries of a file beyond which the least recently used go.
constexpr size_t maxDeviceTimings = 4096;

/// Reads what stands in a text, without entries that are damaged or double.
std::vector<DeviceTiming> parseDeviceHistory(std::string_view text);
std::string formatDeviceHistory(std::span<const DeviceTiming> timings);

/// The file in a cache directory.
std::string deviceHistoryFile(const std::string &cacheDirectory);
/// Nothing, if the file is not there, or is not the user's own.
std::vector<DeviceTiming> readDeviceHistory(const std::string &cacheDirectory);
/// Adds what was measured to the file; `runs` are those that are new. Others
/// may do the same at the same time.
Status addToDeviceHistory(const std::string &cacheDirectory,
                          std::span<const DeviceTiming> measured);
/// Removes the entries that `isOld` accepts; returns how many.
Result<size_t> removeFromDeviceHistory(const std::string &cacheDirectory,
                                       bool (*isOld)(const DeviceTiming &,
                                                     const void *context),
                                       const void *context);

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEMENT_DEVICEHISTORY_H
