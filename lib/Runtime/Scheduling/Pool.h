//===- Pool.h - Workers and the tasks they share --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// N workers consist of N-1 threads and one *seat* for a host thread: a host
// thread that waits for something takes the seat and works meanwhile. The pool
// only knows tasks; the runner knows their meaning.
//
//
// Room: threads and how they find work. Contains deques, the scheduler and its
// pool, parking, runs to which workers invite each other (SharedRun.h), such as
// parallel loops, host threads that take part, and helper threads that may
// block. Treats tasks as numbers and knows no plans, nodes or memory of
// programs. May include Base and kernel memory, which a worker keeps.
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

/// Runs tasks from the pool.
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
  /// The runner for which it works; null: a worker outside of any pool.
  TaskRunner *const runner;
  TaskDeque deque;
  GroupMemory groupMemory;
  /// True while a kernel runs.
  bool insideKernel = false;

  /// The worker that this thread currently is, or null.
  static Worker *current() { return currentWorker; }
  static void setCurrent(Worker *worker) { currentWorker = worker; }

private:
  __attribute__((
      tls_model("initial-exec"))) static inline constinit thread_local Worker
      *currentWorker = nullptr;
};

/// Measures the time spent spinning; reads the clock only occasionally. Each
/// look at another worker's deque takes cache lines from the owner, so looks
/// become less frequent, down to a few per microsecond.
class TimedSpinner {
public:
  explicit TimedSpinner(uint64_t nanoseconds) : limit(nanoseconds) {}
  /// Waits a moment; false when the time has expired.
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
  /// Stops and joins them; drops tasks that have not begun.
  ~Pool();

private:
  std::vector<std::thread> threads;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_POOL_H
