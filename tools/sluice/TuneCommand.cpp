//===- TuneCommand.cpp - The command line of 'sluice tune' ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program does the work. With the environment variables for tuning, a
// meta-program keeps all variants of its Halide tasks and makes the runtime try
// them; so does an executable that was built with all variants. Any other
// program writes the times of its launches, and is run again in other ways.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "InputFiles.h"
#include "TaskCommands.h"
#include "sluice/Base/Output.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/Stack.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Driver/TuneWays.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdlib>

using namespace llvm;
using namespace sluice::driver;

/// "p1=1,2,4", but no path.
static bool isCandidate(StringRef word) {
  auto [name, values] = word.split('=');
  return !name.empty() && !values.empty() && !word.contains('/');
}

/// The tolerances for differences of numbers, and where the program finds them.
static constexpr std::pair<OptionID, const char *> tolerances[] = {
    {OPT_rtol, "SLUICE_TUNE_RTOL"}, {OPT_atol, "SLUICE_TUNE_ATOL"}};

static bool isTolerance(StringRef text) {
  double number = 0;
  return !text.getAsDouble(number) && std::isfinite(number) && number >= 0;
}

static bool isModule(const std::string &file) {
  StringRef ending = sys::path::extension(file);
  return ending == ".mlir" || ending == ".mlirbc";
}

static bool isSource(const std::string &file) {
  return StringSwitch<bool>(sys::path::extension(file))
      .Cases({".c", ".cc", ".cpp", ".cxx", ".C", ".ll", ".bc"}, true)
      .Default(false);
}

/// The program to run; empty, with an error message, if there is none.
static std::string findProgram(const std::vector<std::string> &files) {
  if (none_of(files, isModule) && none_of(files, isSource)) {
    if (files.size() > 1) {
      usage("'" + files[0] + "' and '" + files[1] +
            "' are two programs; take one at a time");
      return "";
    }
    if (sys::fs::can_execute(files[0]) && !sys::fs::is_directory(files[0]))
      return files[0];
    problem("'" + files[0] + "' is no program");
    return "";
  }
  BuildOptions build;
  build.program.files = files;
  build.program.cpu = "native";
  if (!checkInputs(files))
    return "";
  if (!hasTaskGraphs(build.program))
    return cachedExecutable(build).path;
  std::optional<TaskFiles> tasks = taskFiles(build, "");
  if (!tasks)
    return "";
  tasks->options.keepsVariants = true;
  return cacheTasks(*tasks).path;
}

/// Detects whether the file at a path changed while the program ran.
static std::string stampOf(StringRef path) {
  sys::fs::file_status status;
  if (sys::fs::status(path, status))
    return "";
  sys::fs::UniqueID id = status.getUniqueID();
  return (Twine(id.getDevice()) + " " + Twine(id.getFile()) + " " +
          Twine(status.getLastModificationTime().time_since_epoch().count()))
      .str();
}

/// Runs the program. Returns its exit status, or 1 after printing how it ended.
static int runAndWait(const std::string &program,
                      ArrayRef<const char *> arguments) {
  sluice::Result<sluice::ProcessEnd> end =
      sluice::runProgram({.program = program,
                          .arguments = std::vector<std::string>(
                              arguments.begin(), arguments.end())});
  if (!end.ok())
    return problem(end.status().message());
  if (!end->signal)
    return end->exitStatus;
  return problem("'" + program +
                 "' was ended by a signal: " + sluice::signalText(end->signal));
}

/// Searches for the fastest ways of a program that ran and wrote `times`, the
/// times of its launches.
static int tuneGraphs(const std::string &program, StringRef output,
                      const CommandLine &line, const std::string &times,
                      bool hasCandidates) {
  if (hasCandidates || line.has(OPT_rtol) || line.has(OPT_atol))
    return problem("'" + program +
                   "' has graphs of nodes and no Halide tasks, which values of "
                   "parameters, --candidates, --rtol and --atol are for");
  unsetenv("SLUICE_TUNE");
  WayTuning tuning;
  tuning.program = program;
  tuning.arguments.assign(line.arguments.begin(), line.arguments.end());
  tuning.output = output.str();
  return tuneWays(tuning, times, outs()) ? exitFine : exitProblems;
}

int tuneCommand(const CommandLine &line) {
  std::string candidates = line.has(OPT_candidates) ? "*" : "";
  std::vector<std::string> files;
  for (const std::string &word : line.files) {
    if (!isCandidate(word)) {
      files.push_back(word);
      continue;
    }
    if (line.has(OPT_candidates))
      return usage("--candidates tries all values, '" + word +
                   "' only some; take one of them");
    candidates += (candidates.empty() ? "" : " ") + word;
  }
  if (files.empty())
    return usage("expected a meta-program, an executable or a .mlir file, or "
                 "sources");
  if (!candidates.empty() && any_of(files, isModule))
    return usage("a .mlir file has no generators to compile for other values; "
                 "tune its meta-program");
  for (auto [option, variable] : tolerances)
    if (line.has(option) && !isTolerance(line.value(option)))
      return usage("'" + line.args.getLastArg(option)->getAsString(line.args) +
                   "', expected a number of at least 0");
  std::string program = findProgram(files);
  if (program.empty())
    return exitProblems;
  files.push_back(program);
  SmallString<128> output(line.output.empty() ? "tuned.ini" : line.output);
  if (sluice::Status status = sluice::checkOutput(output.c_str(), files);
      !status.ok())
    return problem(status.message());
  sys::fs::make_absolute(output);
  setenv("SLUICE_TUNE", output.c_str(), 1);
  if (!candidates.empty())
    setenv("SLUICE_TUNE_CANDIDATES", candidates.c_str(), 1);
  for (auto [option, variable] : tolerances)
    if (line.has(option))
      setenv(variable, line.value(option).c_str(), 1);
  sluice::Result<std::string> times = sluice::workPath(".times");
  if (!times.ok())
    return problem(times.status().message());
  setenv(timesVariable, times->c_str(), 1);
  unsetenv(waysVariable);
  std::string before = stampOf(output);
  sluice::restoreLimits();
  if (int status = runAndWait(program, line.arguments))
    return status;
  // Only a task graph that ran writes it.
  if (sys::fs::exists(output) &&
      (!sys::fs::is_regular_file(output) || stampOf(output) != before))
    return exitFine;
  if (auto file = MemoryBuffer::getFile(*times, false, false);
      file && !(*file)->getBuffer().empty())
    return tuneGraphs(program, output, line, (*file)->getBuffer().str(),
                      !candidates.empty());
  return problem("'" + program +
                 "' ended without running a task graph, or nodes that may run "
                 "strip by strip, so there is nothing to tune; expected a "
                 "meta-program, an executable made with --variants, or a "
                 "program with a graph of nodes that 'sluice graph "
                 "--transformed' shows rows behind each other");
}
