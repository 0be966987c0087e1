//===- OpenMPSources.h - Sources with directives of OpenMP ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program in OpenMP is compiled as one without being told so.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_CLANG_OPENMPSOURCES_H
#define SLUICE_LIB_FRONTEND_CLANG_OPENMPSOURCES_H

#include "llvm/ADT/StringRef.h"

namespace llvm::vfs {
class FileSystem;
} // namespace llvm::vfs

namespace sluice {

/// Whether a directive of OpenMP stands in a source, or in a header that it
/// includes with quotes, which are looked for beside the file that does so.
bool hasOpenMPDirectives(llvm::StringRef path, llvm::vfs::FileSystem &files);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_CLANG_OPENMPSOURCES_H
