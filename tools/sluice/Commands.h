//===- Commands.h - The commands of sluice ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function executes its command line and returns the exit status.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_COMMANDS_H
#define SLUICE_TOOLS_SLUICE_COMMANDS_H

struct CommandLine;

int runCommand(const CommandLine &line);
int buildCommand(const CommandLine &line);
int checkCommand(const CommandLine &line);
int graphCommand(const CommandLine &line);
int tuneCommand(const CommandLine &line);
int packCommand(const CommandLine &line);
int devicesCommand(const CommandLine &line);
int cacheCommand(const CommandLine &line);
int lspCommand(const CommandLine &line);
int initCommand(const CommandLine &line);
int traceCommand(const CommandLine &line);
int debugCommand(const CommandLine &line);
int completionCommand(const CommandLine &line);

#endif // SLUICE_TOOLS_SLUICE_COMMANDS_H
