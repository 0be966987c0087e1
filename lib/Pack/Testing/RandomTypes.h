//===- RandomTypes.h - Random data layouts, for tests ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trees of all constructors, equal for equal seeds. Decisions come from a
// seeded generator, or from a fuzzer's bytes, so that both search the same
// space.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_TESTING_RANDOMTYPES_H
#define SLUICE_LIB_PACK_TESTING_RANDOMTYPES_H

#include "sluice/Pack/Datatype.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sluice::pack::naive {

/// The source of decisions.
class Choices {
public:
  explicit Choices(uint64_t seed) : state(seed) {}
  /// Consumes bytes one by one; after the last byte every decision is 0.
  explicit Choices(std::span<const uint8_t> bytes)
      : bytes(bytes), isFromBytes(true) {}

  /// In [0, bound).
  int64_t below(int64_t bound);
  /// In [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }
  bool oneIn(int64_t n) { return below(n) == n - 1; }

private:
  uint64_t state = 0;
  std::span<const uint8_t> bytes;
  bool isFromBytes = false;
};

struct RandomTypeOptions {
  /// Levels of constructors above the primitive types.
  int maxDepth = 5;
  /// Approximate number of elements of one instance.
  int64_t maxElements = 2000;
  /// True extent of one instance in bytes, never exceeded.
  int64_t maxSpan = 1 << 20;
  /// The leaves; all primitive types if empty.
  std::vector<farc::PrimitiveDatatype::PrimitiveType> primitives;
  /// Whether there are resized layouts with negative extents.
  bool hasNegativeExtents = true;
};

/// A layout; three of four have blocks that do not overlap, the others may list
/// a byte several times. See `overlaps`.
std::unique_ptr<farc::Datatype>
randomType(Choices &choices, const RandomTypeOptions &options = {});

} // namespace sluice::pack::naive

#endif // SLUICE_LIB_PACK_TESTING_RANDOMTYPES_H
