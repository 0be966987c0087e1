//===- Instance.h - One graph instance in flight --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch, or one item of a stream, is an instance of its plan: a frame for
// the values and a record per node. Instances are used again for the same
// plan and never freed before the runtime ends. A task left behind in some
// queue may therefore always look at the record it names.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_INSTANCE_H
#define SLUICE_RUNTIME_INSTANCE_H

#include "InstanceMemory.h"
#include "PlanInfo.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace sluice {

class GraphInstance;
class KernelVariant;
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

/// A node of one graph instance.
struct NodeRun {
  const NodeInfo *info = nullptr;
  GraphInstance *instance = nullptr;
  SluiceKernel kernel = nullptr;
  SluiceInvocation invocation = {};
  Partition partition;
  /// Units per instance where chunks are ranges of instances.
  uint64_t unitsPerItem = 1;
  /// Nothing to run: no instances, or the launch has failed.
  bool skip = false;
  /// This run's time is measured, over all chunks.
  bool isTimed = false;
  std::atomic<uint64_t> nanoseconds{0};
  /// Held while the node runs; null: the plan's own kernel.
  KernelVariant *variant = nullptr;
  std::unique_ptr<ChunkShares> shares;
  /// Counts down to 0 and is set again when the node becomes ready.
  std::atomic<uint32_t> pendingAllToAll{0};
  std::atomic<uint32_t> pendingChunks{0};

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

/// Called on a worker when everything has ended; the instance may be used
/// again as soon as this was called.
class InstanceOwner {
public:
  virtual ~InstanceOwner() = default;
  virtual void instanceEnded(Worker *worker) = 0;
};

class GraphInstance {
public:
  GraphInstance(const PlanInfo &info, InstanceOwner &owner);
  ~GraphInstance();
  GraphInstance(const GraphInstance &) = delete;
  GraphInstance &operator=(const GraphInstance &) = delete;

  const PlanInfo &info;
  InstanceOwner &owner;
  unsigned char *frame;
  std::unique_ptr<NodeRun[]> runs;
  std::unique_ptr<GroupRun[]> groups;
  std::unique_ptr<int64_t[]> extents;
  InstanceMemory memory;
  std::atomic<uint32_t> pendingSinks{0};
  /// See Clock.h; only set while tracing.
  uint64_t startTime = 0;

  bool failed() const { return hasFailed.load(std::memory_order_relaxed); }
  /// Records the first error; what has not begun yet does not run.
  void fail(Status status);
  /// The error, once; the instance must have ended.
  Status takeError();

private:
  std::atomic<bool> hasFailed{false};
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

#endif // SLUICE_RUNTIME_INSTANCE_H
