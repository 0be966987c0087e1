//===- HostRuntime.h - The runtime behind the C interface -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything the C entry points do, with errors as values, so that tests can
// look at them. One object lives from init to cleanup.
//
//
// Room: what programs call. The C interface of graphs, memory and devices for
// hosts, the support functions for kernels, and the one runtime object behind
// them. May include every room below: of all of them it checks the calls and
// decides nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_HOST_HOSTRUNTIME_H
#define SLUICE_RUNTIME_HOST_HOSTRUNTIME_H

#include "../Engine/Engine.h"
#include "../Engine/Launch.h"
#include "../Streams/Stream.h"

#include "sluice-c/Cluster.h"

#include <memory>
#include <mutex>
#include <set>
#include <utility>

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
  explicit Runtime(const RuntimeOptions &options) : engine(options) {}
  /// Stops the workers. `finish` first, unless the process ends.
  ~Runtime();

  /// Checks a plan, and does before its first launch what that would do.
  Status prepare(const SluicePlan &plan) {
    return engine.plans.find(plan).takeStatus();
  }
  /// Prepares a plan as its first launch does, for instances that others run on
  /// `getExecutor`.
  Result<const PlanInfo *> findPlan(const SluicePlan &plan);
  Executor &getExecutor() { return engine.executor; }
  unsigned numWorkers() { return engine.numWorkers(); }
  /// sluiceServesTeam.
  bool servesTeam(int numThreads) {
    return engine.options.hasNumWorkers ||
           numThreads >= static_cast<int>(engine.numWorkers());
  }

  /// See include/sluice-c/Runtime.h for what these do.
  [[gnu::always_inline]] Result<void *> launch(const SluicePlan *plan,
                                               void *arguments,
                                               const SluiceLayout *layout,
                                               bool isStream) {
    return launch(plan, arguments, layout,
                  isStream ? LaunchKind::Stream : LaunchKind::Plain);
  }
  [[gnu::always_inline]] Result<void *> launch(const SluicePlan *plan,
                                               void *arguments,
                                               const SluiceLayout *layout,
                                               LaunchKind kind) {
    const bool isOrdered = kind == LaunchKind::Ordered;
    if ((kind == LaunchKind::Plain || isOrdered) && plan && arguments &&
        !layout)
      if (void *graph = launchAgain(*plan, arguments, isOrdered))
        return graph;
    return launchInFull(plan, arguments, layout, kind);
  }
  [[gnu::always_inline]] Status wait(void *graph) {
    return tryWait(graph) ? Status() : waitInFull(graph);
  }
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
  /// The same for memory that is to be freed: what is elsewhere stays there.
  Status dropMemory(void *pointer);
  Result<void *> requestMemory(void *pointer, size_t size);
  /// The same for the bytes of a layout, and for sending them.
  Status requestMemoryPart(const void *base, const char *layout, int64_t count);
  Status sendMemoryPart(const void *base, const char *layout, int64_t count,
                        MemoryPlace place);
  /// The same for memory that need not be tracked.
  Status requestAnyMemory(void *pointer, size_t size);
  /// For code of the runtime that does what a host program would do with any
  /// bytes, not 0 of them: waits for their writers and makes the host's valid.
  Status useAnyMemory(const void *pointer, size_t size, HostUse use);

  /// Runs a table of tasks to its end; reports the first error of a task.
  /// `memory` as in Engine.
  Status runTable(const TaskTable &table,
                  const std::function<TableMemory()> &memory) {
    if (Status status = checkCaller("the run of a graph"); !status.ok())
      return status;
    return engine.runTable(table, memory);
  }
  /// Null unless runs are recorded.
  Recorder *getRecorder() const { return engine.recorder; }

  /// See sluiceParallelFor.
  int32_t parallelFor(LoopBody body, void *context, int64_t begin,
                      int64_t count) {
    return engine.executor.parallelFor(body, context, begin, count);
  }

  /// Has graphs run on all ranks; this is rank 0 of them, and the memory it
  /// tracks is that of the program. Before anything else.
  void useRanks(RankLink &link);
  /// Brings all memory home but what overlaps `ended`; from now on graphs run
  /// here.
  Status leaveRanks(ByteRange ended = {}) { return engine.leaveRanks(ended); }
  /// Whether other ranks are in the middle of something.
  bool areRanksBusy() const {
    return engine.getRanks() && engine.getRanks()->isBusy();
  }

  /// Whether launches are in flight, or streams open.
  bool hasLaunches() const { return launchInFlight().first != 0; }
  /// Refuses if launches are in flight; else writes the trace. The object is
  /// to be destroyed after a success.
  Status finish();
  /// Writes the trace, if there is one and it was not written, without asking
  /// drivers for what devices did last: they may have been shut down.
  Status writeTraceAtExit();
  /// Writes the trace so far to another file; the runtime makes one.
  Status writeTraceCopy(const std::string &path) {
    return engine.trace->writeCopy(path);
  }
  /// See HostAPI.h.
  void joinTraces(const SluiceCluster &cluster);
  /// A rank that serves: its timeline begins anew, as part of rank 0's.
  void joinTimelines(RankLink &link);
  /// On all ranks of a host program, if their timelines are one: rank 0 writes
  /// it. The other ranks do this when rank 0 says so.
  Status writeJoinedTimeline();
  /// Whether writeJoinedTimeline is still to come.
  bool hasJoinedTimeline() const { return tracedRanks != nullptr; }
  /// If several ranks run the same program, writes the timeline of all ranks.
  Status writeTimeline() {
    return engine.trace ? engine.trace->write(true) : Status();
  }
  Trace *getTrace() const { return engine.trace.get(); }
  /// As Engine::writeTiledTimes; a warning if that fails.
  void writeTiledTimes();

  MemoryTracker &getTracker() { return engine.tracker; }
  DeviceSet &getDevices() { return engine.devices; }
  Placement &getPlacement() { return engine.placement; }
  /// See sluicePlaceNode.
  Status placeNode(const SluicePlan &plan, const char *path,
                   const std::string &where);

