//===- Help.h - The help pages of sluice ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One page for each command, with its options and examples; the contents are
// those of docs/commands.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_HELP_H
#define SLUICE_TOOLS_SLUICE_HELP_H

#include "llvm/ADT/StringRef.h"

/// Prints the page of a command, with the options that it has; the overview if
/// the name is empty.
void printHelp(llvm::StringRef command, unsigned visibility);

#endif // SLUICE_TOOLS_SLUICE_HELP_H
