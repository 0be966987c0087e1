//===- CachedFile.h - Programs in the cache -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the cache tells its users which file it holds, and what that was made
// from.
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
  /// Empty: it could not be made.
  std::string path;
  /// Of the content; the seal of the entry follows it.
  uint64_t size = 0;
  /// The files of the user that it was made from, if they are known.
  std::vector<std::string> inputs = {};
  /// What a process that keeps the program open looks at again, and how that
  /// was; see watchedState.
  std::vector<std::string> watched = {};
  std::string watchedState = {};
};

/// A text that changes with any of the `paths`; no file is read.
std::string watchedState(const std::vector<std::string> &paths);

} // namespace sluice::driver

#endif // SLUICE_TOOLCHAIN_CACHEDFILE_H
