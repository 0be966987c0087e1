//===- CommandLine.h - The command line of one command ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands read their options through this class, by the names in Options.td.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_COMMANDLINE_H
#define SLUICE_TOOLS_SLUICE_COMMANDLINE_H

#include "sluice/Driver/Build.h"
#include "sluice/Driver/CommandOptions.h"
#include "sluice/Driver/Flags.h"

#include <optional>
#include <string>

/// Exit statuses of all commands. 'sluice check --require-proof' ends with
/// exitUnproven if there are no errors but not everything is proven.
enum { exitFine = 0, exitProblems = 1, exitUsage = 2, exitUnproven = 2 };

/// Prints an error in the command line; returns exitUsage.
int usage(const llvm::Twine &message);
/// Prints an error; returns exitProblems.
int problem(const llvm::Twine &message);

/// The arguments after a command.
struct CommandLine {
  llvm::StringRef command;
  const llvm::opt::InputArgList &args;
  sluice::driver::CompilerFlags flags;
  /// The arguments that are not options.
  std::vector<std::string> files;
  /// The words behind "--".
  llvm::ArrayRef<const char *> arguments;
  /// The argument of -o.
  std::string output;

  bool has(sluice::driver::OptionID option) const {
    return args.hasArg(option);
  }
  /// The last value of an option; empty if the option is missing.
  std::string value(sluice::driver::OptionID option) const {
    return args.getLastArgValue(option).str();
  }
};

/// Whether the code is printed between passes.
bool printsPasses(const CommandLine &line);

/// Whether passes are to be seen or changed while the program is built.
bool showsPasses(const CommandLine &line);

sluice::driver::ProgramOptions programOptions(const CommandLine &line);

/// The options of a program that is compiled for `cpu`, unless -march is given.
sluice::driver::BuildOptions buildOptions(const CommandLine &line,
                                          const char *cpu);

/// The only module of regions among the files; reports an error if there are
/// two. Does not read the sources of its tasks.
std::optional<std::string> moduleOfRegions(const CommandLine &line);

#endif // SLUICE_TOOLS_SLUICE_COMMANDLINE_H
