//===- TableShare.h - A table of tasks shared by several workers ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one run of a TaskTable. There are no counters and queues: every
// list of tasks is walked through all loops in serial order, and a task is
// ready when the marks of its predecessors have advanced far enough.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_TABLESHARE_H
#define SLUICE_RUNTIME_EXECUTION_TABLESHARE_H

#include "../Plan/TaskTable.h"
#include "ListRun.h"

#include "sluice/Base/Status.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace sluice {

/// Every worker has a list: the tasks with this worker as their home. A worker
/// that takes from a list takes the next task in serial order, if it is ready,
/// or one of the next few in the same block, so that a short delay elsewhere
/// does not stop a list. Each list has a walker, which knows how often every
/// block has begun; the mark of a task counts how often the task has ended.
class TableShare {
public:
  /// With one worker there is one list, in which no task has to wait, except
  /// for external ends.
  TableShare(const TaskTable &table, unsigned numWorkers);

  size_t numLists() const { return numWorkers; }
  /// The list of tasks that only the host thread may run; no worker's list.
  uint32_t hostList() const { return numWorkers; }
  void own(uint32_t list) {
    walkers[list].isOwned.store(true, std::memory_order_relaxed);
  }
  bool isOwned(uint32_t list) const {
    return walkers[list].isOwned.load(std::memory_order_relaxed);
  }
  /// All tasks on the list have begun.
  bool isEmpty(uint32_t list) const {
    return walkers[list].isEmpty.load(std::memory_order_relaxed) || failed();
  }
  /// Takes the next task of a list if it is ready.
  bool takeReady(uint32_t list, uint32_t &task);
  /// The list is on a long stretch to its next task, and advances with each
  /// look. Only if there is one worker.
  bool isWalking(uint32_t list) const {
    const Walker &walker = walkers[list];
    return walker.next == walker.end && walker.numDelayed == 0 &&
           !isEmpty(list) && table.steps[walker.step].kind != TableStep::Test;
  }
  /// After a task has run.
  void setEnded(uint32_t task) { marks.set(task, marks.get(task) + 1); }
  /// Sets the result of a loop's test, before the test's end is marked.
  void decide(uint32_t loop, bool goesOn);

  /// The minimum time of a task on its home worker, in nanoseconds.
  std::atomic<uint32_t> &timeAtHome(uint32_t task) const {
    return timesAtHome[task];
  }
  bool isTimed(uint32_t task) const {
    return timesAtHome[task].load(std::memory_order_relaxed) != UINT32_MAX;
  }

  /// Ends the run; only the first error counts.
  void fail(Status status);
  bool failed() const { return hasFailed.load(std::memory_order_relaxed); }
  Status takeError() { return std::move(error); }

private:
  /// A task on a list, with the data needed to check whether it is ready.
  struct Listed {
    uint32_t task;
    const TablePredecessor *before, *end;
  };
  /// The maximum number of skipped tasks of a list.
  static constexpr uint32_t maxDelayed = 8;
  struct alignas(64) Walker {
    /// Waiting workers poll this flag, so it must not share a cache line with
    /// data of the worker that takes tasks.
    std::atomic<bool> isOwned{false};
    std::atomic<bool> isEmpty{false};
    alignas(64) std::atomic<bool> locked{false};
    uint32_t numDelayed = 0;
    /// The next step, and the remaining tasks of the block before it.
    uint32_t step = 0;
    uint32_t block = 0;
    const Listed *next = nullptr, *end = nullptr;
    /// Skipped tasks before `next` that were not ready, without the
    /// predecessors for which they no longer wait.
    Listed delayed[maxDelayed];
    /// The number of times that each block began.
    std::vector<uint32_t> counts;
    std::vector<int64_t> iterations;
    /// The number of times that each loop was left by its test.
    std::vector<uint32_t> numExits;
    /// The list's tasks, sorted by block, and the start of each block.
    std::vector<Listed> tasks;
    std::vector<uint32_t> firstTask;
  };
  /// The numbers of the tests that ended a loop.
  struct LoopExits {
    std::atomic<uint32_t> count{0};
    std::mutex mutex;
    std::vector<uint32_t> tests;
  };

  void dealTasks();
  bool takeFrom(Walker &walker, uint32_t &task);
  void walk(Walker &walker);
  bool passTest(Walker &walker, const TableStep &step);
  bool isReady(const Walker &walker, Listed &listed) const;

  const TaskTable &table;
  const unsigned numWorkers;
  /// The serial order suffices.
  const bool isSerial;
  /// The number of times that each task ended.
  EndMarks marks;
  std::unique_ptr<std::atomic<uint32_t>[]> timesAtHome;
  std::unique_ptr<Walker[]> walkers;
  std::unique_ptr<LoopExits[]> exits;
  std::atomic<bool> hasFailed{false};
  std::mutex errorMutex;
  Status error;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_TABLESHARE_H
