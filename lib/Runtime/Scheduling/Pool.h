//===- Pool.h - Workers and the tasks they share --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// N workers are N-1 threads and one *seat* for a host thread: a host thread
// that waits for something takes the seat and works meanwhile. The pool knows
// tasks only; the runner knows what they mean.
//
//
// Room: threads and how they find work. Deques, the scheduler and its pool,
// parking, and runs to which workers invite each other (SharedRun.h), such as
// parallel loops; host threads that take part, helper threads that may block.
// Knows tasks as numbers: no plan, no node, no memory of programs. May include
// Base and kernel memory, which a worker keeps.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_POOL_H
#define SLUICE_RUNTIME_SCHEDULING_POOL_H

#include "../KernelMemory/GroupMemory.h"
#include "Clock.h"
#include "Scheduler.h"

#include <thread>
#include <vector>

namespace sluice {

class Pool;
class Worker;

/// Runs tasks that the pool hands it.
class TaskRunner {
public:
  virtual ~TaskRunner() = default;
  virtual void runTask(Worker &worker, WorkItem task) = 0;
};

/// The state of one worker. Host threads that take turns as worker 0 find each
/// other's tasks in its deque.
class alignas(64) Worker {
public:
  explicit Worker(unsigned index, TaskRunner *runner = nullptr)
      : index(index), runner(runner) {}

  const unsigned index;
  /// The runner it works for; null: a worker outside of any pool.
  TaskRunner *const runner;
  TaskDeque deque;
  GroupMemory groupMemory;
  /// True while a kernel runs.
  bool insideKernel = false;

  /// The worker this thread is now, or null.
  static Worker *current() { return currentWorker; }
  static void setCurrent(Worker *worker) { currentWorker = worker; }

private:
  __attribute__((
      tls_model("initial-exec"))) static inline constinit thread_local Worker
      *currentWorker = nullptr;
};

/// Measures the time spent spinning; reads the clock only now and then. Each
/// look at another worker's deque moves cache lines away from their owner, so
/// looks become rarer, down to a few per microsecond.
class TimedSpinner {
public:
  explicit TimedSpinner(uint64_t nanoseconds) : limit(nanoseconds) {}
  /// Waits a moment; false when the time is over.
  bool spin();
  void reset() { start = rounds = 0; }

private:
  uint64_t limit;
  uint64_t start = 0;
  unsigned rounds = 0;
};

/// The types of the pool's scheduler.
struct PoolParts : NativeParts {
  using Worker = sluice::Worker;
  using Spinner = TimedSpinner;
  static void run(Worker &worker, WorkItem task) {
    worker.runner->runTask(worker, task);
  }
  static uint64_t nanoseconds() { return clockNanoseconds(); }
};

extern template class Scheduler<PoolParts>;
using WaitPoint = Scheduler<PoolParts>::WaitPoint;

class Pool : public Scheduler<PoolParts> {
public:
  /// Starts `numWorkers` - 1 threads.
  Pool(unsigned numWorkers, TaskRunner &runner);
  /// Stops and joins them; tasks not yet begun are dropped.
  ~Pool();

private:
  std::vector<std::thread> threads;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_POOL_H
