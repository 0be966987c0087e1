//===- StreamRun.cpp - The batches of a stream ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lifetime of a closed batch: starting, waiting for earlier batches,
// ending.
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include "../Engine/Engine.h"
#include "../Plan/Arguments.h"

#include <algorithm>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Starting
//===----------------------------------------------------------------------===//

/// The next batch, marked as running, if its memory is free; else null.
StreamBatch *Stream::takeStartable() {
  StreamBatch *batch = firstWaiting;
  if (!batch || !fixedMemoryReady || !batch->memoryIsReady)
    return nullptr;
  bool goesItemByItem =
      (hasCrossPairs || batch->goesItemByItem) && batch->numItems > 1;
  if (goesItemByItem && numRunning > 0)
    return nullptr;
  batch->instance.goesItemByItem = goesItemByItem;
  firstWaiting = batch->next;
  batch->state = State::Running;
  ++numRunning;
  // Items of one stream that have begun are in order on all ranks, so all
  // following items are staged, too.
  isStaged = isStaged || engine.mayStage(*entry.info, itemCost);
  if (isStaged)
    engine.placeOnStages(batch->instance);
  else
    engine.place(batch->instance);
  orderBatch(*batch);
  GraphInstance &instance = batch->instance;
  if (hasFailed)
    instance.fail(Status::error(StatusCode::NodeFailed, error));
  // At first every batch is timed, later only some.
  instance.isTimed = numTimed < 8 || numTimed % 16 == 0;
  ++numTimed;
  return batch;
}

/// Makes nodes of `batch` wait for nodes of `before` that have not ended.
void Stream::addWaits(StreamBatch &batch, StreamBatch &before,
                      std::span<const NodePair> pairs,
                      std::vector<uint32_t> &waits) {
  if (pairs.empty())
    return;
  waits.resize(entry.info->nodes.size());
  before.hasDependents = true;
  for (const NodePair &pair : pairs)
    if (!before.hasEnded[pair.before]) {
      before.dependents[pair.before].push_back({&batch, pair.node});
      ++waits[pair.node];
    }
}

void Stream::orderBatch(StreamBatch &batch) {
  std::vector<uint32_t> waits;
  // A batch that was reused meanwhile is not an earlier one.
  if (lastStarted && lastStarted != &batch &&
      lastStarted->state == State::Running)
    addWaits(batch, *lastStarted, fixedPairs, waits);
  lastStarted = &batch;
  std::vector<NodePair> pairs;
  if (plan.order.hasStreamingPointers())
    for (StreamBatch *before = first; before != &batch; before = before->next)
      if (before->state == State::Running &&
          (batch.touchesFixed || before->touchesFixed ||
           plan.order.conflict(batch.ranges, before->ranges))) {
        pairs.clear();
        plan.order.addPairs(batch.ranges, before->ranges, pairs);
        plan.order.addPairs(batch.ranges, fixedRanges, pairs);
        plan.order.addPairs(fixedRanges, before->ranges, pairs);
        addWaits(batch, *before, pairs, waits);
      }
  bool isWatchedByAny =
      !fixedPairs.empty() || plan.order.hasStreamingPointers();
  if (isWatchedByAny)
    std::fill(batch.hasEnded.begin(), batch.hasEnded.end(), 0);
  batch.instance.reportsNodes = isWatchedByAny;
  bool isOrdered =
      std::any_of(waits.begin(), waits.end(), [](uint32_t n) { return n; });
  if (isOrdered)
    batch.instance.expectArrivals(waits);
  else
    batch.instance.expectNoArrivals();
}

/// Starts the batches that may start; releases the lock meanwhile.
void Stream::startWaiting(Lock &lock, Worker *worker) {
  if (isSequential) {
    // In push order, by one thread at a time, which also starts batches that
    // become ready meanwhile. A second thread returns instead of waiting: the
    // end of an item may start items of another stream, whose end may lead back
    // to this stream, so the thread could wait for itself.
    if (runsItems)
      return;
    runsItems = true;
    while (StreamBatch *batch = takeStartable()) {
      lock.unlock();
      engine.startInstance(batch->instance);
      lock.lock();
    }
    runsItems = false;
    return;
  }
  while (StreamBatch *batch = takeStartable()) {
    lock.unlock();
    startBatch(*batch, worker);
    lock.lock();
  }
}

/// A batch for a host thread that has to wait; null if there is none, or if the
/// workers have enough tasks with which the host can help.
StreamBatch *Stream::takeForHost() {
  if (isSequential)
    return nullptr;
  // It is empty if its first item was refused.
  if (!firstWaiting && filling && filling->numItems &&
      numRunning < engine.numWorkers())
    closeFilling();
  return takeStartable();
}

/// Runs a batch here, or starts it. Releases the lock meanwhile.
void Stream::runForHost(Lock &lock, StreamBatch &batch) {
  GraphInstance &instance = batch.instance;
  bool isSmall = engine.numWorkers() == 1 ||
                 (itemCost && itemCost * batch.numItems < 2 * batchCost);
  bool mayRunHere = isSmall && !instance.isOrdered && !instance.getBackEnd();
  lock.unlock();
  if (mayRunHere && engine.tryRunInline(instance))
    batchEnded(batch, nullptr);
  else
    startBatch(batch, nullptr);
  lock.lock();
}

