//===- Parallel.cpp - Parallel loops of kernels, for C and Halide ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caller determines the workers that run a loop: a task, a node of a graph,
// or a thread that a kernel started.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "sluice-c/Runtime.h"
#include "sluice/Base/Text.h"

#include <mutex>
#include <string>
#include <utility>

using namespace sluice;
using namespace sluice::tasks;

int32_t sluice::tasks::parallelFor(LoopBody body, void *context, int64_t begin,
                                   int64_t count) {
  if (RunningTask *task = RunningTask::current())
    return task->run->getRuntime().parallelFor(body, context, begin, count);
  Worker *worker = Worker::current();
  if (worker && worker->runner)
    return static_cast<Executor *>(worker->runner)
        ->parallelFor(body, context, begin, count);
  if (Runtime *runtime = worker ? nullptr : anyRuntimeForTasks())
    return runtime->parallelFor(body, context, begin, count);
  for (int64_t i = 0; i < count; ++i)
    if (int32_t value = body(context, begin + i))
      return value;
  return 0;
}

int32_t sluiceParallelFor(int32_t (*body)(void *context, int64_t index),
                          void *context, int64_t begin, int64_t count) {
  return parallelFor(body, context, begin, count);
}

/// The first error of a function that no task of a graph calls.
static thread_local std::string halideError;

namespace {
struct HalideLoop {
  void *context;
  int (*task)(void *, int, uint8_t *);
  uint8_t *closure;
  std::mutex mutex = {};
  std::string error = {}; ///< of the thread that failed first

  int call(int index) {
    const int status = task(context, index, closure);
    if (status != 0)
      keep(std::exchange(halideError, {}));
    return status;
  }
  void keep(std::string message) {
    std::lock_guard lock(mutex);
    if (error.empty())
      error = std::move(message);
  }
};
} // namespace

int sluiceHalideParFor(void *context, int (*task)(void *, int, uint8_t *),
                       int min, int size, uint8_t *closure) {
  HalideLoop loop = {context, task, closure};
  const int status = parallelFor(
      [](void *argument, int64_t index) -> int32_t {
        return static_cast<HalideLoop *>(argument)->call(
            static_cast<int>(index));
      },
      &loop, min, size);
  if (halideError.empty())
    halideError = std::move(loop.error);
  return status;
}

int sluiceHalideDoTask(void *context, int (*task)(void *, int, uint8_t *),
                       int index, uint8_t *closure) {
  return task(context, index, closure);
}

int sluiceHalideDoLoopTask(void *context,
                           int (*task)(void *, int, int, uint8_t *, void *),
                           int min, int extent, uint8_t *closure,
                           void *parent) {
  return task(context, min, extent, closure, parent);
}

void sluiceHalideError(void *, const char *message) {
  if (sluiceTaskCurrent())
    sluiceTaskError(message);
  else if (message && halideError.empty())
    halideError = message;
}

void sluiceHalideEnd(int32_t status) {
  std::string message = std::exchange(halideError, {});
  if (status == 0)
    return;
  while (message.ends_with('\n'))
    message.pop_back();
  if (message.empty())
    message = concat("Halide returned ", status);
  sluiceFail(nullptr, message.c_str());
}
