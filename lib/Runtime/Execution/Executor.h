//===- Executor.h - Running graph instances on the pool -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Room: decides what may run next and runs it. Contains instances of graphs and
// their nodes, which count their pending predecessors (PendingCount); lists of
// small nodes, which have marks (ListRun.h); the call of a kernel; and the
// interpreter, the readable semantics of a plan. Interfaces cover nodes that
// run elsewhere, the choice of the best kernel, and the notification of an end
// (BackEnd, KernelChooser, InstanceOwner): the room includes no device, stream,
// check or task program. May include Base, KernelMemory, Scheduling, Plan and
// Trace.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_EXECUTOR_H
#define SLUICE_RUNTIME_EXECUTION_EXECUTOR_H

#include "../Scheduling/ParallelLoop.h"
#include "../Scheduling/Pool.h"
#include "Instance.h"
#include "WindowStore.h"

#include "sluice/Base/MachineCosts.h"

#include <algorithm>

namespace sluice {

class OutsideTask;
class Trace;
struct TaskTable;

/// How a graph instance runs:
///  1. `start` opens every node without all-to-all predecessors and makes the
///     nodes without any predecessor runnable. In an ordered instance each
///     node also waits for this start, and for nodes of other instances; the
///     owner reports the end of these nodes with `arrive`.
///  2. Opening a node evaluates its extents, allocates its arrays, picks its
///     kernel and splits its units into chunks. The nodes of a one-to-one
///     group share chunk boundaries, in instances.
///  3. A runnable node of one chunk is one task. A node of several chunks
///     deals them out, one contiguous share per worker, and puts one task into
///     a deque that invites other workers to take part; a worker that accepts
///     the invitation passes it on before it works.
///  4. When a chunk has ended, the same worker runs the same chunk of the
///     node's one-to-one successors that wait for nothing else.
///  5. When all chunks have ended, the all-to-all successors count down. The
///     first that is ready is continued directly, the others become tasks.
///     Nodes that follow each other row by row (TiledNodes.cpp) start together,
///     when all predecessors of all of them have ended, and end together; if
///     that does not pay, each runs by itself.
///  6. When all nodes without successors have ended, the instance has ended:
///     its memory is freed and its owner is notified.
/// In an instance of several items a node is one chunk: one worker runs it for
/// one item after another. If the order would be visible in memory that
/// different nodes share, one worker runs all nodes for one item after another.
/// After an error the same steps run without kernels, so that every counter has
/// its initial value when the instance ends.
/// A node with ordered dimensions is one chunk, or several chunks of whole
/// lanes (Steps.h). If its steps are expensive enough, the worker that runs
/// that chunk invites others to them (OrderedNode.cpp). A graph of only plain
/// nodes (PlainGraph.cpp) starts as one task, which runs nodes in order as long
/// as they are too small to share. When they become larger, other workers are
/// invited: each worker takes the nodes of its list, and those of lists whose
/// owners are busy elsewhere. Tables of tasks (TableGraph.cpp) run in the same
/// way, through all their loops.
class Executor final : public TaskRunner {
public:
  /// Strips of rows should fit `tileCache` bytes; 0: nodes never run strip by
  /// strip.
  explicit Executor(unsigned numWorkers, Trace *trace = nullptr,
                    uint64_t tileCache = 0);

