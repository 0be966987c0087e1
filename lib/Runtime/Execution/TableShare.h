//===- TableShare.h - A table of tasks that several workers run -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one run of a TaskTable. Nothing is counted down and nothing is
// queued: every list of tasks is walked through all loops in the serial order,
// and a task is ready when the marks of its predecessors have come far enough.
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

/// Every worker has a list: the tasks whose home it is. Whoever takes from a
/// list takes its next task in the serial order, if it is ready, or one of the
/// few behind it in the same block, so that a list does not stand still for a
/// moment's delay elsewhere. Each list has a walker, which knows how often
/// every block began so far; the mark of a task says how often it ended.
class TableShare {
public:
  /// One worker: one list, in which no task has to wait, but for what ends from
  /// outside.
  TableShare(const TaskTable &table, unsigned numWorkers);

  size_t numLists() const { return numWorkers; }
  /// The tasks that only the host thread may run; no list of a worker.
  uint32_t hostList() const { return numWorkers; }
  void own(uint32_t list) {
    walkers[list].isOwned.store(true, std::memory_order_relaxed);
  }
  bool isOwned(uint32_t list) const {
    return walkers[list].isOwned.load(std::memory_order_relaxed);
  }
  /// No task is left on a list that nobody has begun.
  bool isEmpty(uint32_t list) const {
    return walkers[list].isEmpty.load(std::memory_order_relaxed) || failed();
  }
  /// Takes the next task of a list if it is ready.
  bool takeReady(uint32_t list, uint32_t &task);
  /// The list is on a long way to its next task, on which it gets with each
  /// look. Only where there is one worker.
  bool isWalking(uint32_t list) const {
    const Walker &walker = walkers[list];
    return walker.next == walker.end && walker.numDelayed == 0 &&
           !isEmpty(list) && table.steps[walker.step].kind != TableStep::Test;
  }
  /// After a task has run.
  void setEnded(uint32_t task) { marks.set(task, marks.get(task) + 1); }
  /// What the test of a loop said, before its end is marked.
  void decide(uint32_t loop, bool goesOn);

  /// The minimum time in nanoseconds that a task took where its list is.
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
  /// A task on a list, with what is read to see whether it is ready.
  struct Listed {
    uint32_t task;
    const TablePredecessor *before, *end;
  };
  /// How many tasks of a list may be passed over.
  static constexpr uint32_t maxDelayed = 8;
  struct alignas(64) Walker {
    /// Workers that wait look at these all the time, and would keep the line
    /// from the one that takes tasks.
    std::atomic<bool> isOwned{false};
    std::atomic<bool> isEmpty{false};
    alignas(64) std::atomic<bool> locked{false};
    uint32_t numDelayed = 0;
    /// The next step, and what is left of the block before it.
    uint32_t step = 0;
    uint32_t block = 0;
    const Listed *next = nullptr, *end = nullptr;
    /// Tasks before `next` that were not ready; what they need not wait for
    /// any more is left out.
    Listed delayed[maxDelayed];
    /// How often each block began.
    std::vector<uint32_t> counts;
    std::vector<int64_t> iterations;
    /// How often each loop was left by its test.
    std::vector<uint32_t> numExits;
    /// The list's tasks, block by block, and where each block begins.
    std::vector<Listed> tasks;
    std::vector<uint32_t> firstTask;
  };
  /// Which tests of a loop ended it, by their number.
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
  /// The serial order alone is enough.
  const bool isSerial;
  /// How often each task ended.
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
