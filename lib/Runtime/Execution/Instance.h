//===- Instance.h - One graph instance in flight --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch, or a batch of stream items, is an instance of its plan: a frame for
// the values of each item and a record per node. Instances are reused for the
// same plan; those of launches are never freed before the runtime ends. So a
// task left in a queue may always access its record.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_EXECUTION_INSTANCE_H
#define SLUICE_RUNTIME_EXECUTION_INSTANCE_H

#include "../KernelMemory/InstanceMemory.h"
#include "../Plan/PlanInfo.h"
#include "../Scheduling/FloatingControl.h"

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
  /// Sets the kernel of a node that is about to run, the number of units that
  /// this kernel runs at once, and `variant`, which keeps
  /// that kernel loaded until the next call. If it sets `keepsKernel`, it need
  /// not be called again while the extents stay the same.
  virtual void choose(NodeRun &run) = 0;
};
class BackEnd;
class SharedRun;
class Worker;

/// Chunks of one node that wait for a worker, one range per worker. A range is
/// (first << 32 | end); the owner takes from its front, other workers from its
/// back, both by compare-and-swap. A worker that takes a chunk may run it, no
/// matter when it learned of the node.
class ChunkShares {
public:
  explicit ChunkShares(unsigned numWorkers)
      : numWorkers(numWorkers), shares(new Share[numWorkers]) {}

  /// Deals out all chunks; the node's record must be complete.
  void deal(uint32_t numChunks);
  /// Takes a chunk for `worker`, from its own share first.
  bool take(unsigned worker, uint32_t &chunk);
  /// An estimate whether a worker would find a chunk.
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

/// The number of events for which a node waits before it opens: its all-to-all
/// predecessors and, in an ordered instance, nodes of earlier items and the
/// instance's start. All predecessors are counted here, on the host, on devices
/// and for the items of streams. (Small nodes on lists have marks instead;
/// ListRun.h explains why.)
class PendingCount {
public:
  /// Sets the number of events in every following run.
  void expect(uint32_t number) {
    total = number;
    set(number);
  }
  bool isNeeded() const { return total != 0; }
  /// Records one event. Returns true for the last one; then the count is reset.
  bool arrive() {
    if (total == 1)
      return true;
    if (count.fetch_sub(1, std::memory_order_acq_rel) != 1)
      return false;
    set(total);
    return true;
  }

  // For back ends, which may cancel events; under a lock.

  void callOff() { count.fetch_add(1, std::memory_order_relaxed); }
  /// Sets the number of events still to happen; at least 1.
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
  uint32_t unitsAtOnce = 1; ///< by this kernel
  SluiceInvocation invocation = {};
  /// The counts for the extents in `invocation`, if they were counted.
  NodeCounts counts;
  bool isCounted = false;
  Partition partition;
  /// Units per instance, if chunks are ranges of instances.
  uint64_t unitsPerItem = 1;
  /// Nothing to run: no instances, or the launch has failed.
  bool skip = false;
  /// Measure the time of this run, over all chunks.
  bool isTimed = false;
  std::atomic<uint64_t> nanoseconds{0};
  /// The start of a timed run of several chunks; else 0. See Clock.h.
  uint64_t startTime = 0;
  /// The last chosen variant; null: the plan's own kernel.
  KernelVariant *variant = nullptr;
  /// The kernel depends only on these extents.
  bool keepsKernel = false;
  std::unique_ptr<ChunkShares> shares;
  PendingCount pending;
  std::atomic<uint32_t> pendingChunks{0};
  /// One-to-one successors that continue chunk by chunk, and the number of such
  /// one-to-one predecessors: all of them, or those where both nodes run on the
  /// host.
  std::span<const uint32_t> chained;
  uint32_t numChained = 0;

  UnitRange chunkUnits(uint32_t chunk) const {
    UnitRange range = partition.chunk(chunk);
    return {range.begin * unitsPerItem, range.end * unitsPerItem};
  }
};

/// Chunks that the nodes of a one-to-one group share; the first opened node
/// decides them.
struct GroupRun {
  std::mutex mutex;
  bool decided = false;
  /// The deciding node and its extents.
  const NodeRun *first = nullptr;
  Partition partition;
  /// For each chunk of each node, the number of one-to-one predecessors, plus
  /// the opening of the node itself, for which it still waits: `numChunks`
  /// counters per node of the group.
  std::unique_ptr<std::atomic<uint32_t>[]> waits;
  size_t waitsCapacity = 0;
};

/// Nodes that run together strip by strip. See TiledNodes.cpp.
struct TileRun {
  /// In this run; otherwise the nodes run one by one.
  bool isActive = false;
  /// Nodes outside of the group that have not ended yet.
  std::atomic<uint32_t> pending{0};
  /// The number of bytes behind all pointers, and the maximum number of rows of
  /// any node.
  uint64_t bytes = 0, rows = 0;
  TileWay way;
  std::vector<TileBand> bands;
};

class InstanceOwner {
public:
  virtual ~InstanceOwner() = default;
  /// Called on a worker when everything has ended; the instance may be reused
  /// as soon as this has been called.
  virtual void instanceEnded(Worker *worker) = 0;
  /// Called when a node of an instance with `reportsNodes` has ended.
  virtual void nodeEnded(Worker *worker, uint32_t node) {}
};

class GraphInstance {
public:
  /// Space for `maxItems` items. With `isCoarse`, every node of a launch is
  /// worth a worker.
  GraphInstance(const PlanInfo &info, InstanceOwner &owner,
                uint32_t maxItems = 1, bool isCoarse = false);
  ~GraphInstance();
  GraphInstance(const GraphInstance &) = delete;
  GraphInstance &operator=(const GraphInstance &) = delete;

