//===- Stream.h - A streaming graph ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object behind the handle of a streaming launch: the items in flight,
// their order, and the results.
//
//
// Room: streams. Contains items, their batches, the order among them, and their
// results. The executor counts the dependences between nodes of different
// items. May include Base, Scheduling, Memory, Plan, Execution and Engine.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_STREAMS_STREAM_H
#define SLUICE_RUNTIME_STREAMS_STREAM_H

#include "../Engine/Handles.h"
#include "../Engine/PlanTable.h"
#include "../Memory/Tracker.h"
#include "../Plan/Arguments.h"
#include "../Scheduling/OwnedMutex.h"
#include "../Scheduling/Pool.h"
#include "ResultQueue.h"
#include "StreamBatch.h"
#include "StreamPlan.h"

#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace sluice {

class Engine;

/// The stages of an item:
///
///   push --> a batch: filling --> waiting --> running --> ended --> results
///            at most `bound` unfinished items               any number --> pop
///
/// 1. The number of items in a full batch depends on the cost of an item: one
///    if it is expensive, so that items overlap; many if it is cheap.
/// 2. Batches start in push order. When a batch starts, it checks the earlier
///    ones: if both access the same memory and one writes, its nodes wait for
///    theirs, node by node.
/// 3. Batches of expensive items start when they are full, and workers run
///    them. If items are cheap, waking a worker costs more than the work: the
///    host runs a batch itself when it is full. In between, the way that was
///    measured to be faster is used. A host that has to wait in pop, push or
///    wait also starts batches that are not full.
/// 4. Batches deliver their results in push order. The stream stops at the
/// first
///    item that failed: earlier results can be popped, later items do not run.
class Stream final : public Handled, public MemoryUser, public BatchOwner {
public:
  static constexpr uint64_t defaultBound = 64;

  Stream(Engine &engine, PlanEntry &entry);
  ~Stream() override;

  PlanEntry &entry;

  /// Reads the fixed arguments and claims their memory.
  Status open(const void *structure, const SluiceLayout *layout);
  Status setBound(uint64_t bound);
  Status push(const void *structure, const SluiceLayout *layout);
  /// Returns a packed structure that stays valid until the next pop.
  Result<void *> pop();
  Status wait();
  bool isClosed();
  bool isRunning() override { return !isClosed(); }

  /// Pushes if this needs only a copy; otherwise returns false.
  bool tryPush(const void *structure, const SluiceLayout *layout) {
    std::lock_guard lock(mutex);
    if (numFree == 0 || layout != checkedLayout || !structure ||
        producer != currentThread())
      return false;
    --numFree;
    copyArguments(structure, layout);
    return true;
  }
  /// The next result if it exists, else null.
  void *tryPop() {
    std::lock_guard lock(mutex);
    return results.empty() ? nullptr : results.pop();
  }

  void memoryReady(Worker *worker) override;

private:
  using Lock = std::unique_lock<OwnedMutex>;
  using State = StreamBatch::State;

  /// In nanoseconds. The host runs items below this cost.
  static constexpr uint64_t cheapItem = 300;
  /// Cost at which a batch of items between cheap and expensive is full.
  static constexpr uint64_t batchCost = 20'000;
  bool isCheap() const { return itemCost && itemCost < cheapItem; }
  bool isBetween() const {
    return itemCost >= cheapItem && itemCost < batchCost;
  }

  Status failure() const;
  /// Makes blocked threads check their conditions again; they are notified
  /// later.
  void changeVersion() {
    numFree = 0;
    version.store(version.load(std::memory_order_relaxed) + 1,
                  std::memory_order_release);
  }
  Status checkPush(const void *structure, const SluiceLayout *layout);
  /// Adds to `wanted` the users for whose memory the item waits.
  Status pushItem(const void *structure, const SluiceLayout *layout,
                  std::vector<MemoryUser *> &wanted);
  /// Copies the streaming arguments into the frame of a new item.
  void copyArguments(const void *structure, const SluiceLayout *layout) {
    const uint64_t *offsets =
        layout ? layout->argumentOffsets : entry.info->packedArguments.data();
    auto *bytes = static_cast<const unsigned char *>(structure);
    unsigned char *frame = filling->instance.frameOf(filling->numItems++);
    ++numUnfinished;
    for (const StreamPlan::Field &field : plan.streamingArguments)
      copyField(frame + field.frameOffset, bytes + offsets[field.index],
                field.size);
  }
  void countFree();
  Status addItem(const void *structure, const SluiceLayout *layout,
                 std::vector<MemoryUser *> &wanted);
  Result<bool> addItemMemory(StreamBatch &batch,
                             std::vector<MemoryUser *> &wanted);
  Status beginFilling();
  StreamBatch &newBatch();
  uint32_t chooseTarget() const;
  bool runsHere() const;
  bool startsAtOnce() const;
  void closeFilling();

