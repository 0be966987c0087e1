//===- TypeBuffers.h - Source and target buffers of types -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout may touch bytes before its address, and bytes that are far apart. A
// region is mapped memory that begins at the layout's first byte and has its
// address on a cache line. It contains a pattern that distinguishes adjacent
// bytes, and can be evicted from the caches.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_TYPEBUFFERS_H
#define DDTPLAYER_TYPEBUFFERS_H

#include "Measure.h"
#include "sluice/Base/Status.h"

#include <cstddef>
#include <span>

namespace sluice::player {

/// The bytes [low, high) around an address on a cache line.
class Region {
public:
  Region() = default;
  ~Region();
  Region(Region &&other) noexcept;
  Region &operator=(Region &&other) noexcept;

  static Result<Region> of(ByteSpan span);

  /// The address of the layout; the region's bytes are around it.
  std::byte *address() const { return first - low; }
  std::span<std::byte> bytes() const { return {first, size}; }

  /// Writes bytes that depend on their position and on `seed`.
  void fillPattern(uint8_t seed) const;
  /// Writes `gapByte` everywhere.
  void fillGaps() const;
  /// The value of bytes that no unpack may touch.
  static constexpr std::byte gapByte{0xa5};
  /// Evicts all bytes from the caches.
  void evict() const;

private:
  std::byte *mapped = nullptr;
  size_t mappedSize = 0;
  std::byte *first = nullptr;
  size_t size = 0;
  int64_t low = 0;
};

} // namespace sluice::player

#endif // DDTPLAYER_TYPEBUFFERS_H