  /// Begins an instance with its arguments in the frames. `worker` is the
  /// calling worker, or null. Nothing runs before this returns.
  void start(Worker *worker, GraphInstance &instance);
  /// The state in which `startHere` leaves an instance.
  enum class Started {
    Running,  ///< the owner has been or will be notified of the end
    Ended,    ///< all nodes have ended; the owner is not notified
    EndedLate ///< the same, and other workers could have helped
  };
  /// The same for an unordered instance behind which no others are ordered.
  /// Before this returns, runs nodes in this thread that together take at most
  /// `maxTime` nanoseconds by the times of earlier runs; if the thread
  /// `waitsAtOnce`, also nodes with which nobody else would help.
  Started startHere(Worker &worker, GraphInstance &instance, uint64_t maxTime,
                    bool waitsAtOnce = false);
  struct ExpectedWork {
    /// The time of all nodes in nanoseconds, if one worker runs them, by the
    /// times of earlier runs; the maximum value means not known.
    uint64_t time;
    uint64_t units;
  };
  /// For a launch with its arguments in its frame.
  static ExpectedWork expectedWork(GraphInstance &instance);
  /// Nanoseconds: work that takes less is not worth another worker, even if it
  /// is awake.
  static constexpr uint64_t leastShared = 4 * handOverTime;
  /// One event has happened for which `node` of an ordered instance waits.
  void arrive(Worker *worker, GraphInstance &instance, uint32_t node);
  /// Runs all nodes of an unordered instance, one after another, in this
  /// thread. The owner is not notified.
  void runInline(Worker &worker, GraphInstance &instance);
  /// The same as a task for any worker, which notifies the owner.
  void startInline(Worker *worker, GraphInstance &instance);

  /// Runs a table of tasks to completion; the calling host thread takes part as
  /// worker 0. Returns the first error of a task.
  Status runTable(const TaskTable &table);

  /// Calls `body` for `count` indices from `begin`; see sluiceParallelFor. Any
  /// thread may call it, also inside a kernel.
  int32_t parallelFor(LoopBody body, void *context, int64_t begin,
                      int64_t count);

  /// Null if there is no timeline.
  Trace *getTrace() const { return trace; }

  // For back ends.

  /// Prepares extents, chunks and arrays of a node. False: there is nothing to
  /// run; unless the launch has failed, its outputs are zeros.
  bool prepareNode(NodeRun &run);
  /// The same for a node of the host; also picks its kernel.
  void openNode(NodeRun &run);
  /// Allows workers to run an open node. Returns a task if the node waits for
  /// nothing else. Chunks that wait for those of other nodes become tasks when
  /// these have ended.
  WorkItem letRun(Worker *worker, NodeRun &run);
  /// Called when all nodes have ended.
  void finishInstance(Worker *worker, GraphInstance &instance);
  /// Makes a worker run the task. Any thread may call it.
  void pushOutsideTask(OutsideTask &task) {
    pool.push(nullptr, {&task, RunOutside});
  }

  void runTask(Worker &worker, WorkItem task) override;
  Pool &getPool() { return pool; }

private:
  class OrderedRun;
  class PlainRun;
  class TableRun;
  class WindowRun;
  /// The meaning of a task's number. The object is a NodeRun for the first two
  /// kinds, then a GraphInstance, a SharedRun, and an OutsideTask.
  enum TaskKind : uint64_t {
    RunChunk,
    JoinNode,
    RunWhole,
    JoinShared,
    RunOutside,
    RunTiles
  };
  static constexpr unsigned kindBits = 3;
  static WorkItem chunkTask(NodeRun &run, uint32_t chunk) {
    return {&run, uint64_t(chunk) << kindBits | RunChunk};
  }
  static WorkItem joinTask(NodeRun &run) { return {&run, JoinNode}; }
  static WorkItem inviteTask(SharedRun &run, uint32_t number) {
    return {&run, uint64_t(number) << kindBits | JoinShared};
  }

