//===- CachedFile.h - Programs in the cache -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a file in the cache and its sources to the users of the cache.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLCHAIN_CACHEDFILE_H
#define SLUICE_TOOLCHAIN_CACHEDFILE_H

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::driver {

/// A program or library in the cache.
struct CachedFile {
  /// Empty if it could not be made.
  std::string path;
  /// The size of the content; the seal of the entry follows it.
  uint64_t size = 0;
  /// The user's files from which it was made, if they are known.
  std::vector<std::string> inputs = {};
  /// The paths that a process with the open program checks again, and their
  /// state; see watchedState.
  std::vector<std::string> watched = {};
  std::string watchedState = {};
};

/// A text that changes if any of the `paths` changes; reads no file contents.
std::string watchedState(const std::vector<std::string> &paths);

} // namespace sluice::driver

#endif // SLUICE_TOOLCHAIN_CACHEDFILE_H
