//===- Runtime.h - The runtime behind the C interface ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything the C entry points do, with errors as values, so that tests can
// look at them. One object lives from init to cleanup.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_HOST_RUNTIME_H
#define SLUICE_RUNTIME_HOST_RUNTIME_H

#include "../Checks/CheckedRun.h"
#include "../Execution/Executor.h"
#include "../Launches/Launch.h"
#include "../Launches/PlanTable.h"
#include "../Memory/Tracker.h"
#include "../PlacedGraphs/QuietEnds.h"
#include "../Placement/Placement.h"
#include "../Streams/Stream.h"
#include "../Trace/Trace.h"
#include "../Variants/Specialize.h"
#include "Options.h"

#include <memory>
#include <mutex>

namespace sluice {

enum class LaunchKind {
  Plain,
  Stream,
  Ordered, ///< among such launches, also over memory that is not tracked
  Tasks,   ///< of nodes that are worth a worker each
  Serial,  ///< one node after another, as they stand
};

class Runtime {
public:
  static Result<std::unique_ptr<Runtime>> create(const RuntimeOptions &options);
  /// Stops the workers. `finish` first, unless the process ends.
  ~Runtime();

  /// Checks a plan, and does before its first launch what that would do.
  Status prepare(const SluicePlan &plan) {
    return plans.find(plan).takeStatus();
  }
  /// See include/sluice-c/Runtime.h for what these do.
  Result<void *> launch(const SluicePlan *plan, void *arguments,
                        const SluiceLayout *layout, bool isStream) {
    return launch(plan, arguments, layout,
                  isStream ? LaunchKind::Stream : LaunchKind::Plain);
  }
  Result<void *> launch(const SluicePlan *plan, void *arguments,
                        const SluiceLayout *layout, LaunchKind kind);
  Status wait(void *graph);
  Status push(void *graph, void *arguments, const SluiceLayout *layout);
  Result<void *> pop(void *graph);
  /// The same where nothing is to be decided or reported; false and null
  /// where something is.
  bool tryPush(void *graph, const void *arguments, const SluiceLayout *layout) {
    Stream *stream = streamOfHost(graph);
    return stream && stream->tryPush(arguments, layout);
  }
  void *tryPop(void *graph) {
    Stream *stream = streamOfHost(graph);
    return stream ? stream->tryPop() : nullptr;
  }
  Status setStreamBound(void *graph, uint64_t bound);
  Status trackMemory(void *pointer, size_t size);
  Status untrackMemory(void *pointer);
  Result<void *> requestMemory(void *pointer, size_t size);
  /// The same for the bytes of a layout, and for sending them.
  Status requestMemoryPart(const void *base, const char *layout, int64_t count);
  Status sendMemoryPart(const void *base, const char *layout, int64_t count,
                        MemoryPlace place);
  /// The same for memory that need not be tracked.
  Status requestAnyMemory(void *pointer, size_t size);

  /// Runs a table of tasks to its end; reports the first error of a task.
  Status runTable(const TaskTable &table) {
    if (Status status = checkCaller("the run of a graph"); !status.ok())
      return status;
    return executor.runTable(table);
  }

  /// See sluiceParallelFor.
  int32_t parallelFor(tasks::LoopBody body, void *context, int64_t begin,
                      int64_t count) {
    return executor.parallelFor(body, context, begin, count);
  }

  /// Refuses if launches are in flight; else writes the trace. The object is
  /// to be destroyed after a success.
  Status finish();
  /// Writes the trace, if there is one and it was not written, without asking
  /// drivers for what devices did last: they may have been shut down.
  Status writeTraceAtExit();

