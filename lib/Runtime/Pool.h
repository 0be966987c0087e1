//===- Pool.h - Workers and the tasks they share --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// N workers are N-1 threads and one seat for a host thread: whoever waits for
// something sits down there and works meanwhile. The pool knows tasks only;
// what they mean is the runner's business.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_POOL_H
#define SLUICE_RUNTIME_POOL_H

#include "Deque.h"
#include "GroupMemory.h"
#include "Parking.h"

#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace sluice {

class Pool;
class Worker;

/// Runs tasks that the pool hands it.
class TaskRunner {
public:
  virtual ~TaskRunner() = default;
  virtual void runTask(Worker &worker, Task task) = 0;
};

/// What one worker owns. The host threads that take turns on worker 0 find
/// each other's tasks there.
class alignas(64) Worker {
public:
  explicit Worker(unsigned index, TaskRunner *runner = nullptr)
      : index(index), runner(runner) {}

  const unsigned index;
  /// Whose worker this is; null: it works alone.
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

/// A condition that several threads may wait for.
class WaitPoint {
public:
  /// To be called after the condition may have become true.
  void notify() {
    if (waiting.any())
      waiting.wakeAll();
  }

private:
  friend class Pool;
  ParkedThreads waiting;
};

class Pool {
public:
  /// Starts `numWorkers` - 1 threads.
  Pool(unsigned numWorkers, TaskRunner &runner);
  /// Stops and joins them; tasks not yet begun are dropped.
  ~Pool();

  unsigned size() const { return workers.size(); }
  Worker &worker(unsigned index) { return *workers[index]; }

  /// Makes this thread worker 0 until `leave`; null if another thread is.
  Worker *tryEnter() {
    if (seatTaken.load(std::memory_order_relaxed) ||
        seatTaken.exchange(true, std::memory_order_acquire))
      return nullptr;
    Worker::setCurrent(workers[0].get());
    return workers[0].get();
  }
  void leave();

  /// Adds a task; `worker` is the calling worker, or null for other threads.
  void push(Worker *worker, Task task);
  /// Wakes sleepers so that up to `count` threads look for work.
  void notifyWork(unsigned count) {
    if (parkedWorkers.any() || parkedHosts.size())
      wakeForWork(count);
  }

  /// Blocks until `done(context)` is true and works meanwhile. Whoever makes
  /// the condition true notifies `point`.
  void helpUntil(WaitPoint &point, bool (*done)(void *), void *context);
  template <typename Predicate>
  void helpUntil(WaitPoint &point, Predicate &&predicate) {
    helpUntil(
        point,
        [](void *context) {
          return (
              *static_cast<std::remove_reference_t<Predicate> *>(context))();
        },
        &predicate);
  }
  /// Blocks until `done(context)` is true and does not work meanwhile. Whoever
  /// makes the condition true notifies `point`.
  void sleepUntil(WaitPoint &point, bool (*done)(void *), void *context);
  template <typename Predicate>
  void sleepUntil(WaitPoint &point, Predicate &&predicate) {
    sleepUntil(
        point,
        [](void *context) {
          return (
              *static_cast<std::remove_reference_t<Predicate> *>(context))();
        },
        &predicate);
  }

private:
  class Spinner;

  void work(Worker &worker);
  Task findTask(Worker &worker);
  Task search(Worker &worker);
  bool hasTasks() const;
  void wakeForWork(unsigned count);
  void parkWorker();
  void parkHost(WaitPoint &point, bool (*done)(void *), void *context);
  Task takeInjected();

  TaskRunner &runner;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
  /// Spinning is of no use where threads share a core.
  uint64_t spinNanoseconds;

  alignas(64) std::atomic<bool> seatTaken{false};
  alignas(64) std::atomic<uint32_t> numInjected{0};
  std::mutex injectedMutex;
  std::deque<Task> injected;

  alignas(64) ParkedThreads parkedWorkers;
  ParkedThreads parkedHosts;
  alignas(64) std::atomic<uint32_t> numSearching{0};
  std::atomic<bool> stopping{false};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_POOL_H