  /// Whether an invocation that is about to run is alone: other executors of
  /// the process may come and go between launches.
  static uint32_t isAlone(const PlanInfo &info) {
    return info.runsAlone && numExecutors.load(std::memory_order_relaxed) == 1;
  }
  static void chooseKernel(NodeRun &run) {
    run.invocation.isAlone = isAlone(run.instance->info);
    if (!run.info->variants)
      return;
    if (!run.keepsKernel)
      run.info->variants->choose(run);
    run.instance->info.costs[run.info->index].useKernel(
        reinterpret_cast<const void *>(run.kernel));
  }
  static bool findExtents(NodeRun &run);
  static Status countExtents(NodeRun &run);
  static Status evaluateExtents(NodeRun &run) {
    return findExtents(run) ? Status() : countExtents(run);
  }
  void evaluateExtents(NodeRun &run, NodeCounts &counts);
  void decideChunks(NodeRun &run, const NodeCounts &counts);
  void decideGroup(NodeRun &run, const NodeCounts &counts, GroupRun &group);
  uint64_t itemCost(const GraphInstance &instance, const GroupInfo &group,
                    uint64_t unitsPerItem) const;
  bool checkGroup(NodeRun &run, const NodeRun &groupsFirst, uint32_t item = 0);
  void openGate(Worker *worker, NodeRun &run);
  /// Deals out the chunks of an open node. From here on workers may run it,
  /// even workers that an earlier run has invited; returns a task that does so.
  WorkItem makeRunnable(NodeRun &run);
  WorkItem openReadyNode(Worker *worker, NodeRun &run);

  bool decideTiles(GraphInstance &instance, uint32_t first);
  void startWithTiles(Worker *worker, GraphInstance &instance);
  bool mayTile(GraphInstance &instance, const TileInfo &tile, TileRun &run);
  bool chooseTiles(const TileInfo &tile, const TileCost::Choice &choice,
                   TileRun &run) const;
  static void noteTiles(GraphInstance &instance);
  bool evaluateRows(GraphInstance &instance, const TileInfo &tile,
                    uint64_t &rows);
  static WorkItem tilesTask(GraphInstance &instance, uint32_t tile) {
    return {&instance, uint64_t(tile) << kindBits | RunTiles};
  }
  WorkItem arriveAtTile(GraphInstance &instance, uint32_t tile);
  WorkItem runTiles(Worker &worker, GraphInstance &instance, uint32_t number);
  void runBand(GraphInstance &instance, const TileInfo &tile,
               const TileBand &band);
  bool runRows(NodeRun &run, const SluiceInvocation &invocation, uint64_t begin,
               uint64_t end);
  bool runInWindows(GraphInstance &instance, const TileInfo &tile,
                    const TileRun &run);
  WorkItem finishTiles(Worker &worker, GraphInstance &instance,
                       const TileInfo &tile);
  bool finishSinks(Worker &worker, GraphInstance &instance, uint32_t count);
  bool isInActiveTile(const GraphInstance &instance, uint32_t node) const {
    uint32_t tile = instance.info.nodes[node].tile;
    return tile != SLUICE_NO_INDEX && instance.tiles[tile].isActive;
  }
  WorkItem arriveAtSuccessors(Worker &worker, GraphInstance &instance,
                              std::span<const uint32_t> successors);

  WorkItem joinNode(Worker &worker, NodeRun &run);
  WorkItem runChain(Worker &worker, NodeRun &first, uint32_t chunk);
  void runChunk(Worker &worker, NodeRun &run, uint32_t chunk);
  void runItems(Worker &worker, NodeRun &run, uint32_t begin, uint32_t end);
  void runPlainItems(Worker &worker, NodeRun &run, uint32_t begin,
                     uint32_t end);
  const NodeCounts *countItem(NodeRun &run, uint32_t item);
  static const NodeCounts *countAnew(NodeRun &run, uint32_t item);
  bool prepareItem(NodeRun &run, uint32_t item, const NodeCounts &counts);
  bool prepareInFull(NodeRun &run, uint32_t item, const NodeCounts &counts);
  uint32_t runCheapNodes(Worker &worker, GraphInstance &instance,
                         uint64_t maxTime, bool waitsAtOnce, bool &isLate);
  void runTimedNode(Worker &worker, NodeRun &run, uint64_t numUnits);
  void startFrom(Worker &worker, GraphInstance &instance, uint32_t first);
  WorkItem finishChunks(Worker &worker, NodeRun &run, uint32_t count);
  void addTiming(NodeRun &run, uint64_t time);
  WorkItem finishNode(Worker &worker, NodeRun &run);
  void endInstance(GraphInstance &instance);
  void traceInstance(const GraphInstance &instance);
  std::atomic<uint32_t> &chunkWaits(NodeRun &run, uint32_t chunk);

