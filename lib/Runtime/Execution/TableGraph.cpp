//===- TableGraph.cpp - Running tables of tasks ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the executor for programs over regions. Workers are invited one
// by one, as for a plain graph, and stay until no task is left to take.
//
//===----------------------------------------------------------------------===//

#include "../Scheduling/Clock.h"
#include "../Trace/Trace.h"
#include "Executor.h"
#include "KernelCall.h"
#include "TableShare.h"

#include "sluice/Base/TaskRecord.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace sluice;

namespace {
/// Start times of the messages of a table, for its timeline.
class MessageTimes {
public:
  MessageTimes(Trace &trace, const TaskTable &table)
      : trace(trace), outside(*table.outside), begun(table.tasks.size()) {}
  void begin(uint32_t task) {
    begun[task] = {trace.beginMessage(outside.messageOf(task)),
                   clockNanoseconds()};
  }
  void end(uint32_t task) {
    trace.addMessage(outside.messageOf(task), begun[task].number,
                     begun[task].time, clockNanoseconds());
  }

private:
  struct Begun {
    uint64_t number;
    uint64_t time;
  };
  Trace &trace;
  const OutsideTasks &outside;
  std::vector<Begun> begun;
};

/// The lists as one participant sees them: the host thread has two.
/// A task that runs on another worker than before finds its data in another
/// cache and may take ten times as long, and so may the next task at home. If
/// every wait led to a steal, one late task would make others wait, who would
/// steal the next tasks, and so on. So a worker may steal only after it has
/// waited long enough. Waiting time counts in favour of stealing. Against it
/// count the additional time that a stolen task takes compared with its home,
/// and a sixteenth of the working time. If stealing does no harm, it soon
/// requires no wait at all.
class Seat {
public:
  Seat(TableShare &share, OutsideTasks *outside, MessageTimes *times,
       uint32_t own, bool isHost)
      : share(share), outside(outside), times(times), own(own), isHost(isHost) {
  }
  size_t numLists() const { return share.numLists(); }
  bool isOwned(uint32_t list) const { return share.isOwned(list); }
  bool isEmpty(uint32_t list) const {
    return share.isEmpty(list) &&
           (!isHost || list != own || share.isEmpty(share.hostList()));
  }
  bool takeReady(uint32_t list, uint32_t &task) {
    isStolen = list != own;
    if (!isStolen && isHost && share.takeReady(share.hostList(), task))
      return true;
    return share.takeReady(list, task);
  }
  /// Completes tasks that end externally.
  void lookOutside() {
    if (outside && outside->isBusy())
      outside->poll([this](uint32_t task) { setEnded(task); });
  }
  /// For a worker that has found nothing to do. Returns false to look again.
  bool waitOutside() {
    return outside && share.numLists() == 1 && outside->isBusy() &&
           !share.isWalking(own) &&
           outside->wait([this](uint32_t task) { setEnded(task); });
  }
  bool mayTakeAny(unsigned numLooks) {
    if (numLooks % 32 == 0)
      count(clockNanoseconds(), numLooks != 0);
    return waited > 0;
  }
  /// Whether to time the task that was taken.
  bool wantsTiming(uint32_t task) {
    // A prime, so that every task of a loop is timed eventually.
    return isStolen || numTasks++ % 37 == 0 || !share.isTimed(task);
  }
  void addTiming(uint32_t task, uint64_t start, uint64_t end) {
    auto time = static_cast<int64_t>(end - start);
    std::atomic<uint32_t> &atHome = share.timeAtHome(task);
    int64_t before = atHome.load(std::memory_order_relaxed);
    // Uses the minimum: the previous run may have been on another worker.
    if (!isStolen) {
      if (time < before)
        atHome.store(time, std::memory_order_relaxed);
      average = average ? (7 * average + time) / 8 : time;
    } else if (share.isTimed(task)) {
      // An increase by half may be chance.
      waited -= 8 * std::max<int64_t>(0, time - before - before / 2);
    }
    count(end, false);
  }

private:
  TableShare &share;
  OutsideTasks *const outside;
  MessageTimes *const times;
  const uint32_t own;
  const bool isHost;
  bool isStolen = false;
  uint32_t numTasks = 0;
  /// In nanoseconds: the time of a task, and the waiting time beyond the
  /// required minimum before stealing, which is the time of a few tasks.
  int64_t average = 0, waited = -minWait;
  uint64_t lastTime = 0;
  static constexpr int64_t minWait = 100000, maxWait = 1000000;

