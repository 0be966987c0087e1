//===- Trace.h - Timelines of runs ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With SLUICE_TRACE=t.json every run writes a timeline in the trace event
// format of Chrome, which Perfetto reads as well: one row per worker with the
// chunks it ran, rows with the launches, and rows for the queues of devices.
//
// Room: timelines. Others record here what they did and when; text is made at
// the end. Rows that only their owner can fill implement TraceRows. May include
// Base, Scheduling for the clock and Plan for units.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TRACE_TRACE_H
#define SLUICE_RUNTIME_TRACE_TRACE_H

#include "../Plan/Partition.h"

#include "sluice-c/Plan.h"
#include "sluice-c/Tasks.h"
#include "sluice/Base/Status.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sluice {

class TraceText;

/// Chunks that one worker ran. There is contention for the lock only at exit,
/// when a trace is written while workers run.
class TraceBuffer {
public:
  void addChunk(const SluicePlanNode &node, UnitRange units, uint64_t start,
                uint64_t end);
  /// One task of a program over regions; the name must outlive the trace.
  void addTask(const char *name, const SluiceTask &task, uint64_t start,
               uint64_t end);

private:
  friend class Trace;
  struct Chunk {
    const char *name;
    UnitRange units;
    uint64_t start;
    uint64_t end;
  };
  struct TaskCall {
    const char *name;
    int32_t rank;
    int64_t point[SLUICE_MAX_RANK];
    uint64_t start;
    uint64_t end;
  };
  std::mutex mutex;
  std::vector<Chunk> chunks;
  std::vector<TaskCall> calls;
};

/// Rows of a trace that somebody else fills: a device's.
class TraceRows {
public:
  virtual ~TraceRows() = default;
  /// Adds the rows as those of a process. `mayAsk` is false where drivers may
  /// have been shut down.
  virtual void addTo(TraceText &text, unsigned process, bool mayAsk) = 0;
};

/// Times are those of Clock.h. Names are the plans' own strings, which must
/// outlive the trace.
class Trace {
public:
  /// `path` is checked by writing an empty trace there.
  static Result<std::unique_ptr<Trace>> create(std::string path,
                                               unsigned numWorkers);

  TraceBuffer &buffer(unsigned worker) { return *buffers[worker]; }
  /// Records a launch or a stream item; any thread.
  void addInstance(const char *plan, uint64_t start, uint64_t end);
  /// Records that a node runs elsewhere than before.
  void addPlacement(const char *node, std::string place, const char *policy);
  /// Adds the rows of a device, which the trace keeps.
  template <typename Rows> Rows &addRows(std::unique_ptr<Rows> rows) {
    Rows &added = *rows;
    std::lock_guard lock(mutex);
    devices.push_back(std::move(rows));
    return added;
  }
  /// Writes the file, whole or not at all. Later calls do nothing.
  /// `mayAskDevices` is false where drivers may have been shut down.
  Status write(bool mayAskDevices);

private:
  Trace(std::string path, unsigned numWorkers);
  std::string text(bool mayAskDevices);
  void addWorker(TraceText &text, unsigned worker);
  void addLaunches(TraceText &text);

  static constexpr unsigned hostProcess = 1;
  struct Mark {
    const char *node;
    std::string place;
    const char *policy;
    uint64_t time;
  };
  struct Instance {
    const char *plan;
    uint64_t start;
    uint64_t end;
  };
  std::string path;
  uint64_t origin;
  std::vector<std::unique_ptr<TraceBuffer>> buffers;
  std::mutex mutex;
  std::vector<Instance> instances;
  std::vector<Mark> marks;
  std::vector<std::unique_ptr<TraceRows>> devices;
  bool written = false;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_TRACE_TRACE_H
