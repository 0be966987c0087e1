//===- Recorder.h - Recording the inputs and outputs of nodes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under SLUICE_RECORD a program's graphs run node by node in one thread, in
// order: so one node made all changes between two steps. The changes are found
// by comparing memory with copies of it, independently of any declarations of
// the node.
//
//
// Room: records of runs. It observes the interpreter and never the executor,
// and runs tables of tasks in order. The readers of records (ReadRecord,
// RecordHistory, CompareRecords) are a separate library. May include Base,
// KernelMemory, Scheduling, Memory, Plan and Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_RECORD_RECORDER_H
#define SLUICE_RUNTIME_RECORD_RECORDER_H

#include "../KernelMemory/InstanceMemory.h"
#include "../Plan/PlanInfo.h"
#include "../Plan/TaskTable.h"
#include "../Scheduling/Pool.h"
#include "RecordFile.h"
#include "RecordOptions.h"
#include "SeenMemory.h"

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <span>

namespace sluice {

class LaunchRecorder;

/// Memory that a launch receives.
struct GivenMemory {
  std::string name;
  /// The type of its elements, "f64"; empty: not known.
  std::string type;
  uint64_t start, size;
  uint32_t access; ///< SluiceAccess
};

/// The memory of a table of tasks.
struct TableMemory {
  std::vector<GivenMemory> given;
  /// Appends the memory that a task may write. Returns true if it uses no other
  /// memory, so that it can be run again.
  std::function<bool(uint32_t task, std::vector<ByteRange> &ranges)> written;
};

/// A record of this process. Launches are recorded one at a time, from any
/// thread.
class Recorder {
public:
  /// The first call for a folder opens the record there, which stays open until
  /// the process ends; later calls return the same recorder.
  static Result<Recorder *> open(const RecordOptions &options);

  /// The number of bytes from an address to the end of its object; 0: unknown.
  using SizeOf = std::function<uint64_t(const void *)>;

  /// Runs one graph instance in the calling thread, which must be a worker.
  Status runPlan(const PlanInfo &info, unsigned char *frame,
                 InstanceMemory &memory, const RecordOptions &options,
                 const SizeOf &sizeOf);
  /// Runs a table in serial order, by `worker`, which is the calling thread.
  Status runTable(const TaskTable &table, const TableMemory &memory,
                  const RecordOptions &options, Worker &worker);

  /// For a node of the launch that is being recorded: memory has just received
  /// its first values, which the node did not write.
  void firstUse(const void *memory, uint64_t size);
  /// Excludes memory that later launches receive, because its content has no
  /// meaning.
  void leaveOut(const void *memory, const std::string &why);
  /// Records what is not recorded and why, once for each text. Any thread.
  void note(const std::string &text);

private:
  friend class LaunchRecorder;
  explicit Recorder(std::unique_ptr<RecordFile> file) : file(std::move(file)) {}
  static void endAll();
  /// The hash of the file that contains a function.
  std::string codeHashOf(const void *function);
  uint32_t graphOf(const std::string &description);
  void addProgram(uint64_t limit);
  void noteLocked(const std::string &text);

  /// Held while a launch is recorded.
  std::mutex mutex;
  std::unique_ptr<RecordFile> file;
  SeenMemory known;
  LaunchRecorder *current = nullptr;
  std::atomic<bool> isInLaunch{false};
  std::map<std::string, uint32_t> graphs;
  std::map<uint32_t, uint64_t> numLaunches;
  std::map<std::string, std::string> codeHashes;
  std::set<std::string> notes;
  std::set<uint64_t> leftOut;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_RECORDER_H