  const PlanInfo &info;
  InstanceOwner &owner;
  /// The values of the first item; those of the other items follow.
  unsigned char *frame;
  unsigned char *frameOf(uint32_t item) const {
    return frame + item * info.frameBytes;
  }
  /// Null in a launch of a plain graph that was never placed.
  std::unique_ptr<NodeRun[]> runs;
  std::unique_ptr<GroupRun[]> groups;
  std::unique_ptr<TileRun[]> tiles;
  /// The chosen way of the groups of this run, the memory that they access, and
  /// the start time; 0 bytes means not timed.
  TileCost::Choice tileChoice;
  uint64_t tiledBytes = 0, tilesStart = 0;
  std::unique_ptr<int64_t[]> extents;
  /// A launch of a plain graph; `plainRun` is made when it is shared.
  const bool isPlainLaunch;
  std::unique_ptr<SharedRun> plainRun;
  /// The back end of the next or current run, if some of its nodes are not on
  /// the host.
  BackEnd *getBackEnd() const { return backEnd; }
  /// Call it before a start, and before arrivals are expected.
  void setBackEnd(BackEnd *newBackEnd) {
    if (backEnd && !newBackEnd)
      expectPlan();
    backEnd = newBackEnd;
  }
  /// Made when the first run needs it.
  std::unique_ptr<BackEnd> ownBackEnd;
  InstanceMemory memory;
  /// That of the thread which has launched it.
  FloatingControl control = FloatingControl::current();
  std::atomic<uint32_t> pendingSinks{0};
  /// See Clock.h; only set while tracing: the start, and the request for its
  /// memory before that.
  uint64_t startTime = 0, claimTime = 0;

  /// One worker runs all nodes in order.
  bool isSerial = false;
  /// Some nodes wait for nodes of other instances: see Executor::arrive.
  bool isOrdered = false;
  /// The owner wants to be notified when nodes end.
  bool reportsNodes = false;
  /// The end need not be announced before somebody waits for it.
  bool mayEndQuietly = false;
  /// Share nodes wherever that may help, whatever is known of each node.
  bool prefersSharing = false;
  /// Nodes may not run ahead of each other within the instance's items.
  bool goesItemByItem = false;
  /// Add up the time spent in kernels.
  bool isTimed = false;
  std::atomic<uint64_t> busyNanoseconds{0};

  /// Makes `runs` and its data, if missing.
  void makeRuns();

  uint32_t numItems() const { return itemCount; }
  /// Call it before a start: sets the number of items and clears failures.
  void setNumItems(uint32_t count) {
    itemCount = count;
    goodItems.store(count, std::memory_order_relaxed);
  }
  /// Makes the next start an ordered one, in which node i also waits for
  /// `numArrivals[i]` calls of Executor::arrive.
  void expectArrivals(std::span<const uint32_t> numArrivals);
  void expectNoArrivals();
  /// The number of items before the first one that failed.
  uint32_t numGoodItems() const {
    return goodItems.load(std::memory_order_relaxed);
  }
  /// Whether there is no item left for which nodes should run.
  bool failed() const { return numGoodItems() == 0; }
  /// Records the error of an item, unless the same or an earlier item has
  /// already failed. Work for this item and later ones that has not begun does
  /// not run.
  void fail(Status status, uint32_t item = 0);
  /// Returns the error once; the instance must have ended.
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

/// Zeros the outputs of a node without instances.
void zeroOutputs(const SluicePlanNode &node, unsigned char *frame);
/// Allocates the arrays of a node's outputs, `zeroed` if no instance runs. The
/// extents have been checked.
Status allocateArrays(const SluicePlanNode &node, const int64_t *extents,
                      unsigned char *frame, bool zeroed,
                      InstanceMemory &memory);

} // namespace sluice

#endif // SLUICE_RUNTIME_EXECUTION_INSTANCE_H
