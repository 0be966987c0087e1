//===- Engine.h - The assembled parts of a runtime ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executor does not know devices, the devices do not know launches, and the
// checks know neither. The engine combines them: it determines what an instance
// claims, where its nodes run, and when it starts. Launches and streams use it;
// Host hands out their handles.
//
// May access every room below: kernel memory, scheduling, memory, plans,
// traces, execution, variants, checks, devices, placement, placed and remote
// graphs; no streams, and nothing of the C interface but its tables.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_ENGINE_ENGINE_H
#define SLUICE_RUNTIME_ENGINE_ENGINE_H

#include "../Checks/CheckedRun.h"
#include "../Execution/Executor.h"
#include "../Memory/Tracker.h"
#include "../PlacedGraphs/QuietEnds.h"
#include "../Placement/Placement.h"
#include "../Plan/Arguments.h"
#include "../Record/Recorder.h"
#include "../RemoteGraphs/RemoteGraphs.h"
#include "../Trace/Trace.h"
#include "../Variants/Specialize.h"
#include "Handles.h"
#include "PlanTable.h"
#include "RuntimeOptions.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace sluice {

class Engine {
public:
  explicit Engine(const RuntimeOptions &options);
  /// Stops the workers.
  ~Engine();
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;

  /// Null unless runs are recorded; then plans run sequentially.
  Recorder *const recorder;
  const RuntimeOptions options;
  /// Null unless a trace is made.
  const std::unique_ptr<Trace> trace;

private:
  Specializer specializer;

public:
  /// Must outlive all memory on the devices.
  DeviceSet devices;
  Placement placement;
  MemoryTracker tracker;

private:
  QuietEnds quietEnds{tracker};
  /// Notified when memory is released.
  WaitPoint memoryReleased;

public:
  PlanTable plans;
  HandleTable handles;

private:
  std::unique_ptr<RemoteGraphs> ownRanks;
  std::atomic<RemoteGraphs *> ranks{nullptr};

public:
  /// Destroyed before all members above: its workers use them.
  Executor executor;

  unsigned numWorkers() { return executor.getPool().size(); }
  /// Writes the times of launches with nodes that may run strip by strip, if a
  /// file for them is named.
  Status writeTiledTimes();
  /// Runs a table of tasks to completion; see Executor. `memory` is called if
  /// the run is recorded; null: this run is not recorded.
  Status runTable(const TaskTable &table,
                  const std::function<TableMemory()> &memory);
  /// Instances of the plan run one after another, each in one thread.
  bool isSequential(const PlanInfo &info) const {
    return options.sequential || checkedRun.wants(info.plan);
  }

  // Ranks.

  /// Makes graphs run on all ranks, of which this is rank 0. Call it before the
  /// first launch.
  void useRanks(RankLink &link);
  /// Brings all memory home, except memory that overlaps `ended`; from now on
  /// graphs run only here.
  Status leaveRanks(ByteRange ended);
  /// Null unless this is rank 0 of several serving ranks. A worker may find the
  /// object when the ranks no longer serve, so the pointer must be read only
  /// once.
  RemoteGraphs *getRanks() const {
    return ranks.load(std::memory_order_acquire);
  }

  // Where nodes run.

  /// Whether there are devices that nodes of the plan may run on.
  bool usesDevices(const PlanInfo &info) const {
    return placement.isNeeded(info);
  }
  /// Whether instances of the plan may currently use devices or memory on
  /// devices.
  bool mayBePlaced(const PlanInfo &info) const {
    return usesDevices(info) || getRanks() ||
           (info.hasPointers && tracker.anyOnDevices());
  }
  /// Chooses where the nodes of an instance run. Call it before the instance is
  /// ordered and started, when its memory is free.
  void place(GraphInstance &instance) {
    instance.setBackEnd(nullptr);
    if (!instance.info.tables.empty())
      testTables(instance);
    if (mayBePlaced(instance.info))
      placeNodes(instance);
  }

  /// Whether stream items that take this many nanoseconds should go through
  /// stages on several ranks.
  bool mayStage(const PlanInfo &info, uint64_t itemCost);
  /// Called instead of `place` for one such item.
  void placeOnStages(GraphInstance &instance);

  // Starting, from any thread or worker.

  void startInstance(GraphInstance &instance);
  void startInstance(Worker *worker, GraphInstance &instance);
  /// While a trace is made: records that the memory for which the instance
  /// waited is free.
  void traceMemoryWait(const GraphInstance &instance);
  /// Runs an unordered instance in this thread; false if another thread is
  /// worker 0.
  bool tryRunInline(GraphInstance &instance);

  // Memory.

  /// Checks the pointers among the arguments and claims their memory. Returns
  /// true if the memory is free. False: the `memoryReady` function of the user
  /// will be called, but possibly only after `startHeldBack`. If the user may
  /// not wait, false claims nothing.
  Result<bool> claimMemory(const PlanInfo &info, ArgumentSet set,
                           const unsigned char *frame, MemoryUser &user,
                           bool mayWait = true);
  /// The same for all arguments, if they equal those of one of the user's last
  /// two launches, nothing has changed since, and nobody else uses memory.
  /// False: a full claim is required.
  [[gnu::always_inline]] bool claimAgain(const PlanInfo &info,
                                         const unsigned char *frame,
                                         MemoryUser &user) {
    if (!areSameAccesses(info, frame, user.accesses)) {
      if (!areSameAccesses(info, frame, user.accessesBefore()))
        return false;
      user.swapClaims();
    }
    return tracker.acquireAgain(user);
  }
  /// Starts users whose memory others wait for. The caller must hold no lock.
  static void startHeldBack(std::vector<MemoryUser *> &users);
  [[gnu::always_inline]] void releaseMemory(MemoryUser &user, Worker *worker) {
    if (tracker.release(user, worker))
      memoryReleased.notify();
  }
  /// Blocks while launches or items write the memory; works meanwhile.
  void waitForWriters(const void *pointer, uint64_t size);

  // Waiting.

  template <typename Predicate>
  void helpUntil(WaitPoint &point, Predicate &&predicate) {
    executor.getPool().helpUntil(point, predicate);
  }
  /// Blocks until `ended` returns that the instance of a launch has ended;
  /// works meanwhile. `end` is notified.
  void waitFor(const Handled &launch, const GraphInstance &instance,
               WaitPoint &end, const std::atomic<bool> &ended);

private:
  static Recorder *openRecorder(const RuntimeOptions &options);
  static std::unique_ptr<Trace> createTrace(const RuntimeOptions &options);
  static Status preparePlan(void *context, PlanInfo &info);
  Status runPlan(GraphInstance &instance);
  void runSequentially(GraphInstance &instance);
  void testTables(GraphInstance &instance);
  Status bringTable(const PlanInfo &info, const EntryTable &table,
                    const unsigned char *frame);
  void placeNodes(GraphInstance &instance);
  void bringArgumentsHome(GraphInstance &instance);
  void bringFromDevices(GraphInstance &instance);
  void bringFromRanks(GraphInstance &instance);
  bool startsOnRanks(GraphInstance &instance);
  bool isOnlyOneRunning(const Handled &launch);
  void addNamedMemories(const SluicePlan &plan, MemoryUser &user);

  /// Guards sequential runs.
  std::mutex sequentialMutex;
  CheckedRun checkedRun;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_ENGINE_ENGINE_H
