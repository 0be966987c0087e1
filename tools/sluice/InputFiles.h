//===- InputFiles.h - The files of a command --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that cannot be read, or that are of no known kind, are reported before
// anything is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_INPUTFILES_H
#define SLUICE_TOOLS_SLUICE_INPUTFILES_H

#include "llvm/ADT/ArrayRef.h"

#include <string>

/// Whether a file is left to the linker: an object, an archive or a library.
bool isLinkerInput(llvm::StringRef file);

/// Whether all files can be read and parsed, and whether there is something to
/// compile; reports errors.
bool checkInputs(llvm::ArrayRef<std::string> files);

#endif // SLUICE_TOOLS_SLUICE_INPUTFILES_H