  void runWhole(Worker &worker, GraphInstance &instance);
  bool runPlainGraph(Worker &worker, GraphInstance &instance);
  void sharePlainNodes(Worker &worker, GraphInstance &instance, uint32_t first,
                       bool isTimed);
  void callPlainNodes(Worker &worker, GraphInstance &instance, uint32_t begin,
                      uint32_t end);
  void tracePlainNodes(Worker &worker, GraphInstance &instance, uint32_t begin,
                       uint32_t end);

  Partition splitLanes(const NodeRun &run, const NodeCounts &counts) const;
  bool shareSteps(Worker &worker, NodeRun &run);
  OrderedRun &idleOrderedRun();

  TableRun &idleTableRun();
  void joinShared(Worker &worker, SharedRun &run, uint32_t number);

  /// The executors of the process.
  static inline std::atomic<unsigned> numExecutors{0};
  struct Counted {
    Counted() { numExecutors.fetch_add(1); }
    ~Counted() { numExecutors.fetch_sub(1); }
    Counted(const Counted &) = delete;
    Counted &operator=(const Counted &) = delete;
  };

  const Counted counted;
  const unsigned numWorkers;
  Trace *const trace;
  std::mutex orderedRunsMutex;
  std::vector<std::unique_ptr<SharedRun>> orderedRuns;
  std::vector<OrderedRun *> idleOrderedRuns;
  const uint64_t tileCache;
  WindowStore windows;
  std::mutex tableRunsMutex;
  std::vector<std::unique_ptr<SharedRun>> tableRuns;
  std::vector<SharedRun *> idleTableRuns;
  ParallelLoops loops{pool};
  Pool pool;
};

// Every launch and every item calls these functions once for each node.

/// Evaluates the extents of a node. Returns true if they are the same as last
/// time, and have been counted.
inline bool Executor::findExtents(NodeRun &run) {
  constexpr uint32_t maxLevels = 4;
  const SluicePlanNode &node = *run.info->node;
  int64_t *known = run.instance->extents.get() + run.info->extentsOffset;
  if (!run.isCounted || node.numLevels > maxLevels) {
    node.extents(run.invocation.frame, known);
    return false;
  }
  int64_t found[3 * maxLevels];
  node.extents(run.invocation.frame, found);
  for (uint32_t i = 0; i < 3 * node.numLevels; ++i) {
    if (found[i] == known[i])
      continue;
    std::copy_n(found, 3 * node.numLevels, known);
    return false;
  }
  return true;
}

/// The counts for the extents of one item; null if they are wrong.
inline const NodeCounts *Executor::countItem(NodeRun &run, uint32_t item) {
  run.invocation.frame = run.instance->frameOf(item);
  if (!run.info->node->extents)
    return &run.info->constantCounts;
  return findExtents(run) ? &run.counts : countAnew(run, item);
}

/// Prepares arrays and kernel for one item with counted instances; false if
/// there is no unit to run.
inline bool Executor::prepareItem(NodeRun &run, uint32_t item,
                                  const NodeCounts &counts) {
  if ((!run.info->isDirect || counts.empty) &&
      !prepareInFull(run, item, counts))
    return false;
  chooseKernel(run);
  return true;
}

/// Frees the memory of the instance's nodes.
inline void Executor::endInstance(GraphInstance &instance) {
  instance.memory.reset();
  if (instance.tiledBytes)
    noteTiles(instance);
  if (trace)
    traceInstance(instance);
}

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_EXECUTOR_H
