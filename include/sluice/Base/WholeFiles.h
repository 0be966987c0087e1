//===- WholeFiles.h - Whole files, written atomically ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other processes may read traces and cache entries while they are being
// written. So a file is written under a temporary name next to its final place
// and moved there when it is complete: readers see the whole file or none.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_WHOLEFILES_H
#define SLUICE_BASE_WHOLEFILES_H

#include "sluice/Base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

/// Writes `content` to `path` atomically: the whole file appears, or nothing.
Status writeFileAtomically(const std::string &path, std::string_view content);

/// Ensures that `path` is a directory of this user to which nobody else may
/// write. Creates it and its parents with mode 0700.
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

#endif // SLUICE_BASE_WHOLEFILES_H
