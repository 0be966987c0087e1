//===- Main.cpp - The main function of a compiled task graph --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The implementation of executables from `sluice build` and meta-programs.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/TaskProgram.h"

#include "../Engine/RuntimeOptions.h"
#include "../Host/HostRuntime.h"
#include "Ranks/TaskRanks.h"
#include "Run.h"

#include "sluice/Base/Text.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace sluice;

namespace {
/// The parsed command line.
struct TaskCommandLine {
  SluiceTaskRunOptions options = {sizeof(SluiceTaskRunOptions), 0, 0, 0};
  std::string placeFile;
  bool wantsHelp = false;
  std::string problem;
};
} // namespace

static bool readWorkers(std::string_view text, uint32_t &numWorkers) {
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, numWorkers);
  return error == std::errc() && rest == end && numWorkers >= 1 &&
         numWorkers <= RuntimeOptions::maxWorkers;
}

static TaskCommandLine readCommandLine(int argc, char **argv) {
  TaskCommandLine line;
  constexpr std::string_view workers = "--workers=", place = "--place=";
  for (int i = 1; i < argc && line.problem.empty(); ++i) {
    std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h")
      line.wantsHelp = true;
    else if (argument == "--serial")
      line.options.isSerial = 1;
    else if (argument.starts_with(place))
      line.placeFile = argument.substr(place.size());
    else if (!argument.starts_with(workers))
      line.problem = concat("unknown argument ", quoted(argument));
    else if (!readWorkers(argument.substr(workers.size()),
                          line.options.numWorkers))
      line.problem =
          concat("--workers is ", quoted(argument.substr(workers.size())),
                 ", expected a number from 1 to ", RuntimeOptions::maxWorkers);
  }
  return line;
}

static void printHelp(const SluiceTaskProgram &program, const char *command) {
  std::printf(
      "Runs task graph '%s': %u tasks over %u datasets.\n\n"
      "usage: %s [--workers=N] [--serial] [--place=FILE]\n\n"
      "  --workers=N  how many threads run tasks; else SLUICE_WORKERS, "
      "else one per\n"
      "               processor\n"
      "  --serial     one task after another, in the order of the "
      "program\n"
      "  --place=FILE which rank runs which task, where MPI has started "
      "several: lines\n"
      "               of a task's name and a number; else Sluice "
      "chooses\n\n"
      "SLUICE_TUNE=FILE tries every variant of every task and writes "
      "the best to FILE.\n"
      "SLUICE_TRACE=FILE writes a timeline.\n",
      program.name, program.numTasks, program.numData, command);
}

static int fail(const char *error) {
  std::fflush(stdout);
  std::fprintf(stderr, "sluice: error: %s\n", error);
  tasks::noteNamedFailure();
  return 1;
}

int sluiceTaskMain(const SluiceTaskProgram *program, int argc, char **argv) {
  TaskCommandLine line = readCommandLine(argc, argv);
  if (!line.problem.empty()) {
    std::fprintf(stderr, "sluice: error: %s; try --help\n",
                 line.problem.c_str());
    return 2;
  }
  if (!line.wantsHelp && program && tasks::checkProgram(*program).ok())
    if (Status status =
            tasks::openTaskRanks(*program, std::move(line.placeFile));
        !status.ok())
      return fail(status.message().c_str());
  const char *error = nullptr;
  SluiceTaskRun *run = sluiceTaskRunCreate(program, &line.options, &error);
  if (!run)
    return fail(error);
  if (line.wantsHelp) {
    printHelp(*program, argc ? argv[0] : "program");
    sluiceTaskRunDestroy(run);
    return 0;
  }
  const char *tuned = std::getenv("SLUICE_TUNE");
  const char *candidates = std::getenv("SLUICE_TUNE_CANDIDATES");
  if (tuned && *tuned && candidates && *candidates) {
    sluiceTaskRunDestroy(run);
    return fail("this program has the variants that it was compiled with, and "
                "no generators to compile for other values; tune its "
                "meta-program");
  }
  const bool hasRanks = tasks::taskRanks() != nullptr;
  if (tuned && *tuned && hasRanks)
    return fail("SLUICE_TUNE is for one process, but this one is one of "
                "several ranks");
  const tasks::TaskRanks *ranks = tasks::taskRanks();
  Runtime *runtime = tasks::anyRuntimeForTasks();
  if (ranks && runtime)
    runtime->joinTraces(ranks->cluster);
  error = tuned && *tuned ? sluiceTaskRunTune(run, tuned)
                          : sluiceTaskRunExecute(run);
  // Its memory may still be in transfer to other ranks, which end with this
  // one.
  if (error && hasRanks)
    return fail(error);
  int code = error ? fail(error) : 0;
  sluiceTaskRunDestroy(run);
  if (!hasRanks)
    return code;
  if (runtime)
    if (Status status = runtime->writeTimeline(); !status.ok())
      std::fprintf(stderr, "sluice: warning: there is no trace: %s\n",
                   status.message().c_str());
  tasks::endTaskRanks();
  return code;
}