void Stream::startBatch(StreamBatch &batch, Worker *worker) {
  if (batch.instance.goesItemByItem)
    engine.executor.startInline(worker, batch.instance);
  else
    engine.startInstance(worker, batch.instance);
}

void Stream::batchMemoryReady(StreamBatch &batch, Worker *worker) {
  Lock lock(mutex);
  if (engine.trace)
    engine.traceMemoryWait(batch.instance);
  batch.memoryIsReady = true;
  startWaiting(lock, worker);
}

/// Starts items that were held back until the batch is full.
void Stream::batchMemoryWanted(StreamBatch &batch) {
  Lock lock(mutex);
  // It is empty if its first item was refused.
  if (filling != &batch || !batch.numItems)
    return;
  closeFilling();
  startWaiting(lock, nullptr);
}

void Stream::memoryReady(Worker *worker) {
  Lock lock(mutex);
  fixedMemoryReady = true;
  startWaiting(lock, worker);
}

//===----------------------------------------------------------------------===//
// Ending
//===----------------------------------------------------------------------===//

void Stream::batchNodeEnded(StreamBatch &batch, Worker *worker, uint32_t node) {
  if (!isWatched[node])
    return;
  std::vector<StreamBatch::Dependent> dependents;
  {
    Lock lock(mutex);
    batch.hasEnded[node] = true;
    dependents.swap(batch.dependents[node]);
    if (batch.instance.numGoodItems() < batch.numItems)
      stopItemsBehind(batch);
  }
  for (const StreamBatch::Dependent &dependent : dependents)
    engine.executor.arrive(worker, dependent.batch->instance, dependent.node);
}

/// An item of `batch` has failed. Stops later items: they would read memory
/// that the failed item has only partly written, and their results are never
/// popped.
void Stream::stopItemsBehind(StreamBatch &batch) {
  hasFailed = true;
  for (StreamBatch *later = batch.next; later; later = later->next) {
    // The batches after that one stop, too.
    if (later->state == State::Waiting || later->instance.failed())
      return;
    if (later->state == State::Running)
      later->instance.fail(Status::error(StatusCode::NodeFailed, error));
  }
}

void Stream::learnCost(StreamBatch &batch) {
  GraphInstance &instance = batch.instance;
  // The time of devices is not a worker's time.
  if (!instance.isTimed || instance.getBackEnd())
    return;
  uint64_t time =
      instance.busyNanoseconds.exchange(0, std::memory_order_relaxed);
  uint64_t sample = 1 + time / batch.numItems;
  // The first items are slower, since caches are cold.
  if (itemCost == 0 || (numTimed <= 8 && sample < itemCost))
    itemCost = sample;
  else if (sample < itemCost)
    itemCost -= (itemCost - sample) / 4;
  else
    itemCost += (sample - itemCost) / 2;
}

void Stream::batchEnded(StreamBatch &batch, Worker *worker) {
  batch.numGood = batch.instance.numGoodItems();
  Status status = batch.instance.takeError();
  // Must happen before the batch can be reused.
  engine.releaseMemory(batch, worker);
  std::vector<StreamBatch::Dependent> dependents;
  Lock lock(mutex);
  // Batches that the host runs do not report ends of nodes.
  if (batch.hasDependents)
    for (auto &waiting : batch.dependents) {
      dependents.insert(dependents.end(), waiting.begin(), waiting.end());
      waiting.clear();
    }
  batch.hasDependents = false;
  if (!status.ok()) {
    batch.error = status.message();
    stopItemsBehind(batch);
  }
  batch.state = State::Ended;
  --numRunning;
  learnCost(batch);
  deliver();
  changeVersion();
  if (firstWaiting && startsAtOnce() && !isSequential)
    startWaiting(lock, worker);
  lock.unlock();
  for (const StreamBatch::Dependent &dependent : dependents)
    engine.executor.arrive(worker, dependent.batch->instance, dependent.node);
  progress.notify();
}

/// Takes the results of ended batches, up to the first that has not ended.
void Stream::deliver() {
  while (first && first->state == State::Ended) {
    StreamBatch &batch = *first;
    first = batch.next;
    if (!first)
      last = nullptr;
    deliverBatch(batch);
    numUnfinished -= batch.numItems;
    idle.push_back(&batch);
  }
}

void Stream::deliverBatch(StreamBatch &batch) {
  if (!error.empty())
    return;
  const uint64_t *offsets = entry.info->resultOffsets.data();
  for (uint32_t i = 0; i < batch.numGood; ++i) {
    unsigned char *result = results.push();
    const unsigned char *frame = batch.instance.frameOf(i);
    for (const StreamPlan::Field &field : plan.results)
      copyField(result + offsets[field.index], frame + field.frameOffset,
                field.size);
  }
  error = std::move(batch.error);
}
