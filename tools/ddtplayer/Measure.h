//===- Measure.h - Measured quantities of each type -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The player and its helpers, which are separate programs, use the same names
// for the quantities.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_MEASURE_H
#define DDTPLAYER_MEASURE_H

#include <array>
#include <cstdint>
#include <optional>

namespace sluice::player {

/// A time, in seconds per operation.
enum class Quantity : uint8_t {
  /// From a built type to a usable one.
  Commit,
  /// Generating machine code for it, without any cache.
  Compile,
  /// Both buffers are in the caches, as far as they fit.
  PackHot,
  UnpackHot,
  /// No byte of either buffer is in any cache.
  PackCold,
  UnpackCold,
};
inline constexpr int quantityCount = 6;

inline constexpr std::array<const char *, quantityCount> quantityNames = {
    "commit", "compile", "pack hot", "unpack hot", "pack cold", "unpack cold"};

inline bool isPack(Quantity quantity) {
  return quantity == Quantity::PackHot || quantity == Quantity::PackCold;
}
inline bool isCold(Quantity quantity) {
  return quantity == Quantity::PackCold || quantity == Quantity::UnpackCold;
}

/// Values on which all libraries must agree, in bytes.
struct TypeShape {
  int64_t size = 0;
  int64_t lowerBound = 0;
  int64_t extent = 0;
  int64_t trueLowerBound = 0;
  int64_t trueExtent = 0;
  bool operator==(const TypeShape &) const = default;
};

/// The bytes that `count` instances touch: [low, high) from the buffer's
/// address.
struct ByteSpan {
  int64_t low = 0;
  int64_t high = 0;
  int64_t bytes() const { return high - low; }
};
ByteSpan spanOf(const TypeShape &shape, int64_t count);

} // namespace sluice::player

#endif // DDTPLAYER_MEASURE_H
