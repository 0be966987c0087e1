//===- BufferPool.cpp - Reuse of a device's buffers -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds sizes so that a freed buffer fits later uses, and frees the oldest
// kept buffers when they exceed a share of the memory.
//
//===----------------------------------------------------------------------===//

#include "BufferPool.h"

#include "sluice/Base/Text.h"

#include <bit>

using namespace sluice;

uint64_t BufferPool::rounded(uint64_t size) const {
  uint64_t granule = std::max<uint64_t>(256, std::bit_floor(size) / 8);
  uint64_t up = (size + granule - 1) / granule * granule;
  return up <= largest() ? up : size;
}

Result<std::unique_ptr<device::Buffer>> BufferPool::allocate(uint64_t size) {
  size = rounded(std::max<uint64_t>(size, 1));
  std::lock_guard lock(mutex);
  if (std::unique_ptr<device::Buffer> buffer = takeKept(size))
    return buffer;
  if (size > budget - std::min(budget, bytesInBuffers - bytesKept))
    return Status::error(StatusCode::Exhausted,
                         concat("there is no room for ",
                                countOf(size, "byte", "bytes"), " on ",
                                quoted(device.properties().name), ": ",
                                bytesInBuffers - bytesKept, " of ", budget,
                                " bytes are in use"));
  trimTo(budget - size);
  Result<std::unique_ptr<device::Buffer>> buffer = device.allocate(size);
  if (!buffer.ok() && buffer.status().code() == StatusCode::Exhausted &&
      bytesKept) {
    trimTo(bytesInBuffers - bytesKept);
    buffer = device.allocate(size);
  }
  if (!buffer.ok() && buffer.status().code() != StatusCode::Exhausted)
    return Status::error(buffer.status().code(),
                         concat("cannot allocate ",
                                countOf(size, "byte", "bytes"), " on ",
                                quoted(device.properties().name), ": ",
                                buffer.status().message()));
  if (!buffer.ok())
    return Status::error(
        buffer.status().code(),
        concat("there is no room for ", countOf(size, "byte", "bytes"), " on ",
               quoted(device.properties().name), " beside ", bytesInBuffers,
               " bytes in use: ", buffer.status().message()));
  ++numAllocations;
  bytesInBuffers += size;
  peak = std::max(peak, bytesInBuffers);
  return buffer;
}

/// Takes the most recently released buffer, which may still be in caches.
std::unique_ptr<device::Buffer> BufferPool::takeKept(uint64_t size) {
  for (auto it = kept.rbegin(); it != kept.rend(); ++it)
    if ((*it)->size == size) {
      std::unique_ptr<device::Buffer> buffer = std::move(*it);
      kept.erase(std::next(it).base());
      bytesKept -= size;
      return buffer;
    }
  return nullptr;
}

void BufferPool::release(std::unique_ptr<device::Buffer> buffer) {
  std::lock_guard lock(mutex);
  bytesKept += buffer->size;
  kept.push_back(std::move(buffer));
  uint64_t maxKept = budget / 8;
  if (bytesKept > maxKept)
    trimTo(bytesInBuffers - (bytesKept - maxKept));
}

/// Frees kept buffers, the oldest first, until they total at most `size` bytes.
void BufferPool::trimTo(uint64_t size) {
  while (bytesInBuffers > size && !kept.empty()) {
    bytesKept -= kept.front()->size;
    bytesInBuffers -= kept.front()->size;
    kept.pop_front();
  }
}

void BufferPool::trim() {
  std::lock_guard lock(mutex);
  trimTo(0);
}

void BufferPool::count(MemoryCounters &counters) {
  std::lock_guard lock(mutex);
  counters.numAllocations = numAllocations;
  counters.bytesInBuffers = bytesInBuffers;
  counters.peakBytesInBuffers = peak;
}