private:
  /// How many launches are in flight, and the name of one.
  std::pair<uint64_t, const char *> launchInFlight() const;
  Status checkCaller(const char *call) const;
  Result<PlanEntry *> checkLaunch(const SluicePlan *plan, void *arguments,
                                  const SluiceLayout *layout, bool isStream);
  void *launchAgain(const SluicePlan &plan, void *arguments, bool isOrdered);
  bool tryWait(void *graph);
  Result<void *> launchInFull(const SluicePlan *plan, void *arguments,
                              const SluiceLayout *layout, LaunchKind kind);
  Status waitInFull(void *graph);
  Result<Launch *> idleLaunch(PlanEntry &entry, bool isCoarse);
  void remarkOnStream(const PlanInfo &info);
  Result<void *> launchStream(PlanEntry &entry, void *arguments,
                              const SluiceLayout *layout);
  /// Null if the handle is of no stream, or the caller a node.
  Stream *streamOfHost(void *graph) const {
    Worker *worker = Worker::current();
    Handled *object = engine.handles.find(graph);
    bool isStream = object && object->kind == Handled::Kind::Stream &&
                    !(worker && worker->insideKernel);
    return isStream ? static_cast<Stream *>(object) : nullptr;
  }
  Result<Stream *> findStream(void *graph, const char *call);
  Status bringFromRanks(const void *pointer, uint64_t size,
                        HostUse use = HostUse::ReadWrite);
  Result<std::vector<ByteRange>>
  requestBytes(const void *base, const char *layout, int64_t count);

  Engine engine;
  /// The ranks that share one timeline with this rank, until it is written.
  RankLink *tracedRanks = nullptr;
  std::mutex remarkMutex;
  std::set<const PlanInfo *> remarked;
};

// What most launches need, in a straight line: of a plan that this thread
// launched before, and waited for when they have ended. Null and false: it is
// something else, and nothing was done.

[[gnu::always_inline]] inline void *
Runtime::launchAgain(const SluicePlan &plan, void *arguments, bool isOrdered) {
  PlanEntry *entry = Worker::current() ? nullptr : engine.plans.lookUp(plan);
  auto *launch = entry ? static_cast<Launch *>(entry->nextOwnIdle()) : nullptr;
  if (!launch || !launch->startAgain(arguments, isOrdered))
    return nullptr;
  entry->takeOwnIdle();
  return launch->handle();
}

[[gnu::always_inline]] inline bool Runtime::tryWait(void *graph) {
  Handled *object = Worker::current() ? nullptr : engine.handles.find(graph);
  if (!object || object->kind != Handled::Kind::Launch)
    return false;
  auto &launch = static_cast<Launch &>(*object);
  if (!launch.hasEndedWell() || !engine.handles.claim(launch, graph))
    return false;
  launch.finish();
  launch.entry.putIdle(launch, launch.idle);
  return true;
}

} // namespace sluice

#endif // SLUICE_RUNTIME_HOST_HOSTRUNTIME_H
