//===- Help.h - The help pages of sluice ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_HELP_H
#define SLUICE_TOOLS_SLUICE_HELP_H

#include "llvm/ADT/StringRef.h"

/// Prints the page of `command`, or the overview if it is empty. False if
/// there is no such command.
bool printHelp(llvm::StringRef command);

#endif // SLUICE_TOOLS_SLUICE_HELP_H
