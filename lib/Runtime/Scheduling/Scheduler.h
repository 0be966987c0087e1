//===- Scheduler.h - Searching for tasks, and sleeping --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker searches for tasks in this order: its own deque, the deques of other
// workers, the queue of external tasks. If it finds none, it spins for a moment
// and then sleeps. Atomics, locks and barriers are a template parameter, so
// that SchedulerModelTest.cpp can try all interleavings of the threads.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_SCHEDULER_H
#define SLUICE_RUNTIME_SCHEDULING_SCHEDULER_H

#include "Deque.h"
#include "Parking.h"
#include "Patience.h"

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace sluice {

/// A condition for which several threads may wait.
template <typename Parts> class BasicWaitPoint {
public:
  /// Call it after the condition may have become true.
  [[gnu::always_inline]] void notify() {
    if (waiting.any())
      waiting.wakeAll();
  }

private:
  template <typename> friend class Scheduler;
  friend Parts;
  BasicParkedThreads<Parts> waiting;
};

/// The protocol of workers and host threads. It guarantees:
///
/// * No thread sleeps if its condition is true and was notified.
/// * While a task waits in a queue, no worker sleeps, and no host thread
///   sleeps in `helpUntil` beside an empty seat, unless some thread that is
///   awake will look for that task without running another one first.
/// Each pair of threads that could miss each other first writes its own state
/// and then reads the other's:
///
/// | says                    | looks at            | the other side           |
/// |-------------------------|---------------------|--------------------------|
/// | push: a task            | sleepers            | sleeper: asleep; tasks   |
/// | leave: the seat is free | sleepers            | sleeper: asleep; seat    |
/// | leave: the seat is free | tasks               | push: a task; the seat   |
/// | search: searches not    | tasks               | push: a task; searching  |
/// | notify: a condition     | sleepers            | sleeper: asleep; done    |
///
/// Between writing and reading, a thread that goes to sleep executes the heavy
/// half of an asymmetric barrier, and the other side the light half. In the
/// third and fourth row neither side goes to sleep. Two light halves are not a
/// barrier, so both sides execute a full barrier; this happens only if some
/// thread sleeps.
template <typename Parts> class Scheduler {
public:
  using Worker = typename Parts::Worker;
  using WaitPoint = BasicWaitPoint<Parts>;

  unsigned size() const { return workers.size(); }
  Worker &worker(unsigned index) { return *workers[index]; }

  /// Makes this thread worker 0 until `leave`; null if another thread is worker
  /// 0.
  Worker *tryEnter() {
    if (seatTaken.load(std::memory_order_relaxed) ||
        seatTaken.exchange(true, std::memory_order_acquire))
      return nullptr;
    Worker::setCurrent(workers[0].get());
    return workers[0].get();
  }
  void leave();

  /// Adds a task; `worker` is the calling worker, or null for other threads.
  void push(Worker *worker, WorkItem task);
  /// Wakes sleepers so that up to `count` threads look for work.
  void notifyWork(unsigned count) {
    if (parkedWorkers.any() || parkedHosts.size())
      wakeForWork(count);
  }

  /// Blocks until `done(context)` is true, and works meanwhile. The thread that
  /// makes the condition true must notify `point`.
  void helpUntil(WaitPoint &point, bool (*done)(void *), void *context);
  template <typename Predicate>
  void helpUntil(WaitPoint &point, Predicate &&predicate) {
    helpUntil(point, callPredicate<Predicate>, &predicate);
  }
  /// Blocks until `done(context)` is true, without working. The thread that
  /// makes the condition true must notify `point`.
  void sleepUntil(WaitPoint &point, bool (*done)(void *), void *context);
  template <typename Predicate>
  void sleepUntil(WaitPoint &point, Predicate &&predicate) {
    sleepUntil(point, callPredicate<Predicate>, &predicate);
  }

protected:
  template <typename T> using Atomic = typename Parts::template Atomic<T>;
  using Parker = typename Parts::Parker;
  using Spinner = typename Parts::Spinner;

  /// The loop of a worker's thread, until `stop`.
  void work(Worker &worker);
  void stop();

  std::vector<std::unique_ptr<Worker>> workers;
  /// How long to spin before sleeping if work does not arrive regularly.
  uint64_t spinNanoseconds = 0;

private:
  friend Parts;
  template <typename Predicate> static bool callPredicate(void *context) {
    return (*static_cast<std::remove_reference_t<Predicate> *>(context))();
  }

  WorkItem findTask(Worker &worker);
  WorkItem search(Worker &worker, uint64_t nanoseconds);
  bool hasTasks() const;
  void wakeForWork(unsigned count);
  void parkWorker();
  void parkHost(WaitPoint &point, bool (*done)(void *), void *context);
  WorkItem takeInjected();

  alignas(64) Atomic<bool> seatTaken{false};
  alignas(64) Atomic<uint32_t> numInjected{0};
  typename Parts::Mutex injectedMutex;
  std::deque<WorkItem> injected;

  alignas(64) BasicParkedThreads<Parts> parkedWorkers;
  BasicParkedThreads<Parts> parkedHosts;
  Patience hostPatience;
  alignas(64) Atomic<uint32_t> numSearching{0};
  Atomic<bool> stopping{false};
};

/// The lock of the sleepers orders this before or after any thread that goes to
/// sleep.
template <typename Parts> void Scheduler<Parts>::stop() {
  stopping.store(true, std::memory_order_relaxed);
  parkedWorkers.wakeAll();
}

template <typename Parts> void Scheduler<Parts>::leave() {
  Worker::setCurrent(nullptr);
  seatTaken.store(false, std::memory_order_release);
  // A host thread that found the seat taken may be asleep while tasks wait.
  if (!parkedHosts.any())
    return;
  Parts::Barrier::full();
  if (hasTasks())
    parkedHosts.wake(1);
}

template <typename Parts>
void Scheduler<Parts>::push(Worker *worker, WorkItem task) {
  if (worker) {
    worker->deque.push(task);
  } else {
    std::lock_guard lock(injectedMutex);
    injected.push_back(task);
    numInjected.store(injected.size(), std::memory_order_relaxed);
  }
  notifyWork(1);
}

template <typename Parts> WorkItem Scheduler<Parts>::takeInjected() {
  if (numInjected.load(std::memory_order_relaxed) == 0)
    return {};
  std::lock_guard lock(injectedMutex);
  if (injected.empty())
    return {};
  WorkItem task = injected.front();
  injected.pop_front();
  numInjected.store(injected.size(), std::memory_order_relaxed);
  return task;
}

template <typename Parts> bool Scheduler<Parts>::hasTasks() const {
  if (numInjected.load(std::memory_order_relaxed) != 0)
    return true;
  for (const std::unique_ptr<Worker> &worker : workers)
    if (!worker->deque.looksEmpty())
      return true;
  return false;
}

template <typename Parts> void Scheduler<Parts>::wakeForWork(unsigned count) {
  Parts::Barrier::full();
  uint32_t searching = numSearching.load(std::memory_order_relaxed);
  if (searching >= count)
    return;
  count -= searching;
  count -= parkedWorkers.wake(count);
  if (count && !seatTaken.load(std::memory_order_relaxed))
    parkedHosts.wake(1);
}

template <typename Parts> WorkItem Scheduler<Parts>::findTask(Worker &worker) {
  if (WorkItem task = worker.deque.pop())
    return task;
  unsigned numWorkers = workers.size();
  for (unsigned i = 1; i < numWorkers; ++i) {
    unsigned victim = worker.index + i;
    if (victim >= numWorkers)
      victim -= numWorkers;
    if (WorkItem task = workers[victim]->deque.steal())
      return task;
  }
  return takeInjected();
}

/// Spins for a task. Other threads do not wake sleepers while a thread is
/// searching. So a thread that stops searching because it found a task ensures
/// that the next task will be noticed.
template <typename Parts>
WorkItem Scheduler<Parts>::search(Worker &worker, uint64_t nanoseconds) {
  numSearching.fetch_add(1, std::memory_order_relaxed);
  Spinner spinner(nanoseconds);
  WorkItem task;
  do {
    if (stopping.load(std::memory_order_relaxed))
      break;
    task = findTask(worker);
  } while (!task && spinner.spin());
  bool wasLast = numSearching.fetch_sub(1, std::memory_order_relaxed) == 1;
  if (!task || !wasLast || !(parkedWorkers.any() || parkedHosts.size()))
    return task;
  Parts::Barrier::full();
  if (hasTasks())
    wakeForWork(1);
  return task;
}

template <typename Parts> void Scheduler<Parts>::parkWorker() {
  Parker parker;
  parkedWorkers.add(parker);
  Parts::Barrier::heavy();
  if (!hasTasks() && !stopping.load(std::memory_order_relaxed))
    parker.park();
  parkedWorkers.remove(parker);
}

template <typename Parts> void Scheduler<Parts>::work(Worker &worker) {
  Worker::setCurrent(&worker);
  Patience patience;
  while (!stopping.load(std::memory_order_relaxed)) {
    WorkItem task = worker.deque.pop();
    if (!task)
      task = search(worker, patience.get(spinNanoseconds));
    if (task) {
      Parts::run(worker, task);
      continue;
    }
    const uint64_t start = Parts::nanoseconds();
    parkWorker();
    patience.slept(spinNanoseconds, Parts::nanoseconds() - start);
  }
  Worker::setCurrent(nullptr);
}

template <typename Parts>
void Scheduler<Parts>::parkHost(WaitPoint &point, bool (*done)(void *),
                                void *context) {
  Parker parker;
  parkedHosts.add(parker);
  point.waiting.add(parker);
  Parts::Barrier::heavy();
  bool mayWork = !seatTaken.load(std::memory_order_relaxed) && hasTasks();
  if (!done(context) && !mayWork)
    parker.park();
  point.waiting.remove(parker);
  parkedHosts.remove(parker);
  // The thread may also have been woken for work, and leaves without doing it.
  if (done(context) && parkedHosts.any() &&
      !seatTaken.load(std::memory_order_relaxed) && hasTasks())
    parkedHosts.wake(1);
}

template <typename Parts>
void Scheduler<Parts>::helpUntil(WaitPoint &point, bool (*done)(void *),
                                 void *context) {
  Worker *worker = nullptr;
  Spinner spinner(hostPatience.get(spinNanoseconds));
  while (!done(context)) {
    if (!worker)
      worker = tryEnter();
    if (WorkItem task = worker ? findTask(*worker) : WorkItem()) {
      Parts::run(*worker, task);
      spinner.reset();
      continue;
    }
    if (spinner.spin())
      continue;
    if (worker) {
      leave();
      worker = nullptr;
    }
    const uint64_t start = Parts::nanoseconds();
    parkHost(point, done, context);
    hostPatience.slept(spinNanoseconds, Parts::nanoseconds() - start);
    spinner.reset();
  }
  if (worker)
    leave();
}

template <typename Parts>
void Scheduler<Parts>::sleepUntil(WaitPoint &point, bool (*done)(void *),
                                  void *context) {
  Spinner spinner(spinNanoseconds);
  while (!done(context)) {
    if (spinner.spin())
      continue;
    Parker parker;
    point.waiting.add(parker);
    Parts::Barrier::heavy();
    if (!done(context))
      parker.park();
    point.waiting.remove(parker);
  }
}

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_SCHEDULER_H
