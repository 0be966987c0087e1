//===- Stream.cpp - A streaming graph -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host functions push, pop and wait. StreamRun.cpp runs the batches.
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include "../Engine/Engine.h"
#include "../Plan/Arguments.h"
#include "../Scheduling/Clock.h"
#include "../Scheduling/HostThreads.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace sluice;

Stream::Stream(Engine &engine, PlanEntry &entry)
    : Handled(Kind::Stream), entry(entry), engine(engine),
      isSequential(engine.isSequential(*entry.info)),
      plan(StreamPlan::of(entry)),
      fixedFrame(new unsigned char[entry.info->frameBytes]()),
      results(entry.info->resultSize()),
      itemCost(plan.itemCost.load(std::memory_order_relaxed)),
      producer(currentThread()) {
  family = this;
  isOpenStream = true;
  name = entry.info->plan.name;
}

Stream::~Stream() = default;

Status Stream::open(const void *structure, const SluiceLayout *layout) {
  const PlanInfo &info = *entry.info;
  name = info.plan.name;
  if (structure)
    readArguments(info, structure, layout, ArgumentSet::Fixed,
                  fixedFrame.get());
  if (Status status = checkDisjoint(info, ArgumentSet::All, fixedFrame.get());
      !status.ok())
    return status;
  plan.order.addRanges(fixedFrame.get(), /*isStreaming=*/false, fixedRanges);
  plan.order.addFixedPairs(fixedRanges, fixedPairs);
  constexpr size_t maxPairs = 4096;
  if (fixedPairs.size() > maxPairs) {
    // Whole items run one after another.
    fixedPairs.clear();
    for (const NodeInfo &node : info.nodes)
      for (const NodeInfo &before : info.nodes)
        if (node.numAllToAll + node.numOneToOne == 0 && before.isSink())
          fixedPairs.push_back({node.index, before.index});
  }
  isWatched.assign(info.nodes.size(), plan.order.hasStreamingPointers());
  for (const NodePair &pair : fixedPairs) {
    isWatched[pair.before] = true;
    hasCrossPairs |= pair.node != pair.before;
  }
  Result<bool> ready =
      engine.claimMemory(info, ArgumentSet::Fixed, fixedFrame.get(), *this);
  Engine::startHeldBack(heldBack);
  if (!ready.ok())
    return ready.takeStatus();
  Lock lock(mutex);
  fixedMemoryReady |= *ready;
  return {};
}

Status Stream::failure() const {
  if (error.empty())
    return {};
  return Status::error(StatusCode::NodeFailed, error);
}

Status Stream::setBound(uint64_t newBound) {
  if (newBound == 0)
    return Status::invalidArgument(concat("the bound of stream ", quoted(name),
                                          " is 0, expected at least 1"));
  {
    Lock lock(mutex);
    bound = newBound;
    changeVersion();
  }
  progress.notify();
  return {};
}

bool Stream::isClosed() {
  Lock lock(mutex);
  return closed;
}

//===----------------------------------------------------------------------===//
// Push
//===----------------------------------------------------------------------===//

Status Stream::checkPush(const void *structure, const SluiceLayout *layout) {
  if (layout != checkedLayout || !structure) {
    Status status =
        checkStructure(*entry.info, structure, layout, ArgumentSet::Streaming);
    if (!status.ok())
      return status;
    checkedLayout = layout;
  }
  if (closed)
    return Status::misuse(concat("cannot push to stream ", quoted(name),
                                 " after it was waited for"));
  return failure();
}

Status Stream::push(const void *structure, const SluiceLayout *layout) {
  std::vector<MemoryUser *> wanted;
  Status status = pushItem(structure, layout, wanted);
  if (!wanted.empty())
    Engine::startHeldBack(wanted);
  return status;
}

