//===- Trace.h - Timelines of runs ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With SLUICE_TRACE=t.json every run writes a timeline in the trace event
// format of Chrome, which Perfetto reads as well: one row per worker with the
// chunks it ran, rows with the launches, and rows for the queues of devices.
//
// Room: timelines. Other rooms record events here; the text is made at the end.
// Rows that only their owner can fill implement TraceRows. May include Base,
// Scheduling for the clock and Plan for units.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TRACE_TRACE_H
#define SLUICE_RUNTIME_TRACE_TRACE_H

#include "../Plan/OutsideTasks.h"
#include "../Plan/Partition.h"
#include "Summary.h"
#include "TraceGraphs.h"
#include "TraceText.h"
#include "WorkerRows.h"

#include "sluice-c/Plan.h"
#include "sluice-c/Tasks.h"
#include "sluice/Base/Status.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace sluice {

/// Chunks that one worker ran. The lock is contended only at exit, when a trace
/// is written while workers run.
class TraceBuffer {
public:
  /// `launch` is the start time of the launch, which distinguishes launches of
  /// the same graph.
  void addChunk(const SluicePlanNode &node, UnitRange units, uint64_t start,
                uint64_t end, uint64_t launch);
  /// One task of a program over regions; the name must outlive the trace.
  void addTask(const char *name, const SluiceTask &task, uint64_t start,
               uint64_t end);

  /// The times at which the worker has run anything so far.
  WorkTimes times();

private:
  friend class Trace;
  struct Chunk {
    const char *name;
    UnitRange units;
    uint64_t start;
    uint64_t end;
    uint64_t launch;
  };
  struct TaskCall {
    const char *name;
    int32_t rank;
    int64_t point[SLUICE_MAX_RANK];
    uint64_t start;
    uint64_t end;
  };
  /// Adds up the time. Returns whether to keep the event; not if only a summary
  /// is needed.
  bool isKept(uint64_t start, uint64_t end) {
    inKernels += end - start;
    ++numParts;
    return keepsEvents;
  }
  std::mutex mutex;
  bool keepsEvents = true;
  uint64_t inKernels = 0, numParts = 0;
  std::vector<Chunk> chunks;
  std::vector<TaskCall> calls;
};

/// Rows of a trace that another object fills: those of a device.
class TraceRows {
public:
  virtual ~TraceRows() = default;
  /// Adds the rows as those of a process. `mayAsk` is false if drivers may have
  /// been shut down.
  virtual void addTo(TraceText &text, unsigned process, bool mayAsk) = 0;
};

/// The other ranks of a program, whose timelines are joined with this one.
class TraceRanks {
public:
  virtual ~TraceRanks() = default;
  /// "rank 1 on 'node07'"
  virtual std::string name() const = 0;
  virtual uint32_t rank() const = 0;
  /// The common clock, after the last event; `origin` is in the own clock.
  /// Every rank calls this and then `merge`, once.
  virtual TraceClock clock(uint64_t origin) = 0;
  /// Sends the text of this rank. Returns the text of all ranks on rank 0, and
  /// nothing on others.
  virtual std::string merge(std::string text) = 0;
  /// The totals of all ranks. If any rank calls this, all do, before `clock`.
  virtual std::vector<RunTotals> gather(const RunTotals &own) = 0;
};

/// Times are those of Clock.h. Names are the plans' own strings, which must
/// outlive the trace.
class Trace {
public:
  /// `path` is checked by writing an empty trace there. Without a path there is
  /// only a summary, no timeline. `hasSummary`: rank 0 prints a summary when
  /// the timeline is written.
  static Result<std::unique_ptr<Trace>>
  create(std::string path, unsigned numWorkers, bool hasSummary = false);
  /// The timeline of other workers of the same process, which becomes a part of
  /// `whole`: it records what these workers run; everything else is added to
  /// `whole`, which writes it all. Neither may be destroyed while something is
  /// being written.
  static std::unique_ptr<Trace> createPart(Trace &whole, unsigned numWorkers);