  StreamBatch *takeStartable();
  void orderBatch(StreamBatch &batch);
  void addWaits(StreamBatch &batch, StreamBatch &before,
                std::span<const NodePair> pairs, std::vector<uint32_t> &waits);
  void startWaiting(Lock &lock, Worker *worker);
  StreamBatch *takeForHost();
  void runForHost(Lock &lock, StreamBatch &batch);
  void startBatch(StreamBatch &batch, Worker *worker);
  template <typename Condition> void blockUntil(Lock &lock, Condition met);

  void batchEnded(StreamBatch &batch, Worker *worker) override;
  void batchNodeEnded(StreamBatch &batch, Worker *worker,
                      uint32_t node) override;
  void batchMemoryReady(StreamBatch &batch, Worker *worker) override;
  void batchMemoryWanted(StreamBatch &batch) override;
  void stopItemsBehind(StreamBatch &batch);
  void learnCost(StreamBatch &batch);
  void deliver();
  void deliverBatch(StreamBatch &batch);

  Engine &engine;
  /// Items run one after another, each in one thread.
  const bool isSequential;
  /// That of the thread which has opened it.
  const FloatingControl control = FloatingControl::current();
  StreamPlan &plan;
  /// The frame with the fixed arguments.
  std::unique_ptr<unsigned char[]> fixedFrame;
  std::vector<ArgumentRange> fixedRanges;
  /// Ranges of the item that is being pushed.
  std::vector<ArgumentRange> itemRanges;
  /// Pairs between a batch and the previous one.
  std::vector<NodePair> fixedPairs;
  /// Different nodes share memory that one of them writes.
  bool hasCrossPairs = false;
  /// Items use memory of other items or of fixed arguments, so they cannot go
  /// through the nodes together.
  bool itemsConflict = false;
  /// Nodes for which later items may wait.
  std::vector<char> isWatched;
  WaitPoint progress;

  OwnedMutex mutex;
  StreamBatch *filling = nullptr;
  uint32_t target = 1; ///< items that fill it
  /// Number of items that may be pushed without further checks.
  uint64_t numFree = 0;
  /// Closed batches in push order, from the first that has not been delivered.
  StreamBatch *first = nullptr;
  StreamBatch *last = nullptr;
  StreamBatch *firstWaiting = nullptr;
  StreamBatch *lastStarted = nullptr;
  std::vector<StreamBatch *> idle;
  ResultQueue results;
  uint64_t bound = defaultBound;
  uint64_t numUnfinished = 0;
  uint32_t numRunning = 0; ///< batches
  uint32_t numBlocked = 0; ///< host threads
  bool fixedMemoryReady = false;
  bool closed = false;
  /// The error of the first item that failed; empty if none has, or if earlier
  /// items are still running.
  std::string error;
  bool hasFailed = false;
  uint64_t itemCost = 0; ///< nanoseconds; 0: unknown
  uint32_t numTimed = 0;
  PaceWindow paceWindow;
  /// The layout of the last push; initially packed, which needs no check.
  const SluiceLayout *checkedLayout = nullptr;
  /// The only thread that has launched and pushed so far.
  const void *producer;
  bool severalProducers = false;
  /// Changes whenever a blocked thread may be able to continue.
  std::atomic<uint64_t> version{0};
  /// A thread is running items in sequential mode.
  bool runsItems = false;
  /// Items go through stages on several ranks.
  bool isStaged = false;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_STREAMS_STREAM_H
