//===- Pool.cpp - Workers and the tasks they share ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looking for tasks, in this order: the own deque, the others' deques, the
// queue of tasks that came from outside. Who finds nothing spins for a moment
// and then sleeps.
//
//===----------------------------------------------------------------------===//

#include "Pool.h"

#include "Clock.h"
#include "HostThreads.h"

#include <algorithm>

using namespace sluice;

/// Counts the time spent spinning; looks at the clock now and then only. Who
/// looks at a deque takes its cache lines away from the owner, so the looks
/// soon become rarer, down to some per microsecond.
class Pool::Spinner {
public:
  explicit Spinner(uint64_t limit) : limit(limit) {}
  /// Waits a moment; false when the time is up.
  bool spin() {
    unsigned numPauses = std::min(1 + rounds / 2, 16u);
    for (unsigned i = 0; i < numPauses; ++i)
      pauseProcessor();
    if (++rounds & 7)
      return true;
    uint64_t now = clockNanoseconds();
    if (!start)
      start = now;
    return now - start < limit;
  }
  void reset() { start = rounds = 0; }

private:
  uint64_t limit;
  uint64_t start = 0;
  unsigned rounds = 0;
};

Pool::Pool(unsigned numWorkers, TaskRunner &runner) : runner(runner) {
  AsymmetricBarrier::prepare();
  spinNanoseconds =
      numWorkers <= std::thread::hardware_concurrency() ? 15000 : 500;
  for (unsigned index = 0; index < numWorkers; ++index)
    workers.push_back(std::make_unique<Worker>(index, &runner));
  for (unsigned index = 1; index < numWorkers; ++index) {
    threads.emplace_back([this, index] { work(*workers[index]); });
    nameRuntimeThread(threads.back(), std::to_string(index));
  }
}

Pool::~Pool() {
  stopping.store(true, std::memory_order_release);
  AsymmetricBarrier::heavy();
  parkedWorkers.wakeAll();
  for (std::thread &thread : threads)
    thread.join();
}

void Pool::leave() {
  Worker::setCurrent(nullptr);
  seatTaken.store(false, std::memory_order_release);
  // A host thread that found the seat taken may sleep beside waiting tasks.
  if (parkedHosts.any() && hasTasks())
    parkedHosts.wake(1);
}

void Pool::push(Worker *worker, Task task) {
  if (worker) {
    worker->deque.push(task);
  } else {
    std::lock_guard lock(injectedMutex);
    injected.push_back(task);
    numInjected.store(injected.size(), std::memory_order_release);
  }
  notifyWork(1);
}

Task Pool::takeInjected() {
  if (numInjected.load(std::memory_order_acquire) == 0)
    return {};
  std::lock_guard lock(injectedMutex);
  if (injected.empty())
    return {};
  Task task = injected.front();
  injected.pop_front();
  numInjected.store(injected.size(), std::memory_order_release);
  return task;
}

bool Pool::hasTasks() const {
  if (numInjected.load(std::memory_order_acquire) != 0)
    return true;
  for (const std::unique_ptr<Worker> &worker : workers)
    if (!worker->deque.looksEmpty())
      return true;
  return false;
}

void Pool::wakeForWork(unsigned count) {
  uint32_t searching = numSearching.load(std::memory_order_relaxed);
  if (searching >= count)
    return;
  count -= searching;
  count -= parkedWorkers.wake(count);
  if (count && !seatTaken.load(std::memory_order_acquire))
    parkedHosts.wake(1);
}

Task Pool::findTask(Worker &worker) {
  if (Task task = worker.deque.pop())
    return task;
  unsigned numWorkers = workers.size();
  for (unsigned i = 1; i < numWorkers; ++i) {
    unsigned victim = worker.index + i;
    if (victim >= numWorkers)
      victim -= numWorkers;
    if (Task task = workers[victim]->deque.steal())
      return task;
  }
  return takeInjected();
}

/// Spins for a task. Others rely on a searching thread to see new tasks, so
/// whoever stops searching with a task in hand makes sure that somebody sees
/// the next one.
Task Pool::search(Worker &worker) {
  numSearching.fetch_add(1, std::memory_order_acq_rel);
  Spinner spinner(spinNanoseconds);
  Task task;
  do {
    if (stopping.load(std::memory_order_relaxed))
      break;
    task = findTask(worker);
  } while (!task && spinner.spin());
  bool wasLast = numSearching.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (task && wasLast && parkedWorkers.any() && hasTasks())
    wakeForWork(1);
  return task;
}

void Pool::parkWorker() {
  Parker parker;
  parkedWorkers.add(parker);
  AsymmetricBarrier::heavy();
  if (!hasTasks() && !stopping.load(std::memory_order_acquire))
    parker.park();
  parkedWorkers.remove(parker);
}

void Pool::work(Worker &worker) {
  Worker::setCurrent(&worker);
  while (!stopping.load(std::memory_order_acquire)) {
    Task task = worker.deque.pop();
    if (!task)
      task = search(worker);
    if (task)
      runner.runTask(worker, task);
    else
      parkWorker();
  }
  Worker::setCurrent(nullptr);
}

void Pool::parkHost(WaitPoint &point, bool (*done)(void *), void *context) {
  Parker parker;
  parkedHosts.add(parker);
  point.waiting.add(parker);
  AsymmetricBarrier::heavy();
  bool mayWork = !seatTaken.load(std::memory_order_acquire) && hasTasks();
  if (!done(context) && !mayWork)
    parker.park();
  point.waiting.remove(parker);
  parkedHosts.remove(parker);
  // Perhaps it was woken for work, too, and does not stay to do it.
  if (done(context) && parkedHosts.any() &&
      !seatTaken.load(std::memory_order_acquire) && hasTasks())
    parkedHosts.wake(1);
}

void Pool::helpUntil(WaitPoint &point, bool (*done)(void *), void *context) {
  Worker *worker = nullptr;
  Spinner spinner(spinNanoseconds);
  while (!done(context)) {
    if (!worker)
      worker = tryEnter();
    if (Task task = worker ? findTask(*worker) : Task()) {
      runner.runTask(*worker, task);
      spinner.reset();
      continue;
    }
    if (spinner.spin())
      continue;
    if (worker) {
      leave();
      worker = nullptr;
    }
    parkHost(point, done, context);
    spinner.reset();
  }
  if (worker)
    leave();
}

void Pool::sleepUntil(WaitPoint &point, bool (*done)(void *), void *context) {
  Spinner spinner(spinNanoseconds);
  while (!done(context)) {
    if (spinner.spin())
      continue;
    Parker parker;
    point.waiting.add(parker);
    AsymmetricBarrier::heavy();
    if (!done(context))
      parker.park();
    point.waiting.remove(parker);
  }
}
