//===- PassOptions.h - Options that show what passes do ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --print-after and its relatives, -mllvm and -Rpass= become options of LLVM,
// which its passes and those over leaves obey.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_PASSOPTIONS_H
#define SLUICE_TOOLS_SLUICE_PASSOPTIONS_H

#include "CommandLine.h"

/// Gives the options to LLVM, for the whole process. For an invalid option,
/// prints an error and returns the exit status; none otherwise.
std::optional<int> takePassOptions(const CommandLine &line);

#endif // SLUICE_TOOLS_SLUICE_PASSOPTIONS_H
