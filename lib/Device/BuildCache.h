//===- BuildCache.h - What drivers made of modules ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drivers take their time to turn an image into machine code, so the result is
// kept in a sealed file (see Base/Seal.h). Its name holds everything that the
// result depends on. Files that were not used for longest go when there are too
// many bytes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_BUILDCACHE_H
#define SLUICE_LIB_DEVICE_BUILDCACHE_H

#include "sluice/Device/Device.h"

#include <string_view>

namespace sluice::device {

/// The cached result of building one image on one device.
class BuildCache {
public:
  /// `directory` may be empty: then nothing is kept.
  /// `options`: what else the driver is told.
  BuildCache(const std::string &directory, const SluiceDeviceModule &module,
             const SluiceDeviceImage &image, const Properties &properties,
             std::string_view options);
  /// Bytes of all results in a folder, at most.
  static constexpr uint64_t limit = UINT64_C(256) << 20;

  bool isWanted() const { return !directory.empty(); }
  /// The content, or nothing. The file then counts as used now.
  std::string read() const;
  /// A cache that cannot be written is none: the next program builds again.
  void write(std::string_view binary) const;

  /// Removes results from a folder, those that were used first, until the
  /// others have `limit` bytes at most. Other processes may read, write and
  /// trim there: who reads a file that goes has it to its end.
  static void trim(const std::string &directory, uint64_t limit);

private:
  std::string directory;
  std::string path;
};

} // namespace sluice::device

#endif // SLUICE_LIB_DEVICE_BUILDCACHE_H
