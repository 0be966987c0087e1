//===- RunRanks.h - A program on several ranks ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 'sluice run --ranks': MPI's own launcher starts the program. The output of
// the launcher and of the ranks is brought into one form.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_RUNRANKS_H
#define SLUICE_TOOLS_SLUICE_RUNRANKS_H

#include "CommandLine.h"
#include "RankLauncher.h"

/// The options about ranks; none, with an error message, if they are invalid.
std::optional<RankOptions> rankOptions(const CommandLine &line);

/// The exit status of the program.
int runRanks(const RankOptions &options, const std::string &program,
             llvm::ArrayRef<const char *> arguments);

#endif // SLUICE_TOOLS_SLUICE_RUNRANKS_H
