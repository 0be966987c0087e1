//===- SourcePath.h - Where a source file is ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers name a source by a folder and a path in it, of which they may move
// parts from one to the other: the path alone need not lead anywhere.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_SOURCEPATH_H
#define SLUICE_BASE_SOURCEPATH_H

#include <string>
#include <string_view>

namespace sluice {

/// The path of a source that debug information calls `name` in `folder`: as the
/// user wrote it where that still leads to the file.
std::string sourcePath(std::string_view folder, std::string_view name);

} // namespace sluice

#endif // SLUICE_BASE_SOURCEPATH_H
