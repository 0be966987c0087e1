//===- TaskRuntime.cpp - The runtimes of task graphs ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of task graphs need no init and cleanup: the first run creates their
// runtime, one for each number of workers.
//
//===----------------------------------------------------------------------===//

#include "Ranks/TaskRanks.h"
#include "Run.h"

#include "sluice/Base/Text.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <unistd.h>
#include <utility>

using namespace sluice;
using namespace sluice::tasks;

static_assert(RuntimeOptions::maxWorkers == SLUICE_MAX_WORKERS);

namespace {
/// Never destroyed: its workers may be in use when the process ends.
struct Runtimes {
  std::mutex mutex;
  std::map<unsigned, std::unique_ptr<Runtime>> byWorkers;
  /// The runtime that writes the common trace: the first one, or null.
  Runtime *traced = nullptr;
  const pid_t process = ::getpid();

  static Runtimes &get() {
    static Runtimes &all = *new Runtimes;
    return all;
  }
};
} // namespace

static constinit std::atomic<Runtime *> anyRuntime{nullptr};

Runtime *sluice::tasks::anyRuntimeForTasks() {
  return anyRuntime.load(std::memory_order_acquire);
}

static void writeTaskTraceAtExit() {
  Runtimes &all = Runtimes::get();
  if (all.process != ::getpid())
    return;
  if (Status status = all.traced->writeTraceAtExit(); !status.ok())
    std::fprintf(stderr, "sluice: warning: there is no trace: %s\n",
                 status.message().c_str());
}

Status sluice::tasks::writeTraceCopy(const char *path) {
  Runtimes &all = Runtimes::get();
  std::lock_guard lock(all.mutex);
  if (!all.traced || all.process != ::getpid())
    return Status::misuse("there is no trace: SLUICE_TRACE must name its file "
                          "before the first graph runs");
  return all.traced->writeTraceCopy(path);
}

Result<Runtime *> sluice::tasks::runtimeForTasks(unsigned numWorkers) {
  Runtimes &all = Runtimes::get();
  if (all.process != ::getpid())
    return Status::misuse(
        "a task graph in a forked process: the runtime's threads exist in its "
        "parent only; run graphs in one of the two");
  const TaskRanks *ranks = taskRanks();
  Result<RuntimeOptions> options =
      RuntimeOptions::fromEnvironment(ranks ? ranks->cluster.numProcessors : 0);
  if (!options.ok())
    return options.takeStatus();
  if (numWorkers > RuntimeOptions::maxWorkers)
    return Status::invalidArgument(
        concat("the number of workers is '", numWorkers,
               "', expected a number from 1 to ", RuntimeOptions::maxWorkers));
  if (numWorkers)
    options->numWorkers = numWorkers;
  // A separate timeline for each rank.
  if (ranks && ranks->cluster.rank != 0 && !options->traceFile.empty())
    options->traceFile += concat(".rank", ranks->cluster.rank);
  if (ranks)
    options->leaveOutRecord(ranks->cluster.rank);
  // A task cannot run twice: it begins and ends the uses of its datasets.
  options->record.ofTasks = true;
  const bool wasToVerify = std::exchange(options->record.verifies, false);
  // Datasets get their values when their first task begins, which the check of
  // launch arguments does not support.
  options->check = CheckMode::Off;
  std::lock_guard lock(all.mutex);
  std::unique_ptr<Runtime> &runtime = all.byWorkers[options->numWorkers];
  if (runtime)
    return runtime.get();
  if (anyRuntimeForTasks()) { // either all are traced or none
    options->traceFile.clear();
    options->hasSummary = false;
    options->traceOf = all.traced ? all.traced->getTrace() : nullptr;
  }
  runtime = std::make_unique<Runtime>(*options);
  if (Recorder *recorder = runtime->getRecorder(); recorder && wasToVerify)
    recorder->note("tasks of task graphs are not run twice: compare two "
                   "records to find those that are not deterministic");
  anyRuntime.store(runtime.get(), std::memory_order_release);
  if (!options->traceFile.empty() || options->hasSummary) {
    all.traced = runtime.get();
    std::atexit(writeTaskTraceAtExit);
  }
  return runtime.get();
}
