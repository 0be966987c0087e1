//===- Stream.cpp - A streaming graph -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queue of items around the one instance that runs.
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include "Runtime.h"

#include "sluice/Base/Text.h"

#include <cstring>

using namespace sluice;

struct Stream::Item final : MemoryUser {
  explicit Item(Stream &stream) : stream(stream) {
    family = &stream;
    name = stream.name;
  }
  void memoryReady(Worker *worker) override { stream.itemReady(*this, worker); }

  Stream &stream;
  /// The streaming arguments, at their offsets of the packed structure.
  std::unique_ptr<unsigned char[]> arguments;
  bool isReady = false;
};

static std::unique_ptr<unsigned char[]> makeBytes(uint64_t size) {
  return std::make_unique<unsigned char[]>(size ? size : 1);
}

Stream::Stream(Runtime &runtime, PlanEntry &entry)
    : Handled(Kind::Stream), entry(entry), runtime(runtime),
      instance(*entry.info, *this),
      fixedFrame(makeBytes(entry.info->frameBytes)) {
  family = this;
  isOpenStream = true;
  name = entry.info->plan.name;
}

Stream::~Stream() = default;

Status Stream::open(const void *structure, const SluiceLayout *layout) {
  const PlanInfo &info = *entry.info;
  producer = std::this_thread::get_id();
  if (structure)
    readArguments(info, structure, layout, ArgumentSet::Fixed,
                  fixedFrame.get());
  Result<bool> ready =
      runtime.claimMemory(info, ArgumentSet::Fixed, fixedFrame.get(), *this);
  if (!ready.ok())
    return ready.takeStatus();
  std::lock_guard lock(mutex);
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
    std::lock_guard lock(mutex);
    bound = newBound;
  }
  progress.notify();
  return {};
}

Status Stream::push(const void *structure, const SluiceLayout *layout) {
  const PlanInfo &info = *entry.info;
  auto item = std::make_unique<Item>(*this);
  item->arguments = makeBytes(info.frameBytes);
  std::unique_lock lock(mutex);
  severalProducers |= producer != std::this_thread::get_id();
  while (items.size() >= bound && error.empty() && !closed) {
    lock.unlock();
    runtime.helpUntil(progress, [this] {
      std::lock_guard lock(mutex);
      return items.size() < bound || !error.empty() || closed;
    });
    lock.lock();
  }
  if (closed)
    return Status::misuse(concat("cannot push to stream ", quoted(name),
                                 " after it was waited for"));
  if (!error.empty())
    return failure();
  // The item's arguments stand in a frame of their own until it starts.
  std::memcpy(item->arguments.get(), fixedFrame.get(), info.plan.frameSize);
  readArguments(info, structure, layout, ArgumentSet::Streaming,
                item->arguments.get());
  Item *added = item.get();
  items.push_back(std::move(item));
  lock.unlock();

  Result<bool> ready = runtime.claimMemory(info, ArgumentSet::Streaming,
                                           added->arguments.get(), *added);
  if (ready.ok()) {
    if (*ready)
      itemReady(*added, nullptr);
    return {};
  }
  lock.lock();
  std::erase_if(items, [&](auto &item) { return item.get() == added; });
  return ready.takeStatus();
}

void Stream::itemReady(Item &item, Worker *worker) {
  {
    std::lock_guard lock(mutex);
    item.isReady = true;
  }
  startNext(worker);
}

void Stream::memoryReady(Worker *worker) {
  {
    std::lock_guard lock(mutex);
    fixedMemoryReady = true;
  }
  startNext(worker);
}

void Stream::startNext(Worker *worker) {
  {
    std::lock_guard lock(mutex);
    if (isRunning || !fixedMemoryReady || items.empty() ||
        !items.front()->isReady)
      return;
    isRunning = true;
    std::memcpy(instance.frame, items.front()->arguments.get(),
                entry.info->plan.frameSize);
  }
  if (worker)
    runtime.startInstance(worker, instance);
  else
    runtime.startInstance(instance);
}

void Stream::instanceEnded(Worker *worker) {
  const PlanInfo &info = *entry.info;
  Status status = instance.takeError();
  // A graph without results delivers empty structures, so that pop still
  // tells when an item has ended.
  Bytes result = makeBytes(info.resultSize());
  if (status.ok())
    writeResults(info, instance.frame, info.resultOffsets.data(), result.get());
  std::unique_ptr<Item> item;
  {
    std::lock_guard lock(mutex);
    item = std::move(items.front());
    items.pop_front();
    if (!status.ok())
      error = status.message();
    else if (error.empty())
      results.push_back(std::move(result));
    isRunning = false;
  }
  runtime.releaseMemory(*item, worker);
  startNext(worker);
  progress.notify();
}

Result<bool> Stream::waitForResult() {
  auto isDecided = [this] {
    std::lock_guard lock(mutex);
    return !results.empty() || !error.empty() || (closed && items.empty());
  };
  {
    std::lock_guard lock(mutex);
    // Only this thread is known to push, so nothing would ever come.
    bool waitsForItself =
        !severalProducers && producer == std::this_thread::get_id();
    if (results.empty() && items.empty() && error.empty() &&
        (closed || waitsForItself))
      return false;
  }
  runtime.helpUntil(progress, isDecided);
  std::lock_guard lock(mutex);
  return !results.empty();
}

Result<void *> Stream::pop() {
  Result<bool> found = waitForResult();
  std::lock_guard lock(mutex);
  if (!error.empty())
    return failure();
  if (!*found || results.empty())
    return Status::misuse(concat("cannot pop from stream ", quoted(name),
                                 ": no result is left and none is to come"));
  popped = std::move(results.front());
  results.pop_front();
  return static_cast<void *>(popped.get());
}

Status Stream::wait() {
  {
    std::lock_guard lock(mutex);
    if (closed)
      return Status::misuse(
          concat("stream ", quoted(name), " was waited for already"));
    closed = true;
  }
  runtime.helpUntil(progress, [this] {
    std::lock_guard lock(mutex);
    return items.empty() && !isRunning;
  });
  runtime.releaseMemory(*this, nullptr);
  progress.notify();
  std::lock_guard lock(mutex);
  return failure();
}

bool Stream::isClosed() {
  std::lock_guard lock(mutex);
  return closed;
}
