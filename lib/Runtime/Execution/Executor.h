//===- Executor.h - Running graph instances on the pool -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Room: decides what may run next and runs it. Instances of graphs and their
// nodes, which count what they wait for (PendingCount); lists of small nodes,
// which are marked (ListRun.h); the call of a kernel, and the interpreter, the
// readable meaning of a plan. Where nodes run that are not on these cores,
// which kernel is best, and who is told of an end stand behind interfaces
// (BackEnd, KernelChooser, InstanceOwner): no device, stream, check or task
// program is included. May include Base, KernelMemory, Scheduling, Plan and
// Trace.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_EXECUTOR_H
#define SLUICE_RUNTIME_EXECUTION_EXECUTOR_H

#include "../Scheduling/ParallelLoop.h"
#include "../Scheduling/Pool.h"
#include "Instance.h"
#include "WindowStore.h"

#include <algorithm>

namespace sluice {

class OutsideTask;
class Trace;
struct TaskTable;

/// How a graph instance runs:
///
///  1. `start` opens every node without all-to-all predecessors and makes the
///     nodes without any predecessor runnable. In an ordered instance each
///     node also waits for this start, and for nodes of other instances, whose
///     ends the owner reports with `arrive`.
///  2. Opening a node evaluates its extents, allocates its arrays, picks its
///     kernel and splits its units into chunks. The nodes of a one-to-one
///     group share chunk boundaries, in instances.
///  3. A runnable node of one chunk is one task. A node of several chunks
///     deals them out, one contiguous share per worker, and leaves one task in
///     a deque that invites others to take part; who accepts the invitation
///     passes it on before working.
///  4. When a chunk has ended, the same worker runs the same chunk of the
///     node's one-to-one successors that wait for nothing else.
///  5. When all chunks have ended, the all-to-all successors count down. The
///     first that is ready is continued directly, the others become tasks.
///     Nodes that follow each other row by row (TiledNodes.cpp) start together,
///     when all that any of them waits for has ended, and end together; where
///     that does not pay, each by itself.
///  6. When all nodes without successors have ended, the instance has ended:
///     its memory is freed and its owner is told.
///
/// In an instance of several items a node is one chunk: one worker runs it for
/// one item after another. Where that would show in memory that different
/// nodes share, one worker runs all nodes for one item after another.
///
/// After an error the same steps run without kernels, so that every counter is
/// back at its start when the instance ends.
///
/// A node whose dimensions are ordered is one chunk, or several of whole lanes
/// (Steps.h). Where its steps are worth it, the worker that runs that chunk
/// invites others to them (OrderedNode.cpp).
///
/// A graph of plain nodes alone (PlainGraph.cpp) starts as one task, which
/// runs nodes in order as long as they are too small to share. As soon as they
/// are not, others are invited: each worker takes the nodes of its list, and
/// those of lists whose owners are away. Tables of tasks (TableGraph.cpp) run
/// in the same way, through all their loops.
class Executor final : public TaskRunner {
public:
  /// Strips of rows are to fit `tileCache` bytes; 0: nodes never run strip by
  /// strip.
  explicit Executor(unsigned numWorkers, Trace *trace = nullptr,
                    uint64_t tileCache = 0);

  /// Begins an instance whose arguments stand in the frames. `worker` is the
  /// calling worker, or null. Nothing runs before this returns.
  void start(Worker *worker, GraphInstance &instance);
  /// What `startHere` leaves.
  enum class Started {
    Running,  ///< the owner is told of the end, or was
    Ended,    ///< all nodes have ended; the owner is not told
    EndedLate ///< likewise, and others might have helped
  };
  /// The same for an unordered instance that nobody ordered others behind.
  /// Nodes that take at most `maxTime` nanoseconds together, by the times of
  /// earlier runs, run before this returns, in this thread; and if the thread
  /// `waitsAtOnce`, those that nobody else would help with.
  Started startHere(Worker &worker, GraphInstance &instance, uint64_t maxTime,
                    bool waitsAtOnce = false);
  struct ExpectedWork {
    /// Of all nodes, if one worker runs them, in nanoseconds, by the times of
    /// earlier runs; the maximum: not known.
    uint64_t time;
    uint64_t units;
  };
  /// Of a launch whose arguments stand in its frame.
  static ExpectedWork expectedWork(GraphInstance &instance);
  /// Nanoseconds: what takes less is not worth another worker, even one that
  /// is awake.
  static constexpr uint64_t leastShared = 4000;
  /// One thing happened that `node` of an ordered instance waits for.
  void arrive(Worker *worker, GraphInstance &instance, uint32_t node);
  /// Runs all nodes of an unordered instance, one after another, in this
  /// thread. The owner is not told.
  void runInline(Worker &worker, GraphInstance &instance);
  /// The same as a task for any worker, which tells the owner.
  void startInline(Worker *worker, GraphInstance &instance);

  /// Runs a table of tasks to its end; the calling host thread takes part as
  /// worker 0. Reports the first error of a task.
  Status runTable(const TaskTable &table);

  /// Calls `body` for `count` indices from `begin`; see sluiceParallelFor. Any
  /// thread, also inside of a kernel.
  int32_t parallelFor(LoopBody body, void *context, int64_t begin,
                      int64_t count);

  /// Null: there is no timeline.
  Trace *getTrace() const { return trace; }

  // For back ends.

  /// Extents, chunks and arrays of a node. False: there is nothing to run; if
  /// the launch has not failed, its outputs are zeros.
  bool prepareNode(NodeRun &run);
  /// The same for a node of the host, and picks its kernel.
  void openNode(NodeRun &run);
  /// From here on workers may run an open node. A task if the node waits for
  /// nothing else; chunks that wait for those of others become tasks when these
  /// have ended.
  WorkItem letRun(Worker *worker, NodeRun &run);
  /// All nodes have ended.
  void finishInstance(Worker *worker, GraphInstance &instance);
  /// Has a worker run the task. Any thread.
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
  /// What the number of a task means; the object is a NodeRun for the first
  /// two, then a GraphInstance, a SharedRun, and an OutsideTask.
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

  static void chooseKernel(NodeRun &run) {
    if (run.info->variants && !run.keepsKernel)
      run.info->variants->choose(run);
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
  /// even those that a run before has invited; returns a task that does.
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

// Every launch and every item does these, once for each node.

/// Evaluates the extents of a node. True: they are those of the time before,
/// which were counted.
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

/// What the extents for one item span; null if they are wrong.
inline const NodeCounts *Executor::countItem(NodeRun &run, uint32_t item) {
  run.invocation.frame = run.instance->frameOf(item);
  if (!run.info->node->extents)
    return &run.info->constantCounts;
  return findExtents(run) ? &run.counts : countAnew(run, item);
}

/// Arrays and kernel for one item, whose instances were counted; false if no
/// unit is to run.
inline bool Executor::prepareItem(NodeRun &run, uint32_t item,
                                  const NodeCounts &counts) {
  if ((!run.info->isDirect || counts.empty) &&
      !prepareInFull(run, item, counts))
    return false;
  chooseKernel(run);
  return true;
}

/// Frees what the instance's nodes left.
inline void Executor::endInstance(GraphInstance &instance) {
  instance.memory.reset();
  if (instance.tiledBytes)
    noteTiles(instance);
  if (trace)
    traceInstance(instance);
}

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_EXECUTOR_H
