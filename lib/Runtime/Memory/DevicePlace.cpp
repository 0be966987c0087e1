//===- DevicePlace.cpp - A device's memory and its transfers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds room, if necessary by freeing copies that no kernel uses, and chooses
// between boxes, packed ranges and single transfers.
//
//===----------------------------------------------------------------------===//

#include "DevicePlace.h"

#include "Boxes.h"

using namespace sluice;

static uint64_t budgetOf(const device::Device &device, uint64_t asked) {
  uint64_t memory = device.properties().memory;
  return asked ? std::min(asked, memory) : memory - memory / 16;
}

DevicePlace::DevicePlace(device::Device &device, const Options &options)
    : device(device), pool(device, budgetOf(device, options.budget)),
      staging(device, pool, options.staging) {}

Result<std::unique_ptr<DevicePlace>>
DevicePlace::create(device::Device &device, const Options &options) {
  std::unique_ptr<DevicePlace> place(new DevicePlace(device, options));
  for (TransferQueue *transfers : {&place->uploads, &place->downloads}) {
    Result<std::unique_ptr<device::Queue>> queue = device.createQueue();
    if (!queue.ok())
      return queue.takeStatus();
    transfers->queue = std::move(*queue);
  }
  return place;
}

DevicePlace::~DevicePlace() {
  for (TransferQueue *transfers : {&uploads, &downloads})
    if (transfers->queue)
      (void)transfers->queue->finish();
}

MemoryCounters DevicePlace::counters() {
  MemoryCounters counters;
  counters.bytesSent = uploads.bytes;
  counters.numSends = uploads.count;
  counters.bytesFetched = downloads.bytes;
  counters.numFetches = downloads.count;
  counters.bytesHit = bytesHit;
  counters.bytesEvicted = bytesEvicted;
  counters.numEvictions = numEvictions;
  pool.count(counters);
  return counters;
}

Status DevicePlace::notifyFetches(void (*function)(void *context,
                                                   Status status),
                                  void *context) {
  std::lock_guard lock(downloads.mutex);
  return downloads.queue->notify(function, context);
}

//===----------------------------------------------------------------------===//
// Room
//===----------------------------------------------------------------------===//

Result<std::unique_ptr<device::Buffer>> DevicePlace::allocate(uint64_t size) {
  while (true) {
    Result<std::unique_ptr<device::Buffer>> buffer = pool.allocate(size);
    if (buffer.ok() || buffer.status().code() != StatusCode::Exhausted ||
        size > pool.limit() || (!staging.trim() && !evict(size)))
      return buffer;
  }
}

void DevicePlace::addResident(std::weak_ptr<EvictableCopy> copy,
                              EvictableCopy *key,
                              const std::atomic<uint64_t> &lastUse) {
  std::lock_guard lock(residentsMutex);
  residents[key] = {std::move(copy), &lastUse};
}

void DevicePlace::removeResident(EvictableCopy *key) {
  std::lock_guard lock(residentsMutex);
  residents.erase(key);
}

/// Evicts copies of about `size` bytes; returns how many bytes were freed.
uint64_t DevicePlace::evict(uint64_t size) {
  struct Victim {
    uint64_t lastUse;
    std::shared_ptr<EvictableCopy> copy;
  };
  std::vector<Victim> victims;
  {
    std::lock_guard lock(residentsMutex);
    for (auto &[key, resident] : residents)
      if (auto copy = resident.copy.lock())
        victims.push_back({resident.lastUse->load(), std::move(copy)});
  }
  std::sort(victims.begin(), victims.end(),
            [](auto &a, auto &b) { return a.lastUse < b.lastUse; });
  uint64_t room = 0;
  for (bool mayWait : {false, true})
    for (Victim &victim : victims)
      if (room < size)
        room += victim.copy->evict(*this, mayWait);
  return room;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

// Each operation waits for the previous one, so the event of the last one
// represents all: it completes after all of them, and fails if one of them has
// failed.

static RangeTransfer rangesOf(const MemoryTransfer &transfer,
                              std::vector<ByteRange> ranges) {
  return {&transfer.buffer, transfer.bufferBegin, transfer.host,
          std::move(ranges)};
}

static BoxTransfer boxOf(const MemoryTransfer &transfer,
                         const device::CopyBox &box) {
  BoxTransfer one = {&transfer.buffer, transfer.host + box.deviceOffset, box};
  one.box.deviceOffset -= transfer.bufferBegin;
  return one;
}

Status DevicePlace::send(const MemoryTransfer &transfer,
                         std::span<const device::Event> after,
                         std::vector<device::Event> &events) {
  device::Event last;
  Status status;
  std::vector<device::CopyBox> boxes = boxesOf(transfer.parts);
  RangeTransfer packed = rangesOf(transfer, staging.takeRanges(boxes));
  size_t numSent = staging.sendRanges(uploads, packed, after, last);
  if (last)
    after = {&last, 1};
  std::span<const ByteRange> rest = packed.ranges;
  for (const device::CopyBox &box : boxesOf(rest.subspan(numSent)))
    boxes.push_back(box);
  for (const device::CopyBox &box : boxes) {
    status = staging.send(uploads, boxOf(transfer, box), after, last);
    if (!status.ok())
      break;
    after = {&last, 1};
  }
  if (last)
    events.push_back(last);
  return status.ok() ? uploads.flush() : std::move(status);
}

Status DevicePlace::fetch(const MemoryTransfer &transfer,
                          std::span<const device::Event> after,
                          std::vector<device::Event> &events) {
  device::Event last;
  Status status;
  std::vector<device::CopyBox> boxes = boxesOf(transfer.parts);
  RangeTransfer packed = rangesOf(transfer, staging.takeRanges(boxes));
  device::Event arrival;
  if (staging.fetchRanges(downloads, packed, after, arrival))
    events.push_back(arrival);
  else
    for (const device::CopyBox &box :
         boxesOf(std::span<const ByteRange>(packed.ranges)))
      boxes.push_back(box);
  for (const device::CopyBox &box : boxes) {
    Result<device::Event> event =
        staging.fetch(downloads, boxOf(transfer, box), after);
    if (!event.ok()) {
      status = event.takeStatus();
      break;
    }
    if (dynamic_cast<HostCompletion *>(event->get())) {
      // A queue cannot wait for this event.
      events.push_back(*event);
      continue;
    }
    last = *event;
    after = {&last, 1};
  }
  if (last)
    events.push_back(last);
  return status.ok() ? downloads.flush() : std::move(status);
}
