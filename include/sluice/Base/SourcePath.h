//===- SourcePath.h - Finding a source file -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers name a source file by a folder and a path in it, and may move path
// components from one to the other. So the path alone may not lead to the file.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_SOURCEPATH_H
#define SLUICE_BASE_SOURCEPATH_H

#include <string>
#include <string_view>

namespace sluice {

/// The path of a source file that debug information calls `name` in `folder`:
/// as the user wrote it, if that path still leads to the file.
std::string sourcePath(std::string_view folder, std::string_view name);

} // namespace sluice

#endif // SLUICE_BASE_SOURCEPATH_H
