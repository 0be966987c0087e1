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

/// Checks that `path` is such a directory.
Status checkPrivateDirectory(const std::string &path);

/// Checks that the file at `path` is regular and belongs to this user (or the
/// superuser), and that nobody else may write to it.
Status checkPrivateFile(const std::string &path);

/// The directory for cached files: SLUICE_CACHE_DIR, else
/// $XDG_CACHE_HOME/sluice, else ~/.cache/sluice; empty if none is known.
std::string cacheDirectory();

} // namespace sluice

#endif // SLUICE_BASE_FILES_H
