//===- Places.h - Places of copies of memory ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common types of the memory tracker and its users: places, ranges of bytes,
// counters.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_PLACES_H
#define SLUICE_RUNTIME_MEMORY_PLACES_H

#include "sluice/Device/Device.h"

#include <algorithm>
#include <cstdint>

namespace sluice {

/// Number of a place: the host, or a device in registration order.
using MemoryPlace = uint32_t;
constexpr MemoryPlace hostPlace = 0;
/// Sets of places are the bits of a word.
constexpr MemoryPlace maxPlaces = 64;

/// Places by their numbers.
using PlaceSet = uint64_t;
constexpr PlaceSet setOf(MemoryPlace place) { return PlaceSet(1) << place; }

/// The state of the copy at a place.
enum class MemoryValidity : uint8_t {
  Invalid,  ///< there is no copy, or it is older than another one
  Shared,   ///< equal to every other valid copy
  Modified, ///< the only valid copy
};

/// Bytes `begin <= b < end` of an object.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
  bool isEmpty() const { return begin >= end; }
  bool overlaps(const ByteRange &other) const {
    return begin < other.end && other.begin < end;
  }
  ByteRange intersect(const ByteRange &other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
  bool operator==(const ByteRange &) const = default;
};

/// Bytes in the same state, and the places that have them.
struct ValidRange {
  ByteRange bytes;
  PlaceSet places = 0;
  bool operator==(const ValidRange &) const = default;
};

/// The location of a kernel argument: `offset` bytes into a device's buffer.
struct PlacedMemory {
  device::Buffer *buffer = nullptr;
  uint64_t offset = 0;
};

/// Traffic and use of a device's memory so far.
struct MemoryCounters {
  uint64_t bytesSent = 0;    ///< from the host to the device
  uint64_t bytesFetched = 0; ///< from the device to the host
  uint64_t bytesEvicted = 0; ///< in buffers that were evicted to make room
  uint64_t bytesHit = 0;     ///< read by kernels and already there
  uint64_t numSends = 0;     ///< operations that moved `bytesSent`
  uint64_t numFetches = 0;
  uint64_t numEvictions = 0;
  uint64_t numAllocations = 0; ///< buffers that the device made
  uint64_t bytesInBuffers = 0; ///< now; includes buffers kept for later uses
  uint64_t peakBytesInBuffers = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_PLACES_H
