//===- Instance.h - One graph instance in flight --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch, or a batch of stream items, is an instance of its plan: a frame
// for the values of each item and a record per node. Instances are used again
// for the same plan; those of launches are never freed before the runtime
// ends. A task left behind in some queue may therefore always look at the
// record it names.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_INSTANCE_H
#define SLUICE_RUNTIME_EXECUTION_INSTANCE_H

#include "../KernelMemory/InstanceMemory.h"
#include "../Plan/PlanInfo.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace sluice {

class GraphInstance;
class KernelVariant;
struct NodeRun;

/// Chooses a kernel each time a node runs; see PlanInfo.
class KernelChooser {
public:
  virtual ~KernelChooser() = default;
  /// Sets the kernel of a node that is about to run, and `variant`, which keeps
  /// that kernel open until the next call. Needs no call as long as the extents
  /// are the same if it sets `keepsKernel`.
  virtual void choose(NodeRun &run) = 0;
};
class BackEnd;
class SharedRun;
class Worker;

/// Chunks of one node that wait for a worker, one range per worker. A range
/// is (first << 32 | end); the owner takes from its front, others from its
/// back, both by compare-and-swap. Whoever takes a chunk from it may run it,
/// no matter when it learned of the node.
class ChunkShares {
public:
  explicit ChunkShares(unsigned numWorkers)
      : numWorkers(numWorkers), shares(new Share[numWorkers]) {}

  /// Deals out all chunks; the node's record must be complete.
  void deal(uint32_t numChunks);
  /// Takes a chunk for `worker`, from its own share first.
  bool take(unsigned worker, uint32_t &chunk);
  /// A guess: whether a worker would find a chunk.
  bool looksEmpty() const;

private:
  struct alignas(64) Share {
    std::atomic<uint64_t> range{0};
  };
  static bool takeFront(Share &share, uint32_t &chunk);
  static bool takeBack(Share &share, uint32_t &chunk);

  unsigned numWorkers;
  std::unique_ptr<Share[]> shares;
};

/// What a node waits for before it opens: its all-to-all predecessors and, in
/// an ordered instance, nodes of earlier items and the instance's start. The
/// only place where predecessors are counted, on these cores, on devices and
/// for the items of streams. (Small nodes on lists have marks instead: see
/// ListRun.h, which says why.)
class PendingCount {
public:
  /// How many things have to happen in every run from now on.
  void expect(uint32_t number) {
    total = number;
    set(number);
  }
  bool isNeeded() const { return total != 0; }
  /// One of them has happened. True: it was the last; the count is at its start
  /// again.
  bool arrive() {
    if (total == 1)
      return true;
    if (count.fetch_sub(1, std::memory_order_acq_rel) != 1)
      return false;
    set(total);
    return true;
  }

  // For back ends, which may call off what has happened; under a lock.

  void callOff() { count.fetch_add(1, std::memory_order_relaxed); }
  /// So many have still to happen; at least 1.
  void set(uint32_t number) { count.store(number, std::memory_order_relaxed); }

private:
  uint32_t total = 0;
  std::atomic<uint32_t> count{0};
};

/// A node of one graph instance.
struct NodeRun {
  const NodeInfo *info = nullptr;
  GraphInstance *instance = nullptr;
  SluiceKernel kernel = nullptr;
  SluiceInvocation invocation = {};
  /// What the extents in `invocation` span, if they were counted.
  NodeCounts counts;
  bool isCounted = false;
  Partition partition;
  /// Units per instance where chunks are ranges of instances.
  uint64_t unitsPerItem = 1;
  /// Nothing to run: no instances, or the launch has failed.
  bool skip = false;
  /// This run's time is measured, over all chunks.
  bool isTimed = false;
  std::atomic<uint64_t> nanoseconds{0};
  /// When a timed run of several chunks began; else 0. See Clock.h.
  uint64_t startTime = 0;
  /// Of the last kernel chosen; null: the plan's own kernel.
  KernelVariant *variant = nullptr;
  /// The kernel is the one for these extents, whatever else changes.
  bool keepsKernel = false;
  std::unique_ptr<ChunkShares> shares;
  PendingCount pending;
  std::atomic<uint32_t> pendingChunks{0};
  /// One-to-one successors and the number of one-to-one predecessors that go
  /// chunk by chunk: all of them, or those where both nodes run on these cores.
  std::span<const uint32_t> chained;
  uint32_t numChained = 0;

  UnitRange chunkUnits(uint32_t chunk) const {
    UnitRange range = partition.chunk(chunk);
    return {range.begin * unitsPerItem, range.end * unitsPerItem};
  }
};

/// Chunks that the nodes of a one-to-one group share, decided by the first of
/// them that is opened.
struct GroupRun {
  std::mutex mutex;
  bool decided = false;
  /// The node that decided and its extents.
  const NodeRun *first = nullptr;
  Partition partition;
  /// How many one-to-one sources, and the node's own opening, each chunk of
  /// each node still waits for: `numChunks` counters per node of the group.
  std::unique_ptr<std::atomic<uint32_t>[]> waits;
  size_t waitsCapacity = 0;
};