Status Stream::pushItem(const void *structure, const SluiceLayout *layout,
                        std::vector<MemoryUser *> &wanted) {
  Lock lock(mutex);
  severalProducers |= producer != currentThread();
  if (Status status = checkPush(structure, layout); !status.ok())
    return status;
  if (numUnfinished >= bound) {
    blockUntil(lock, [this] {
      return numUnfinished < bound || !error.empty() || closed;
    });
    if (Status status = checkPush(structure, layout); !status.ok())
      return status;
  }
  if (Status status = addItem(structure, layout, wanted); !status.ok())
    return status;
  if (filling->numItems >= target)
    closeFilling();
  if (firstWaiting && runsHere())
    // Runs a full batch here, while it is in the caches.
    while (StreamBatch *batch = takeStartable())
      runForHost(lock, *batch);
  else if (firstWaiting && startsAtOnce())
    startWaiting(lock, nullptr);
  if (numBlocked == 0) {
    countFree();
    return {};
  }
  changeVersion();
  lock.unlock();
  progress.notify();
  return {};
}

/// Counts the items that can be pushed without further checks: all except the
/// one that fills the batch or reaches the bound.
void Stream::countFree() {
  numFree = 0;
  if (filling && !plan.order.hasStreamingPointers() && numUnfinished < bound)
    numFree = std::min<uint64_t>(target - filling->numItems - 1,
                                 bound - numUnfinished);
}

Status Stream::beginFilling() {
  try {
    filling = &newBatch();
  } catch (const std::bad_alloc &) {
    return Status::error(StatusCode::Exhausted,
                         concat("no memory for an item of stream ",
                                quoted(name), " with ", entry.info->frameBytes,
                                " bytes of values"));
  }
  target = chooseTarget();
  return {};
}

/// Puts the streaming arguments into the frame of a new item.
Status Stream::addItem(const void *structure, const SluiceLayout *layout,
                       std::vector<MemoryUser *> &wanted) {
  while (true) {
    if (!filling)
      if (Status status = beginFilling(); !status.ok())
        return status;
    copyArguments(structure, layout);
    if (!plan.order.hasStreamingPointers())
      return {};
    Result<bool> isAdded = addItemMemory(*filling, wanted);
    if (isAdded.ok() && *isAdded)
      return {};
    --filling->numItems;
    --numUnfinished;
    if (!isAdded.ok())
      return isAdded.takeStatus();
    closeFilling();
  }
}

/// Claims the memory of the newest item of a batch. Returns false if it would
/// have to wait and needs its own batch. A user that waits for one item of a
/// batch waits for all of them: if these waited for others in turn, two batches
/// could wait for each other.
Result<bool> Stream::addItemMemory(StreamBatch &batch,
                                   std::vector<MemoryUser *> &wanted) {
  const unsigned char *frame = batch.instance.frameOf(batch.numItems - 1);
  const bool isFirst = batch.numItems == 1;
  if (engine.trace && isFirst)
    batch.instance.claimTime = clockNanoseconds();
  Result<bool> ready =
      engine.claimMemory(*entry.info, ArgumentSet::Streaming, frame, batch,
                         /*mayWait=*/isFirst);
  if (!ready.ok() || (!*ready && !isFirst))
    return ready;
  wanted.insert(wanted.end(), batch.heldBack.begin(), batch.heldBack.end());
  batch.heldBack.clear();
  // Otherwise batchMemoryReady will be called, which waits for the lock.
  batch.memoryIsReady = *ready;
  if (!*ready)
    target = 1;
  itemRanges.clear();
  plan.order.addRanges(frame, /*isStreaming=*/true, itemRanges);
  batch.touchesFixed |= plan.order.conflict(itemRanges, fixedRanges);
  batch.goesItemByItem |=
      batch.touchesFixed || plan.order.conflict(itemRanges, batch.ranges);
  itemsConflict |= batch.goesItemByItem;
  for (const ArgumentRange &range : itemRanges)
    batch.addRange(range);
  return true;
}

StreamBatch &Stream::newBatch() {
  StreamBatch *batch;
  if (!idle.empty()) {
    batch = idle.back();
    idle.pop_back();
  } else {
    batch = &plan.takeBatch();
    batch->owner = this;
    batch->family = this;
    batch->name = name;
    for (uint32_t i = 0; i < plan.maxItems; ++i)
      std::memcpy(batch->instance.frameOf(i), fixedFrame.get(),
                  entry.info->plan.frameSize);
  }
  // Others may wait for the memory of items that wait for more items.
  batch->isHeldBack.store(plan.order.hasStreamingPointers(),
                          std::memory_order_relaxed);
  batch->instance.control = control;
  batch->state = State::Filling;
  batch->numItems = 0;
  batch->memoryIsReady = true;
  batch->goesItemByItem = batch->touchesFixed = false;
  batch->ranges.clear();
  batch->error.clear();
  batch->next = nullptr;
  return *batch;
}

