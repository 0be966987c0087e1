//===- TasksAPI.cpp - The C entry points of task graphs -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors are returned as text, so that a program that runs a graph can
// continue.
//
//===----------------------------------------------------------------------===//

#include "Ranks/TaskRanks.h"
#include "Run.h"
#include "Tuning.h"

#include "sluice-c/RegionPython.h"
#include "sluice/Base/Output.h"
#include "sluice/Base/Text.h"

#include <new>

using namespace sluice;
using namespace sluice::tasks;

/// Turns std::bad_alloc into an error like others.
template <typename Function> static Status guarded(Function &&function) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    return Status::error(StatusCode::Exhausted, "no memory");
  }
}

/// Does not touch a run that another thread executes.
static const char *report(SluiceTaskRun *run, const Status &status) {
  static thread_local std::string misuse;
  std::string &text = status.code() == StatusCode::Misuse ? misuse : run->error;
  text = status.message();
  return status.ok() ? nullptr : text.c_str();
}

/// Tables of other sizes have no options that this knows of.
static SluiceTaskRunOptions readOptions(const SluiceTaskRunOptions *options) {
  SluiceTaskRunOptions read = {};
  if (options && options->size == sizeof(read))
    read = *options;
  return read;
}

SluiceTaskRun *sluiceTaskRunCreate(const SluiceTaskProgram *program,
                                   const SluiceTaskRunOptions *options,
                                   const char **error) {
  static thread_local std::string text;
  std::unique_ptr<SluiceTaskRun> made;
  Status status = guarded([&]() -> Status {
    if (!program)
      return Status::invalidArgument("there is no task graph");
    if (options && options->size != sizeof(SluiceTaskRunOptions))
      return Status::invalidArgument(
          concat("options of a run have ", options->size, " bytes, expected ",
                 sizeof(SluiceTaskRunOptions), "; compile the program again"));
    Result<std::unique_ptr<Run>> run =
        Run::create(*program, readOptions(options), taskRanks());
    if (!run.ok())
      return run.takeStatus();
    made.reset(new SluiceTaskRun{std::move(*run), {}});
    made->run->handle = made.get();
    return {};
  });
  text = status.message();
  if (error)
    *error = status.ok() ? nullptr : text.c_str();
  return made.release();
}

const char *sluiceTaskRunExecute(SluiceTaskRun *run) {
  return report(run, guarded([&] { return run->run->execute(); }));
}

void sluiceTaskRunSetInitial(SluiceTaskRun *run, uint32_t data,
                             const void *values) {
  if (data < run->run->program.numData && !run->run->isExecuting())
    run->run->datasets.setInitial(data, values);
}

void sluiceTaskRunKeep(SluiceTaskRun *run, uint32_t data, uint32_t isKept) {
  if (data < run->run->program.numData && !run->run->isExecuting())
    run->run->datasets.keep(data, isKept != 0);
}

const char *sluiceTaskRunBind(SluiceTaskRun *handle, uint32_t data,
                              void *memory, uint32_t isReadOnly) {
  Run &run = *handle->run;
  Binding binding{static_cast<char *>(memory), isReadOnly != 0};
  Status status = run.isExecuting()
                      ? Status::misuse(concat(
                            "graph ", quoted(run.program.name), " is running"))
                      : checkBinding(run.program, data, binding);
  if (status.ok())
    run.datasets.bind(data, binding);
  return report(handle, status);
}

void sluiceTaskRunSetFunction(SluiceTaskRun *run, uint32_t task,
                              void *function) {
  if (task < run->run->program.numTasks && !run->run->isExecuting())
    run->run->functions[task] = function;
}

void *sluiceTaskCurrentFunction(void) {
  RunningTask *task = RunningTask::current();
  return task ? task->run->functions[task->index] : nullptr;
}

const void *sluiceTaskRunData(SluiceTaskRun *run, uint32_t data) {
  return run->run->keptData(data);
}

void sluiceTaskStop(int signal) { stopRuns(signal); }

void sluiceTaskWithdrawStop(int signal) { withdrawStop(signal); }

int sluiceTaskStopping(void) { return stoppingSignal(); }

const char *sluiceTaskWriteTrace(const char *path) {
  static thread_local std::string text;
  Status status = guarded([&] { return writeTraceCopy(path); });
  text = status.message();
  return status.ok() ? nullptr : text.c_str();
}

void sluiceTaskRunDestroy(SluiceTaskRun *run) { delete run; }

const SluiceTaskProgram *sluiceTaskRunProgram(SluiceTaskRun *run) {
  return &run->run->program;
}

const char *sluiceTaskRunTune(SluiceTaskRun *run, const char *file) {
  return report(run, guarded([&]() -> Status {
                  Result<Tolerance> tolerance = Tolerance::fromEnvironment();
                  if (!tolerance.ok())
                    return tolerance.takeStatus();
                  Tuning tuning(run->run->program, run->run->datasets,
                                *tolerance);
                  if (Status status = run->run->execute(&tuning); !status.ok())
                    return status;
                  return writeOutput(file, tuning.text());
                }));
}

int32_t sluiceTaskBegin(SluiceTaskRun *run, uint32_t task) {
  return run->run->begin(task);
}

int32_t sluiceTaskEnd(SluiceTaskRun *run, uint32_t task, int32_t status) {
  return run->run->end(task, status);
}

void sluiceTaskEnter(SluiceTaskRun *run, uint32_t task) {
  run->run->enter(task);
}

void sluiceTaskLeave(SluiceTaskRun *run, uint32_t task) {
  run->run->leave(task);
}

void sluiceTaskError(const char *message) {
  if (RunningTask *task = RunningTask::current())
    task->addMessage(message);
}

const char *sluiceTaskCurrent(void) {
  RunningTask *task = RunningTask::current();
  return task ? task->record().name : nullptr;
}

uint32_t sluiceTaskNumRanks(void) {
  const TaskRanks *ranks = taskRanks();
  return ranks ? ranks->cluster.numRanks : 1;
}
