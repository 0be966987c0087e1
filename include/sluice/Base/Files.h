//===- Files.h - Whole files, written atomically --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces and cache entries are read by other processes while they are being
// written. So a file is written under a temporary name beside its place and
// moved there when it is complete: a reader sees the whole file or none.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_FILES_H
#define SLUICE_BASE_FILES_H

#include "sluice/Base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

/// Writes `content` to `path` so that it appears at once or not at all.
Status writeFileAtomically(const std::string &path, std::string_view content);

/// Makes sure that `path` is a directory of this user that nobody else may
/// write to; creates it, and its parents, with mode 0700.
Status preparePrivateDirectory(const std::string &path);

/// Checks that the file at `path` is regular and belongs to this user (or the
/// superuser), and that nobody else may write to it.
Status checkPrivateFile(const std::string &path);

/// The directory for cached files: SLUICE_CACHE_DIR, else
/// $XDG_CACHE_HOME/sluice, else ~/.cache/sluice; empty if none is known.
std::string cacheDirectory();

/// A 128-bit content hash as 32 hexadecimal digits. It is stable over
/// processes and versions; it is not meant to resist attacks.
class ContentHash {
public:
  ContentHash &add(std::string_view bytes);
  ContentHash &add(uint64_t number);
  std::string text() const;

private:
  uint64_t low = UINT64_C(0x6c62272e07bb0142);
  uint64_t high = UINT64_C(0x9e3779b97f4a7c15);
};

} // namespace sluice

#endif // SLUICE_BASE_FILES_H