/// Nodes that run strip by strip, as one. See TiledNodes.cpp.
struct TileRun {
  /// In this run; else the nodes run one by one.
  bool isActive = false;
  /// Nodes outside that have still to end.
  std::atomic<uint32_t> pending{0};
  /// Behind all pointers, and the most of any node.
  uint64_t bytes = 0, rows = 0;
  TileWay way;
  std::vector<TileBand> bands;
};

class InstanceOwner {
public:
  virtual ~InstanceOwner() = default;
  /// Called on a worker when everything has ended; the instance may be used
  /// again as soon as this was called.
  virtual void instanceEnded(Worker *worker) = 0;
  /// Called when a node of an instance with `reportsNodes` has ended.
  virtual void nodeEnded(Worker *worker, uint32_t node) {}
};

class GraphInstance {
public:
  /// Room for `maxItems` items. With `isCoarse`, every node of a launch is
  /// worth a worker.
  GraphInstance(const PlanInfo &info, InstanceOwner &owner,
                uint32_t maxItems = 1, bool isCoarse = false);
  ~GraphInstance();
  GraphInstance(const GraphInstance &) = delete;
  GraphInstance &operator=(const GraphInstance &) = delete;

  const PlanInfo &info;
  InstanceOwner &owner;
  /// The values of the first item; those of the others follow.
  unsigned char *frame;
  unsigned char *frameOf(uint32_t item) const {
    return frame + item * info.frameBytes;
  }
  /// Null in a launch of a plain graph that was never placed.
  std::unique_ptr<NodeRun[]> runs;
  std::unique_ptr<GroupRun[]> groups;
  std::unique_ptr<TileRun[]> tiles;
  /// How the groups of this run go, what they touch, and since when; 0 bytes:
  /// that is not timed.
  TileCost::Choice tileChoice;
  uint64_t tiledBytes = 0, tilesStart = 0;
  std::unique_ptr<int64_t[]> extents;
  /// A launch of a plain graph; `plainRun` is made when it is shared.
  const bool isPlainLaunch;
  std::unique_ptr<SharedRun> plainRun;
  /// Of the next or present run, if some of its nodes are not on these cores.
  BackEnd *getBackEnd() const { return backEnd; }
  /// Before a start, and before arrivals are expected.
  void setBackEnd(BackEnd *newBackEnd) {
    if (backEnd && !newBackEnd)
      expectPlan();
    backEnd = newBackEnd;
  }
  /// Made when the first run needs it.
  std::unique_ptr<BackEnd> ownBackEnd;
  InstanceMemory memory;
  std::atomic<uint32_t> pendingSinks{0};
  /// See Clock.h; only set while tracing: when it started, and before that
  /// asked for its memory.
  uint64_t startTime = 0, claimTime = 0;

  /// One worker runs all nodes, in their order.
  bool isSerial = false;
  /// Some nodes wait for nodes of other instances: see Executor::arrive.
  bool isOrdered = false;
  /// The owner wants to know when nodes end.
  bool reportsNodes = false;
  /// Nobody needs to know that it has ended before somebody waits for it.
  bool mayEndQuietly = false;
  /// Nodes are shared wherever that may gain, whatever is known of each.
  bool prefersSharing = false;
  /// Nodes may not run ahead of each other within the instance's items.
  bool goesItemByItem = false;
  /// The time spent in kernels is added up.
  bool isTimed = false;
  std::atomic<uint64_t> busyNanoseconds{0};

  /// Makes `runs` and what belongs to it, if that is missing.
  void makeRuns();

  uint32_t numItems() const { return itemCount; }
  /// Before a start: how many items there are; forgets failures.
  void setNumItems(uint32_t count) {
    itemCount = count;
    goodItems.store(count, std::memory_order_relaxed);
  }
  /// Makes the next start an ordered one, in which node i also waits for
  /// `numArrivals[i]` calls of Executor::arrive.
  void expectArrivals(std::span<const uint32_t> numArrivals);
  void expectNoArrivals();
  /// Items before the first one that failed.
  uint32_t numGoodItems() const {
    return goodItems.load(std::memory_order_relaxed);
  }
  /// No item is left that nodes should run for.
  bool failed() const { return numGoodItems() == 0; }
  /// Records the error of an item, unless an earlier item or the same one
  /// failed already. What has not begun yet does not run, for this item and
  /// those behind it.
  void fail(Status status, uint32_t item = 0);
  /// The error, once; the instance must have ended.
  Status takeError() {
    bool isGood = goodItems.load(std::memory_order_acquire) == itemCount;
    return isGood ? Status() : takeFirstError();
  }

private:
  void expectPlan();
  Status takeFirstError();

  BackEnd *backEnd = nullptr;
  uint32_t itemCount = 1;
  std::atomic<uint32_t> goodItems{1};
  std::mutex errorMutex;
  Status error;
};

/// Zeros the values a node without instances delivers.
void zeroOutputs(const SluicePlanNode &node, unsigned char *frame);
/// Allocates the arrays of a node's outputs, `zeroed` if no instance runs. The
/// extents were checked.
Status allocateArrays(const SluicePlanNode &node, const int64_t *extents,
                      unsigned char *frame, bool zeroed,
                      InstanceMemory &memory);

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_INSTANCE_H
