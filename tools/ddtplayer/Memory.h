//===- Memory.h - Buffers that types are packed from and into -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout may touch bytes before its address, and far apart. A region is
// mapped memory that begins where the layout's first byte lies and has its
// address on a cache line; it holds a pattern that tells neighbouring bytes
// apart, and can be driven out of the caches.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_MEMORY_H
#define DDTPLAYER_MEMORY_H

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

  static Result<Region> of(Span span);

  /// The address of the layout; bytes of the region lie around it.
  std::byte *address() const { return first - low; }
  std::span<std::byte> bytes() const { return {first, size}; }

  /// Writes bytes that depend on their place and on `seed`.
  void fillPattern(uint8_t seed) const;
  /// Writes `gapByte` everywhere.
  void fillGaps() const;
  /// What bytes that no unpack may touch hold.
  static constexpr std::byte gapByte{0xa5};
  /// Drives all bytes out of the caches.
  void evict() const;

private:
  std::byte *mapped = nullptr;
  size_t mappedSize = 0;
  std::byte *first = nullptr;
  size_t size = 0;
  int64_t low = 0;
};

} // namespace sluice::player

#endif // DDTPLAYER_MEMORY_H