  void setEnded(uint32_t task) {
    if (times)
      times->end(task);
    share.setEnded(task);
  }
  void count(uint64_t now, bool wasWaiting) {
    auto time = lastTime ? static_cast<int64_t>(now - lastTime) : 0;
    lastTime = now;
    int64_t wait = std::clamp(8 * average, minWait, maxWait);
    // Working time leads back to a full wait, but does not reduce debts.
    if (wasWaiting)
      waited += time;
    else if (waited > -wait)
      waited = std::max(-wait, waited - time / 16);
    waited = std::clamp(waited, -16 * wait, wait);
  }
};
} // namespace

static void runOrTest(Worker &worker, TableShare &share, const TaskTable &table,
                      uint32_t index) {
  const TableTask &task = table.tasks[index];
  if (task.testedLoop != TableTask::noLoop) {
    const TableLoop &loop = table.loops[task.testedLoop];
    return share.decide(task.testedLoop, loop.goesOn(loop.context));
  }
  if (Status error; !callTask(worker, task, error))
    share.fail(std::move(error));
}

/// Publishes the names of the tasks, for observers of this process.
static void tellNames(const TaskTable &table) {
  TaskRecord *record = theTaskRecord.load(std::memory_order_relaxed);
  const char *last = nullptr;
  for (const TableTask &task : table.tasks)
    if (record && task.name != last)
      record->addName(last = task.name);
}

/// One run of a table of tasks.
class Executor::TableRun final : public ListRun<TableShare> {
public:
  explicit TableRun(Trace *trace) : trace(trace) {}

  void takePart(Worker &worker) override { takePart(worker, false); }
  void takePart(Worker &worker, bool isHost) {
    Seat seat(*share, table->outside, times.get(), worker.index, isHost);
    TaskRecord *const record = theTaskRecord.load(std::memory_order_relaxed);
    runNodes(worker, seat, [&](uint32_t task) {
      const TableTask &entry = table->tasks[task];
      if (entry.isOutside) {
        if (times)
          times->begin(task);
        return table->outside->start(task);
      }
      if (record)
        record->begin(worker.index, entry.name, entry.task->rank,
                      entry.task->point);
      bool isTimed = seat.wantsTiming(task) || trace;
      uint64_t start = isTimed ? clockNanoseconds() : 0;
      runOrTest(worker, *share, *table, task);
      share->setEnded(task);
      if (record)
        record->end(worker.index);
      if (!isTimed)
        return;
      uint64_t stop = clockNanoseconds();
      seat.addTiming(task, start, stop);
      if (trace)
        trace->buffer(worker.index)
            .addTask(table->tasks[task].name, *table->tasks[task].task, start,
                     stop);
    });
    if (table->outside)
      waitOutside(seat);
    if (gate.leave())
      end.notify();
  }

  const TaskTable *table = nullptr;
  /// Null unless messages are traced.
  std::unique_ptr<MessageTimes> times;
  WaitPoint end;

private:
  /// A worker that has begun something stays until it has ended, unless a task
  /// has failed.
  void waitOutside(Seat &seat) {
    constexpr unsigned patience = 16384;
    for (unsigned numLooks = 0; table->outside->isBusy() && !share->failed();
         ++numLooks) {
      seat.lookOutside();
      if (seat.waitOutside())
        continue;
      if (numLooks < patience)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  Trace *const trace;
};

Executor::TableRun &Executor::idleTableRun() {
  std::lock_guard lock(tableRunsMutex);
  if (idleTableRuns.empty()) {
    tableRuns.push_back(std::make_unique<TableRun>(trace));
    idleTableRuns.push_back(tableRuns.back().get());
  }
  auto &run = static_cast<TableRun &>(*idleTableRuns.back());
  idleTableRuns.pop_back();
  return run;
}

Status Executor::runTable(const TaskTable &table) {
  uint64_t start = trace ? clockNanoseconds() : 0;
  // Another host thread may temporarily be worker 0.
  Worker *worker;
  while (!(worker = pool.tryEnter()))
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  TableShare share(table, numWorkers);
  TableRun &run = idleTableRun();
  run.table = &table;
  run.share = &share;
  run.times = trace && table.outside
                  ? std::make_unique<MessageTimes>(*trace, table)
                  : nullptr;
  tellNames(table);
  run.open();
  share.own(0);
  if (numWorkers > 1)
    pool.push(worker, inviteTask(run, run.number));
  run.takePart(*worker, true);
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
