//===- SourcePath.cpp - Where a source file is ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of the same name may be elsewhere; nobody can tell.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/SourcePath.h"

#include <filesystem>
#include <system_error>

std::string sluice::sourcePath(std::string_view folder, std::string_view name) {
  const std::filesystem::path path(name);
  std::error_code ignored;
  if (path.is_absolute() || folder.empty() ||
      std::filesystem::exists(path, ignored))
    return std::string(name);
  return (std::filesystem::path(folder) / path).string();
}
