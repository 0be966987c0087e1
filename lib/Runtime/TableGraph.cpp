//===- TableGraph.cpp - Running tables of tasks ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the executor for programs over regions. Workers are invited one
// by one, as to a plain graph, and stay until no task is left to take.
//
//===----------------------------------------------------------------------===//

#include "Clock.h"
#include "Executor.h"
#include "KernelCall.h"
#include "NextNode.h"
#include "TableShare.h"
#include "Trace.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace sluice;

namespace {
/// The lists as one participant sees them: the host thread has two.
///
/// A task that runs elsewhere than before finds its data in another cache. So
/// tasks of others are taken only after a wait that is long compared with a
/// task, or else one late task would make others wait, who would take the next
/// ones, and so on; but then without further waits until there is work at home.
class Seat {
public:
  Seat(TableShare &share, uint32_t own, bool isHost)
      : share(share), own(own), isHost(isHost) {}
  size_t numLists() const { return share.numLists(); }
  bool isOwned(uint32_t list) const { return share.isOwned(list); }
  bool isEmpty(uint32_t list) const {
    return share.isEmpty(list) &&
           (!isHost || list != own || share.isEmpty(share.hostList()));
  }
  bool takeReady(uint32_t list, uint32_t &task) {
    if (list != own)
      return share.takeReady(list, task);
    bool isFound = (isHost && share.takeReady(share.hostList(), task)) ||
                   share.takeReady(list, task);
    isAway &= !isFound;
    return isFound;
  }
  bool mayTakeAny(unsigned numLooks) {
    if (isAway)
      return true;
    if (numLooks % 32 != 0)
      return false;
    uint64_t now = clockNanoseconds();
    if (numLooks == 0)
      waitingSince = now;
    isAway = now - waitingSince > patience;
    return isAway;
  }
  /// Whether the next task is to be timed.
  bool wantsTiming() { return numTasks++ % 32 == 0; }
  void addTiming(uint64_t nanoseconds) {
    constexpr uint64_t least = 20000, most = 1000000;
    average = average ? (7 * average + nanoseconds) / 8 : nanoseconds;
    patience = std::clamp(4 * average, least, most);
  }

private:
  TableShare &share;
  const uint32_t own;
  const bool isHost;
  /// Takes tasks of others since there are none at home.
  bool isAway = false;
  uint32_t numTasks = 0;
  /// In nanoseconds.
  uint64_t waitingSince = 0, patience = 20000, average = 0;
};
} // namespace

/// "task 'sweep' at point (1, 2)"
static std::string taskText(const TableTask &task) {
  std::string text = concat("task ", quoted(task.name));
  if (task.task->rank == 0)
    return text;
  text += " at point (";
  for (int d = 0; d < task.task->rank; ++d)
    text += concat(d ? ", " : "", task.task->point[d]);
  return text + ")";
}

static void callTask(Worker &worker, TableShare &share, const TaskTable &table,
                     uint32_t index) {
  const TableTask &task = table.tasks[index];
  if (task.testedLoop != TableTask::noLoop) {
    const TableLoop &loop = table.loops[task.testedLoop];
    return share.decide(task.testedLoop, loop.goesOn(loop.context));
  }
  worker.insideKernel = true;
  try {
    task.body(task.task, task.views, task.closure);
  } catch (...) {
    share.fail(kernelError(worker, taskText(task)));
  }
  worker.insideKernel = false;
}

void Executor::takeTableTasks(Worker &worker, TableRun &run, bool isHost) {
  TableShare &share = *run.share;
  const TaskTable &table = *run.table;
  share.own(worker.index);
  Seat seat(share, worker.index, isHost);
  uint32_t task;
  while (nextNode(seat, worker.index, task)) {
    bool isTimed = seat.wantsTiming() || trace;
    uint64_t start = isTimed ? clockNanoseconds() : 0;
    callTask(worker, share, table, task);
    share.setEnded(task);
    if (!isTimed)
      continue;
    uint64_t end = clockNanoseconds();
    seat.addTiming(end - start);
    if (trace)
      trace->buffer(worker.index)
          .addTask(table.tasks[task].name, *table.tasks[task].task, start, end);
  }
  if (run.gate.leave())
    run.end.notify();
}

void Executor::joinTable(Worker &worker, TableRun &run, uint32_t number) {
  if (!run.gate.join(number))
    return;
  // Passes the invitation on; it is refused when the run is over.
  for (unsigned list = 0; list < numWorkers; ++list)
    if (list != worker.index && !run.share->isOwned(list)) {
      pool.push(&worker, joinTableTask(run, number));
      break;
    }
  takeTableTasks(worker, run, false);
}

TableRun &Executor::idleTableRun() {
  std::lock_guard lock(tableRunsMutex);
  if (idleTableRuns.empty()) {
    tableRuns.push_back(std::make_unique<TableRun>());
    return *tableRuns.back();
  }
  TableRun &run = *idleTableRuns.back();
  idleTableRuns.pop_back();
  return run;
}

Status Executor::runTable(const TaskTable &table) {
  uint64_t start = trace ? clockNanoseconds() : 0;
  // Another host thread may be worker 0 for a while.
  Worker *worker;
  while (!(worker = pool.tryEnter()))
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  TableShare share(table, numWorkers);
  TableRun &run = idleTableRun();
  run.table = &table;
  run.share = &share;
  run.gate.open(++run.number);
  share.own(0);
  if (numWorkers > 1)
    pool.push(worker, joinTableTask(run, run.number));
  takeTableTasks(*worker, run, true);
  pool.leave();
  pool.helpUntil(run.end, [&] { return run.gate.isOver(); });
  {
    std::lock_guard lock(tableRunsMutex);
    idleTableRuns.push_back(&run);
  }
  if (trace)
    trace->addInstance(table.name, start, clockNanoseconds());
  return share.takeError();
}
