//===- EmbeddedAPI.cpp - The C entry points of embedded programs ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors are returned as text, so that the calling process can continue.
//
//===----------------------------------------------------------------------===//

#include "RegionRun.h"

#include "../Tasks/Run.h"

#include "sluice/Base/TableHead.h"
#include "sluice/Base/Text.h"

#include <cstdio>
#include <mutex>

using namespace sluice;

static const char *report(const Status &status) {
  static thread_local std::string text;
  text = status.message();
  return status.ok() ? nullptr : text.c_str();
}

const char *sluiceCheckRegions(const SluiceRegionProgram *table) {
  return report(table ? checkTable(*table)
                      : Status::invalidArgument("there is no program"));
}

static Status execute(const SluiceRegionProgram *table,
                      const SluiceRegionRun *run) {
  if (!table || !run)
    return Status::invalidArgument("there is no program, or no run of it");
  if (Status status = checkTable(*table); !status.ok())
    return status;
  if (run->size != sizeof(SluiceRegionRun))
    return Status::invalidArgument(
        concat("a run has ", run->size, " bytes, expected ",
               sizeof(SluiceRegionRun), "; compile its caller again"));
  // Only one run at a time: parameters are variables of the program, and the
  // files that tasks write belong to one program.
  static std::mutex running;
  std::unique_lock lock(running, std::try_to_lock);
  if (!lock)
    return Status::misuse(
        concat("program ", quoted(table->name),
               " cannot run while another thread runs a program over regions"));
  Result<Runtime *> runtime = tasks::runtimeForTasks(run->numWorkers);
  if (!runtime.ok())
    return runtime.takeStatus();
  Status status = regions::executeRegions(*table, *run, **runtime);
  // Flush the output of tasks before the caller prints.
  std::fflush(stdout);
  return status;
}

const char *sluiceExecuteRegions(const SluiceRegionProgram *table,
                                 const SluiceRegionRun *run) {
  return report(execute(table, run));
}