  TraceBuffer &buffer(unsigned worker) { return *buffers[worker]; }
  /// Records a launch or a stream item; any thread.
  void addInstance(const SluicePlan &plan, uint64_t start, uint64_t end);
  /// The same for work without a graph, such as a program over regions.
  void addInstance(const char *name, uint64_t start, uint64_t end);
  /// Records that a launch waited for memory in use by others; any thread.
  void addMemoryWait(const SluicePlan &plan, uint64_t start, uint64_t end);
  /// Records that a node runs at another place than before.
  void addPlacement(const char *node, std::string place, const char *policy);
  /// Records the beginning of a message; returns the number of earlier messages
  /// of the same kind. Both sides number messages in the same way.
  uint64_t beginMessage(const MessageInfo &message);
  void addMessage(const MessageInfo &message, uint64_t number, uint64_t start,
                  uint64_t end);
  /// Adds the rows of a device, which the trace keeps.
  template <typename Rows> Rows &addRows(std::unique_ptr<Rows> rows) {
    Rows &added = *rows;
    std::lock_guard lock(whole->mutex);
    whole->devices.push_back(std::move(rows));
    return added;
  }
  /// From now on this is the timeline of one of several ranks.
  void setRanks(std::unique_ptr<TraceRanks> all) { ranks = std::move(all); }
  bool hasRanks() const { return ranks != nullptr; }
  /// The kind of output at the end, as a nonzero number.
  char kind() const { return char(1 + keepsEvents + 2 * hasSummary); }
  /// Drops all events, and the fact that it was written. Nothing may run
  /// meanwhile.
  void restart();
  /// Writes the current state to another file, atomically, while nothing runs.
  Status writeCopy(const std::string &to);
  /// Writes the file atomically; with several ranks, one file for all if
  /// `isTogether`, on which they must agree. Later calls do nothing, and
  /// neither do calls for a part. `mayAskDevices` is false if drivers may have
  /// been shut down.
  Status write(bool mayAskDevices, bool isTogether = true);

private:
  Trace(std::string path, unsigned numWorkers, bool keepsEvents);
  RunTotals totals();
  void printSummary(bool isTogether);
  std::string text(const TraceClock &clock, bool mayAskDevices);
  void addMachine(TraceText &text);
  void addChunks(TraceText &text, TraceText::Row row, TraceBuffer &buffer,
                 TraceArrows &arrows);
  /// Both return the first row after their own.
  unsigned addWorkers(TraceText &text, TraceArrows &arrows);
  unsigned addLaunches(TraceText &text, unsigned firstRow);
  unsigned addMemoryWaits(TraceText &text, unsigned firstRow);
  void addMessages(TraceText &text, unsigned firstRow);
  std::string idOf(const MessageInfo &message, uint64_t number) const;

  /// The processes of a rank: one for the host, and one for each device.
  static constexpr unsigned processesPerRank = 64;
  unsigned hostProcess() const {
    return 1 + (ranks ? ranks->rank() * processesPerRank : 0);
  }
  struct MessageTime {
    MessageInfo info;
    uint64_t number;
    uint64_t start;
    uint64_t end;
  };
  struct Mark {
    const char *node;
    std::string place;
    const char *policy;
    uint64_t time;
  };
  std::string path;
  const bool keepsEvents;
  bool hasSummary = false;
  uint64_t origin;
  std::vector<std::unique_ptr<TraceBuffer>> buffers;
  /// This trace itself, or the one of which it is a part.
  Trace *whole = this;
  std::mutex mutex;
  std::vector<Trace *> parts;
  std::vector<TracedLaunch> instances;
  std::vector<TracedLaunch> memoryWaits;
  TraceGraphs graphs;
  std::vector<Mark> marks;
  std::vector<MessageTime> messages;
  /// For messages only.
  RunTotals sums;
  std::map<std::tuple<uint32_t, uint32_t, bool>, uint64_t> numMessages;
  std::unique_ptr<TraceRanks> ranks;
  std::vector<std::unique_ptr<TraceRows>> devices;
  bool written = false;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_TRACE_TRACE_H
