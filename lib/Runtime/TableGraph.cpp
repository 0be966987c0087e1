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

#include <chrono>
#include <thread>

using namespace sluice;

namespace {
/// The lists as one participant sees them: the host thread has two.
class Seat {
public:
  Seat(TableShare &share, bool isHost) : share(share), isHost(isHost) {}
  size_t numLists() const { return share.numLists(); }
  bool isOwned(uint32_t list) const { return share.isOwned(list); }
  unsigned patience() const { return share.patience(); }
  bool isEmpty(uint32_t list) const {
    return share.isEmpty(list) &&
           (!isHost || list != 0 || share.isEmpty(share.hostList()));
  }
  bool takeReady(uint32_t list, uint32_t &task) {
    if (isHost && list == 0 && share.takeReady(share.hostList(), task))
      return true;
    return share.takeReady(list, task);
  }

private:
  TableShare &share;
  const bool isHost;
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
  Seat seat(share, isHost);
  uint32_t task;
  while (nextNode(seat, worker.index, task)) {
    uint64_t start = trace ? clockNanoseconds() : 0;
    callTask(worker, share, table, task);
    share.setEnded(task);
    if (trace)
      trace->buffer(worker.index)
          .addTask(table.tasks[task].name, *table.tasks[task].task, start,
                   clockNanoseconds());
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
