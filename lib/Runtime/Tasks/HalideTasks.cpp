//===- HalideTasks.cpp - Asynchronous stages of Halide pipelines ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages of a pipeline that run at the same time wait for each other with
// semaphores, at any call depth. If two of them ran on one stack, one could
// wait for the other below it on the same stack. So each stage has its own
// thread while it runs: the last stage runs on the calling thread, the others
// on threads kept for this purpose. Loops inside a stage run on the workers.
//
//===----------------------------------------------------------------------===//

#include "../Scheduling/HelperThreads.h"
#include "Run.h"

#include <condition_variable>

using namespace sluice;
using namespace sluice::tasks;

//===----------------------------------------------------------------------===//
// The types of HalideRuntime.h
//===----------------------------------------------------------------------===//

namespace {
struct Acquisition {
  void *semaphore;
  int count;
};

struct PipelineStage {
  int (*function)(void *context, int min, int extent, uint8_t *closure,
                  void *parent);
  uint8_t *closure;
  const char *name;
  Acquisition *acquisitions;
  int numAcquisitions;
  int min, extent;
  int minThreads;
  bool isSerial;
};

/// Stages that were started together; for code inside they are the `parent`.
struct PipelineGroup {
  PipelineGroup(PipelineGroup *parent, void *context)
      : parent(parent), context(context) {}

  PipelineGroup *const parent;
  void *const context;
  std::mutex mutex;
  std::condition_variable ended;
  int numRunning = 0;
  std::atomic<int> result{0};
  std::exception_ptr exception;

  /// The error that stopped these or the enclosing stages; 0: none.
  int stopped() const {
    for (const PipelineGroup *group = this; group; group = group->parent)
      if (int value = group->result.load(std::memory_order_acquire))
        return value;
    return 0;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

static constinit std::mutex semaphoreMutex;
/// Never destroyed: stages may wait while the process ends.
static std::condition_variable &semaphoreChanged() {
  static std::condition_variable &changed = *new std::condition_variable;
  return changed;
}
static constinit std::atomic<int> numWaiting{0};

static std::atomic_ref<int64_t> valueOf(void *semaphore) {
  return std::atomic_ref<int64_t>(*static_cast<int64_t *>(semaphore));
}

static void wakeWaiting() {
  if (numWaiting.load(std::memory_order_seq_cst) == 0)
    return;
  std::lock_guard lock(semaphoreMutex);
  semaphoreChanged().notify_all();
}

int sluiceHalideSemaphoreInit(void *semaphore, int value) {
  valueOf(semaphore).store(value, std::memory_order_seq_cst);
  return value;
}

int sluiceHalideSemaphoreRelease(void *semaphore, int count) {
  int64_t before =
      valueOf(semaphore).fetch_add(count, std::memory_order_seq_cst);
  wakeWaiting();
  return static_cast<int>(before + count);
}

bool sluiceHalideSemaphoreTryAcquire(void *semaphore, int count) {
  std::atomic_ref<int64_t> value = valueOf(semaphore);
  int64_t seen = value.load(std::memory_order_seq_cst);
  do {
    if (count == 0)
      return true;
    if (seen < count)
      return false;
  } while (!value.compare_exchange_weak(seen, seen - count,
                                        std::memory_order_seq_cst));
  return true;
}

/// Returns false if the stages were stopped meanwhile.
static bool acquire(const Acquisition &wanted, const PipelineGroup &group) {
  if (sluiceHalideSemaphoreTryAcquire(wanted.semaphore, wanted.count))
    return true;
  std::unique_lock lock(semaphoreMutex);
  numWaiting.fetch_add(1, std::memory_order_seq_cst);
  bool hasAcquired = false;
  semaphoreChanged().wait(lock, [&] {
    hasAcquired =
        sluiceHalideSemaphoreTryAcquire(wanted.semaphore, wanted.count);
    return hasAcquired || group.stopped();
  });
  numWaiting.fetch_sub(1, std::memory_order_seq_cst);
  return hasAcquired;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static void stop(PipelineGroup &group, int value) {
  int none = 0;
  group.result.compare_exchange_strong(none, value, std::memory_order_seq_cst);
  wakeWaiting();
}

static int runIteration(PipelineGroup &group, const PipelineStage &stage,
                        int64_t index) {
  if (int value = group.stopped())
    return value;
  return stage.function(group.context, static_cast<int>(index), 1,
                        stage.closure, &group);
}

static int runInOrder(PipelineGroup &group, const PipelineStage &stage) {
  for (int i = 0; i < stage.extent; ++i) {
    for (int k = 0; k < stage.numAcquisitions; ++k)
      if (!acquire(stage.acquisitions[k], group))
        return group.stopped();
    if (int value = runIteration(group, stage, stage.min + i))
      return value;
  }
  return 0;
}

static int runAtOnce(PipelineGroup &group, const PipelineStage &stage) {
  struct Loop {
    PipelineGroup &group;
    const PipelineStage &stage;
  } loop = {group, stage};
  return parallelFor(
      [](void *context, int64_t index) -> int32_t {
        auto &loop = *static_cast<Loop *>(context);
        return runIteration(loop.group, loop.stage, index);
      },
      &loop, stage.min, stage.extent);
}

static void runStage(PipelineGroup &group, const PipelineStage &stage) {
  try {
    bool isOrdered = stage.isSerial || stage.numAcquisitions;
    if (int value =
            isOrdered ? runInOrder(group, stage) : runAtOnce(group, stage))
      stop(group, value);
  } catch (...) {
    std::exception_ptr exception = std::current_exception();
    {
      std::lock_guard lock(group.mutex);
      if (!group.exception)
        group.exception = exception;
    }
    stop(group, -1);
  }
}

/// Starts a stage on its own thread, as part of the task of this thread.
static bool startStage(PipelineGroup &group, const PipelineStage &stage) {
  {
    std::lock_guard lock(group.mutex);
    ++group.numRunning;
  }
  RunningTask *task = RunningTask::current();
  bool hasStarted = runOnHelper([&group, &stage, task] {
    RunningTask::setCurrent(task);
    runStage(group, stage);
    RunningTask::setCurrent(nullptr);
    std::lock_guard lock(group.mutex);
    if (--group.numRunning == 0)
      group.ended.notify_all();
  });
  if (hasStarted)
    return true;
  {
    std::lock_guard lock(group.mutex);
    --group.numRunning;
  }
  sluiceTaskError("there is no thread for an asynchronous stage");
  stop(group, -1);
  return false;
}

int sluiceHalideParallelTasks(void *context, int count, void *tasks,
                              void *parent) {
  auto *stages = static_cast<const PipelineStage *>(tasks);
  PipelineGroup group(static_cast<PipelineGroup *>(parent), context);
  bool hasStarted = true;
  for (int i = 0; i + 1 < count && hasStarted; ++i)
    hasStarted = startStage(group, stages[i]);
  if (hasStarted && count > 0)
    runStage(group, stages[count - 1]);
  {
    std::unique_lock lock(group.mutex);
    group.ended.wait(lock, [&] { return group.numRunning == 0; });
  }
  if (group.exception)
    std::rethrow_exception(group.exception);
  return group.stopped();
}
