//===- SourcePath.cpp - Finding a source file -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result may be another file with the same name; this cannot be detected.
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
