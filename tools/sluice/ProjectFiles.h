//===- ProjectFiles.h - The files that 'sluice init' writes -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of all files in the folder `projects`, with @WORDS@ as placeholders.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_PROJECTFILES_H
#define SLUICE_TOOLS_SLUICE_PROJECTFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

struct ProjectFile {
  /// The path in the folder, without ".in": "common/dot-gitignore".
  llvm::StringRef path;
  llvm::StringRef text;
};

/// Ordered by their paths.
llvm::ArrayRef<ProjectFile> projectFiles();

#endif // SLUICE_TOOLS_SLUICE_PROJECTFILES_H
