//===- Inputs.h - The files of a command ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that cannot be read, or is of no known kind, is noticed before
// anything is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_INPUTS_H
#define SLUICE_TOOLS_SLUICE_INPUTS_H

#include "llvm/ADT/ArrayRef.h"

#include <string>

/// Whether a file is left to the linker: an object, an archive or a library.
bool isLinkerInput(llvm::StringRef file);

/// Whether all files can be read and are fit for a parser, and whether there is
/// something to compile; says what is wrong.
bool checkInputs(llvm::ArrayRef<std::string> files);

#endif // SLUICE_TOOLS_SLUICE_INPUTS_H
