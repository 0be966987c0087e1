//===- Exit.cpp - Tasks that end the process ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel in C may call exit, as in its own program. Then the graph has not
// run to completion, which must be visible: the task is named, the files that
// it was writing are removed, and the exit code is not 0.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "../Scheduling/Pool.h"

#include "sluice/Base/Text.h"

#include <cstdio>
#include <cstdlib>

using namespace sluice;
using namespace sluice::tasks;

/// The task that this thread runs. A node of a graph that is a task does not
/// know its task: any such running graph is used, since there are few.
static RunningTask *taskOfThread() {
  if (RunningTask *task = RunningTask::current())
    return task;
  const Worker *worker = Worker::current();
  return worker && worker->insideKernel ? Run::enteredTask() : nullptr;
}

static void reportTask(RunningTask *task, const char *call) {
  if (!task)
    return;
  RunningTask::setCurrent(nullptr);
  std::fflush(stdout);
  std::fprintf(stderr, "sluice: error: %s: it called %s\n",
               task->text().c_str(), call);
  Run::removeAllPartialFiles();
}

static void atExit(int status, void *) {
  RunningTask *task = taskOfThread();
  reportTask(task, concat("exit(", status, ")").c_str());
  if (Worker *worker = Worker::current())
    worker->insideKernel = false; // report only once
  // Handlers that were registered earlier still run.
  if (task && status == 0)
    std::exit(1);
}

static void atQuickExit() {
  RunningTask *task = taskOfThread();
  reportTask(task, "quick_exit");
  if (Worker *worker = Worker::current())
    worker->insideKernel = false; // report only once
  // The status is not known here. Handlers that were registered earlier still
  // run.
  if (task)
    std::quick_exit(1);
}

void sluice::tasks::watchForExit() {
  static const bool isWatching = [] {
    ::on_exit(atExit, nullptr);
    std::at_quick_exit(atQuickExit);
    return true;
  }();
  (void)isWatching;
}
