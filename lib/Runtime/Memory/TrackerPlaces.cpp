//===- TrackerPlaces.cpp - Tracked memory on several places ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps the addresses that nodes and programs use to the objects that contain
// them, and forwards to the copies of these objects.
//
//===----------------------------------------------------------------------===//

#include "MemoryCopies.h"
#include "Tracker.h"

#include "sluice-c/Plan.h"
#include "sluice/Base/Text.h"

using namespace sluice;

MemoryPlace MemoryTracker::addDevice(DevicePlace &device) {
  std::lock_guard lock(mutex);
  assert(devices.size() + 1 < maxPlaces && "places fit into a set");
  devices.push_back(&device);
  device.number = static_cast<MemoryPlace>(devices.size());
  return device.number;
}

struct MemoryTracker::Found {
  std::shared_ptr<MemoryCopies> copies;
  DevicePlace *device = nullptr;
  MemoryPart part;
};

/// The part of an object that an access uses; no object: untracked memory.
Result<MemoryTracker::Found> MemoryTracker::findPart(MemoryPlace place,
                                                     const MemoryAccess &memory,
                                                     uint32_t access) {
  Found found;
  std::lock_guard lock(mutex);
  if (place > devices.size())
    return Status::invalidArgument(
        concat("there is no place ", place, " for memory, only the host and ",
               countOf(devices.size(), "device", "devices")));
  if (place != hostPlace)
    found.device = devices[place - 1];
  auto range = find(memory.start);
  if (range == ranges.end())
    return found;
  uint64_t offset = memory.start - range->first;
  uint64_t available = range->second.size - offset;
  if (memory.sizeKnown && memory.size > available)
    return Status::invalidArgument(
        concat("argument ", quoted(memory.name), " is ",
               rangeText(memory.start, memory.size), ", but only ", available,
               " of the tracked range lie behind it"));
  found.copies = range->second.copies;
  found.part = {memory.name, {offset, offset + memory.size}, access};
  if (access == SLUICE_ACCESS_NONE)
    found.part.access = SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT;
  if (!memory.sizeKnown) {
    // If the size is not known, the access may write only a part.
    found.part.bytes = {0, range->second.size};
    if (access == SLUICE_ACCESS_OUT)
      found.part.access = SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT;
  }
  return found;
}

/// The same for listed bytes; converts addresses to offsets.
Result<MemoryTracker::Found>
MemoryTracker::findPieces(MemoryPlace place, std::vector<ByteRange> &addresses,
                          uint32_t access) {
  uint64_t first = addresses.front().begin;
  MemoryAccess whole = {"", first, addresses.back().end - first, true,
                        access != SLUICE_ACCESS_IN};
  Result<Found> found = findPart(place, whole, access);
  if (!found.ok())
    return found;
  if (!found->copies)
    return unknownPointer(first, "request");
  uint64_t shift = first - found->part.bytes.begin;
  for (ByteRange &range : addresses)
    range = {range.begin - shift, range.end - shift};
  found->part.pieces = addresses;
  return found;
}

Status MemoryTracker::bringPartsHome(std::vector<ByteRange> addresses,
                                     HostUse use) {
  if (!anyOnDevices() || addresses.empty())
    return {};
  uint32_t access = use == HostUse::Read
                        ? uint32_t(SLUICE_ACCESS_IN)
                        : uint32_t(SLUICE_ACCESS_IN) | SLUICE_ACCESS_OUT;
  Result<Found> found = findPieces(hostPlace, addresses, access);
  return found.ok() ? found->copies->useOnHost(found->part)
                    : found.takeStatus();
}

Status MemoryTracker::sendParts(MemoryPlace place,
                                std::vector<ByteRange> addresses) {
  if (place == hostPlace)
    return bringPartsHome(std::move(addresses), HostUse::Read);
  if (addresses.empty())
    return {};
  Result<Found> found = findPieces(place, addresses, SLUICE_ACCESS_IN);
  return found.ok() ? found->copies->send(*found->device, found->part)
                    : found.takeStatus();
}

Result<PlacedMemory> MemoryTracker::prepare(MemoryPlace place,
                                            const MemoryAccess &memory,
                                            uint32_t access,
                                            std::vector<device::Event> &after) {
  Result<Found> found = findPart(place, memory, access);
  if (!found.ok())
    return found.takeStatus();
  if (!found->device)
    return Status::misuse("memory is prepared for kernels on devices only");
  if (!found->copies)
    return Status::invalidArgument(
        concat("argument ", quoted(memory.name), " at ",
               reinterpret_cast<const void *>(memory.start),
               " is not tracked, so ", quoted(found->device->name()),
               " cannot use it; track it before the launch"));
  Result<PlacedMemory> placed =
      found->copies->prepare(*found->device, found->part, after);
  if (placed.ok() && !memory.sizeKnown)
    placed->offset +=
        memory.start - reinterpret_cast<uintptr_t>(found->copies->address());
  return placed;
}

void MemoryTracker::enqueued(MemoryPlace place, const MemoryAccess &memory,
                             uint32_t access, device::Event end) {
  Result<Found> found = findPart(place, memory, access);
  assert(found.ok() && found->copies && "the memory was prepared");
  found->copies->enqueued(*found->device, found->part, std::move(end));
}

void MemoryTracker::notEnqueued(MemoryPlace place, const MemoryAccess &memory,
                                uint32_t access) {
  Result<Found> found = findPart(place, memory, access);
  assert(found.ok() && found->copies && "the memory was prepared");
  found->copies->notEnqueued(*found->device, found->part);
}

void MemoryTracker::failed(MemoryPlace place, const MemoryAccess &memory,
                           uint32_t access) {
  Result<Found> found = findPart(place, memory, access);
  if (found.ok() && found->copies)
    found->copies->failed(*found->device, found->part);
}

Status MemoryTracker::useOnHost(const MemoryAccess &memory, uint32_t access) {
  if (!anyOnDevices())
    return {};
  Result<Found> found = findPart(hostPlace, memory, access);
  if (!found.ok())
    return found.takeStatus();
  return found->copies ? found->copies->useOnHost(found->part) : Status();
}

Result<device::Event>
MemoryTracker::beginFetchHome(const MemoryAccess &memory) {
  if (!anyOnDevices())
    return device::Event();
  Result<Found> found = findPart(hostPlace, memory, SLUICE_ACCESS_IN);
  if (!found.ok())
    return found.takeStatus();
  return found->copies ? found->copies->beginFetchHome(found->part)
                       : device::Event();
}

MemoryValidity MemoryTracker::validity(const void *pointer, MemoryPlace place,
                                       uint64_t size) {
  MemoryAccess memory = {"", reinterpret_cast<uintptr_t>(pointer), size,
                         size != 0, false};
  Result<Found> found = findPart(hostPlace, memory, SLUICE_ACCESS_IN);
  return found.ok() && found->copies
             ? found->copies->validity(place, found->part.bytes)
             : MemoryValidity::Invalid;
}

MemoryCounters MemoryTracker::counters(MemoryPlace place) {
  std::lock_guard lock(mutex);
  return place != hostPlace && place <= devices.size()
             ? devices[place - 1]->counters()
             : MemoryCounters();
}