uint32_t Stream::chooseTarget() const {
  // Items that run on devices have separate batches.
  if (isSequential || itemCost == 0 || engine.mayBePlaced(*entry.info))
    return 1;
  uint64_t max = std::min<uint64_t>(plan.maxItems, bound);
  const bool mayOverlap = !isCheap() && !runsHere();
  if ((hasCrossPairs || itemsConflict) && mayOverlap)
    return 1;
  if (mayOverlap)
    max = std::clamp<uint64_t>(bound / (2 * engine.numWorkers()), 1, max);
  uint64_t wanted = std::max<uint64_t>(1, batchCost / itemCost);
  return static_cast<uint32_t>(std::min(wanted, max));
}

/// Whether the host should run batches as soon as they are full.
bool Stream::runsHere() const {
  // Devices work while the host continues.
  if (isSequential || isStaged || engine.usesDevices(*entry.info))
    return false;
  return isCheap() ||
         (isBetween() && (engine.numWorkers() == 1 || plan.pace.runsHere()));
}

/// Whether workers should run batches as soon as they are full.
bool Stream::startsAtOnce() const {
  // Launches may wait for the memory of items with their own pointers, and
  // request it only while a batch is not full.
  if (isSequential || plan.order.hasStreamingPointers())
    return true;
  // Devices and ranks work while the host continues.
  if (isStaged || engine.usesDevices(*entry.info))
    return true;
  return engine.numWorkers() > 1 && !runsHere();
}

void Stream::closeFilling() {
  StreamBatch &batch = *filling;
  if (isBetween() && engine.numWorkers() > 1 &&
      paceWindow.addBatch(runsHere(), clockNanoseconds(), batch.numItems))
    paceWindow.addTo(plan.pace);
  filling = nullptr;
  numFree = 0;
  batch.isHeldBack.store(false, std::memory_order_relaxed);
  batch.state = State::Waiting;
  batch.instance.setNumItems(batch.numItems);
  (last ? last->next : first) = &batch;
  last = &batch;
  if (!firstWaiting)
    firstWaiting = &batch;
}

//===----------------------------------------------------------------------===//
// Pop and wait
//===----------------------------------------------------------------------===//

/// Blocks until `met` is true, and works meanwhile. Releases the lock during
/// the work.
template <typename Condition>
void Stream::blockUntil(Lock &lock, Condition met) {
  while (!met()) {
    if (StreamBatch *batch = takeForHost()) {
      runForHost(lock, *batch);
      continue;
    }
    uint64_t seen = version.load(std::memory_order_relaxed);
    ++numBlocked;
    lock.unlock();
    engine.helpUntil(progress, [this, seen] {
      return version.load(std::memory_order_acquire) != seen;
    });
    lock.lock();
    --numBlocked;
  }
}

Result<void *> Stream::pop() {
  Lock lock(mutex);
  if (results.empty())
    blockUntil(lock, [this] {
      if (!results.empty() || !error.empty())
        return true;
      if (numUnfinished != 0)
        return false;
      // Only this thread can push, so it would wait forever.
      return closed || (!severalProducers && producer == currentThread() &&
                        !hasOtherHostThreads());
    });
  if (!results.empty())
    return static_cast<void *>(results.pop());
  if (!error.empty())
    return failure();
  return Status::misuse(concat("cannot pop from stream ", quoted(name),
                               ": no result is left and none is to come"));
}

Status Stream::wait() {
  Lock lock(mutex);
  if (closed)
    return Status::misuse(
        concat("stream ", quoted(name), " was waited for already"));
  closed = true;
  changeVersion();
  blockUntil(lock, [this] { return numUnfinished == 0; });
  plan.giveBack(idle);
  plan.itemCost.store(itemCost, std::memory_order_relaxed);
  Status status = failure();
  lock.unlock();
  engine.releaseMemory(*this, nullptr);
  progress.notify();
  return status;
}
