//===- CopyBuffers.cpp - Buffers of an object on devices ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object has one buffer of its whole size on a device, so that all parts
// have the same offsets, whichever part is used first. If the whole object does
// not fit, the buffer contains only the part in use, which another part then
// replaces.
//
//===----------------------------------------------------------------------===//

#include "MemoryCopies.h"

#include "sluice-c/Plan.h"
#include "sluice/Base/Text.h"

using namespace sluice;

MemoryCopies::Copy &MemoryCopies::copyAt(DevicePlace &device) {
  if (copies.empty() && numPlaced)
    ++*numPlaced;
  if (copies.size() <= device.number)
    copies.resize(device.number + 1);
  auto &copy = copies[device.number];
  if (!copy) {
    copy = std::make_unique<Copy>();
    copy->device = &device;
  }
  return *copy;
}

/// Makes room for a part on a device, and pins it there.
Status MemoryCopies::placeBuffer(DevicePlace &device, const MemoryPart &part) {
  Lock lock(mutex);
  Copy &copy = copyAt(device);
  while (true) {
    if (!copy.buffer) {
      if (Status status = addBuffer(copy, part, lock); !status.ok())
        return status;
      continue;
    }
    ByteRange window = copy.window();
    if (part.bytes.begin >= window.begin && part.bytes.end <= window.end)
      break;
    // The buffer contains another part, and both do not fit.
    if (copy.numPins || (evictLocked(copy, lock) == 0 && copy.buffer))
      return noRoomError(part, copy,
                         Status::error(StatusCode::Exhausted,
                                       "another part of it is in use there"));
  }
  ++copy.numPins;
  copy.lastUse = device.tick();
  return {};
}

/// Allocates without the lock, because that may evict other objects.
Status MemoryCopies::addBuffer(Copy &copy, const MemoryPart &part, Lock &lock) {
  DevicePlace &device = *copy.device;
  bool fits = size <= device.maxBuffer();
  ByteRange window = fits ? all() : part.bytes;
  lock.unlock();
  Result<std::unique_ptr<device::Buffer>> buffer =
      device.allocate(window.size());
  if (!buffer.ok() && buffer.status().code() == StatusCode::Exhausted &&
      window.size() > part.bytes.size()) {
    window = part.bytes;
    buffer = device.allocate(window.size());
  }
  lock.lock();
  if (!buffer.ok())
    return noRoomError(part, copy, buffer.status());
  if (copy.buffer) {
    // Another thread has added a buffer meanwhile.
    device.release(std::move(*buffer));
    return {};
  }
  copy.buffer = std::move(*buffer);
  copy.bufferBegin = window.begin;
  device.addResident(weak_from_this(), this, copy.lastUse);
  return {};
}

Status MemoryCopies::noRoomError(const MemoryPart &part, const Copy &copy,
                                 const Status &status) const {
  return Status::error(
      status.code(),
      concat("cannot place ", countOf(part.bytes.size(), "byte", "bytes"),
             " of ", text(part), " on ", quoted(copy.device->name()), ": ",
             status.message()));
}

void MemoryCopies::freeBuffer(Copy &copy) {
  copy.device->removeResident(this);
  copy.device->release(std::move(copy.buffer));
  copy.buffer = nullptr;
}

uint64_t MemoryCopies::evict(DevicePlace &device, bool mayWait) {
  Lock lock(mutex);
  retire();
  Copy *copy =
      device.number < copies.size() ? copies[device.number].get() : nullptr;
  if (!copy || !copy->buffer || copy->numPins ||
      (!mayWait && findUser(device.number)))
    return 0;
  return evictLocked(*copy, lock);
}

/// Fetches the bytes that only this copy has, waits for operations in flight,
/// and frees the buffer. Returns its size; 0 if it is in use meanwhile or a
/// transfer failed.
uint64_t MemoryCopies::evictLocked(Copy &copy, Lock &lock) {
  MemoryPlace place = copy.device->number;
  MemoryPart whole = {"", all(), SLUICE_ACCESS_IN};
  if (!beginDownloads(whole, Home::OnlyAt, place, lock).ok())
    return 0;
  while (!copy.numPins) {
    const Operation *user = findUser(place);
    if (!user)
      break;
    (void)waitOutside(lock, *user);
    retire();
  }
  if (!copy.buffer || copy.numPins)
    return 0;
  bool isElsewhere = true;
  valid.visit(all(), [&](ByteRange, PlaceSet places) {
    isElsewhere &= places != setOf(place);
  });
  if (!isElsewhere)
    return 0;
  forgetPlace(place);
  uint64_t bytes = copy.buffer->size;
  copy.device->countEviction(bytes);
  freeBuffer(copy);
  return bytes;
}
