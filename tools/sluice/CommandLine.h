//===- CommandLine.h - The options of commands on programs ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_COMMANDLINE_H
#define SLUICE_TOOLS_SLUICE_COMMANDLINE_H

#include "sluice/Driver/Build.h"
#include "sluice/Driver/Flags.h"
#include "llvm/Support/CommandLine.h"

#include <optional>
#include <string>

/// Exit statuses of all commands.
enum { exitFine = 0, exitProblems = 1, exitUsage = 2 };

/// Says what is wrong with the command line; exitUsage.
int usage(const llvm::Twine &message);
/// Says what is wrong; exitProblems.
int problem(const llvm::Twine &message);

/// The options of one command line. LLVM's own global options (there are
/// hundreds in its shared library) are none of ours.
struct CommandLine {
  CommandLine(llvm::cl::SubCommand &command,
              sluice::driver::CompilerFlags flags)
      : flags(std::move(flags)),
        files(llvm::cl::Positional, llvm::cl::sub(command)),
        cpu("march", llvm::cl::sub(command)),
        version("hpvm-version", llvm::cl::init("1.0"), llvm::cl::sub(command)),
        isLegacy("legacy", llvm::cl::sub(command)),
        isReference("reference", llvm::cl::sub(command)),
        isChecked("check", llvm::cl::sub(command)),
        noTransforms("no-transforms", llvm::cl::sub(command)),
        noFlatten("no-flatten", llvm::cl::sub(command)),
        noDead("no-dead", llvm::cl::sub(command)),
        noFuse("no-fuse", llvm::cl::sub(command)),
        noPipeline("no-pipeline", llvm::cl::sub(command)),
        isTransformed("transformed", llvm::cl::sub(command)),
        output("o", llvm::cl::Prefix, llvm::cl::sub(command)),
        isStatic("static-runtime", llvm::cl::sub(command)),
        stage("print", llvm::cl::sub(command)),
        root("root", llvm::cl::sub(command)),
        language("emit", llvm::cl::sub(command)),
        around("around", llvm::cl::sub(command)),
        within("within", llvm::cl::init(3), llvm::cl::sub(command)),
        hasStaticTraces("legion-static-traces", llvm::cl::sub(command)),
        noMustEpochs("legion-no-must-epochs", llvm::cl::sub(command)),
        noIndependent("legion-no-independent-requirements",
                      llvm::cl::sub(command)),
        hasOrder("order", llvm::cl::sub(command)),
        hint("hint", llvm::cl::sub(command)),
        chip("device-arch", llvm::cl::sub(command)) {}

  sluice::driver::CompilerFlags flags;
  llvm::cl::list<std::string> files;
  llvm::cl::opt<std::string> cpu;
  llvm::cl::opt<std::string> version;
  llvm::cl::opt<bool> isLegacy, isReference, isChecked;
  llvm::cl::opt<bool> noTransforms, noFlatten, noDead, noFuse, noPipeline;
  llvm::cl::opt<bool> isTransformed;
  llvm::cl::opt<std::string> output;
  llvm::cl::opt<bool> isStatic;
  llvm::cl::opt<std::string> stage, root, language, around;
  llvm::cl::opt<unsigned> within;
  llvm::cl::opt<bool> hasStaticTraces, noMustEpochs, noIndependent, hasOrder;
  llvm::cl::opt<std::string> hint, chip;
};

/// What --hint says; none if it is nothing.
std::optional<sluice::dfg::Target> parseHint(llvm::StringRef name);

sluice::driver::ProgramOptions programOptions(const CommandLine &line);

/// The options of a program that is compiled for `cpu` unless -march says
/// otherwise.
sluice::driver::BuildOptions buildOptions(const CommandLine &line,
                                          const char *cpu);

/// The one module of regions among the files; says so if there are two.
/// Nothing is asked of the sources of its tasks.
std::optional<std::string> moduleOfRegions(const CommandLine &line);

#endif // SLUICE_TOOLS_SLUICE_COMMANDLINE_H