  /// Whether instances of the plan, as things are now, may use devices or
  /// memory that is there.
  bool mayBePlaced(const PlanInfo &info) const {
    return usesDevices(info) || (info.hasPointers && tracker.anyOnDevices());
  }
  /// Whether there are devices that nodes of the plan may run on.
  bool usesDevices(const PlanInfo &info) const {
    return placement.isNeeded(info);
  }
  /// Chooses where the nodes of an instance run; to be called before it is
  /// ordered and started, when its memory is free.
  void place(GraphInstance &instance) {
    instance.placed = nullptr;
    if (mayBePlaced(instance.info))
      placeNodes(instance);
  }
  /// For launches and streams.
  void startInstance(GraphInstance &instance);
  void startInstance(Worker *worker, GraphInstance &instance);
  /// Runs an unordered instance in this thread; false if another thread is
  /// worker 0.
  bool tryRunInline(GraphInstance &instance);
  void startInline(Worker *worker, GraphInstance &instance) {
    executor.startInline(worker, instance);
  }
  void arrive(Worker *worker, GraphInstance &instance, uint32_t node) {
    executor.arrive(worker, instance, node);
  }
  unsigned numWorkers() { return executor.getPool().size(); }
  /// Instances of the plan run one after another, each in one thread.
  bool isSequential(const PlanInfo &info) const {
    return options.sequential || checkedRun.wants(info.plan);
  }
  Result<bool> claimMemory(const PlanInfo &info, ArgumentSet set,
                           const unsigned char *frame, MemoryUser &user);
  void releaseMemory(MemoryUser &user, Worker *worker);
  template <typename Predicate>
  void helpUntil(WaitPoint &point, Predicate &&predicate) {
    executor.getPool().helpUntil(point, predicate);
  }
  /// Blocks until a launch has ended and works meanwhile.
  void waitFor(Launch &launch);
  MemoryTracker &getTracker() { return tracker; }
  DeviceSet &getDevices() { return devices; }
  Placement &getPlacement() { return placement; }
  /// See sluicePlaceNode.
  Status placeNode(const SluicePlan &plan, const char *path,
                   const std::string &where);

private:
  Runtime(const RuntimeOptions &options, std::unique_ptr<Trace> trace);
  Status checkCaller(const char *call) const;
  Result<PlanEntry *> checkLaunch(const SluicePlan *plan, void *arguments,
                                  const SluiceLayout *layout, bool isStream);
  Result<Launch *> idleLaunch(PlanEntry &entry, bool isCoarse);
  Result<void *> launchStream(PlanEntry &entry, void *arguments,
                              const SluiceLayout *layout);
  /// Null if the handle is of no stream, or the caller a node.
  Stream *streamOfHost(void *graph) const {
    Worker *worker = Worker::current();
    Handled *object = handles.find(graph);
    bool isStream = object && object->kind == Handled::Kind::Stream &&
                    !(worker && worker->insideKernel);
    return isStream ? static_cast<Stream *>(object) : nullptr;
  }
  Result<Stream *> findStream(void *graph, const char *call);
  void runSequentially(GraphInstance &instance);
  void placeNodes(GraphInstance &instance);
  void bringArgumentsHome(GraphInstance &instance);
  bool isOnlyOneRunning(const Launch &launch);
  void waitForWriters(const void *pointer, uint64_t size);
  static Status preparePlan(void *context, PlanInfo &info);
  Result<std::vector<ByteRange>>
  requestBytes(const void *base, const char *layout, int64_t count);
  void addNamedMemories(const SluicePlan &plan, MemoryUser &user);

  const RuntimeOptions options;
  std::unique_ptr<Trace> trace;
  Specializer specializer;
  /// Outlive all memory on them.
  DeviceSet devices;
  Placement placement;
  MemoryTracker tracker;
  QuietEnds quietEnds{tracker};
  /// Notified when memory is released.
  WaitPoint memoryReleased;
  PlanTable plans;
  HandleTable handles;
  /// Destroyed first: its workers use everything above.
  Executor executor;
  /// Guards what runs sequentially.
  std::mutex sequentialMutex;
  CheckedRun checkedRun;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_HOST_RUNTIME_H
