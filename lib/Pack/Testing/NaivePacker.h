//===- NaivePacker.h - Packing by the definition, for tests ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle of the tests: it expands a layout into MPI's type map, one entry
// per primitive element, using only envelope and contents from the library.
// Slow, obvious, and independent of normal forms.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_TESTING_NAIVEPACKER_H
#define SLUICE_LIB_PACK_TESTING_NAIVEPACKER_H

#include "sluice/Pack/Datatype.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sluice::pack::naive {

struct Element {
  int64_t offset;
  int64_t size;
};

/// MPI 3.1, section 4.1: the elements in pack order, and the bounds. Markers of
/// lower and upper bounds come in pairs here, from resized layouts, subarrays
/// and distributed arrays, and override the natural bounds. A part without
/// elements still has bounds, as in both MPIs.
struct TypeMap {
  std::vector<Element> elements;
  bool hasParts = false;
  bool isMarked = false;
  /// From the markers, or else from the elements; 0 without either.
  int64_t lowerBound = 0;
  int64_t upperBound = 0;
  /// Of the element with the strictest alignment.
  int64_t alignment = 1;

  int64_t size() const;
  int64_t extent() const { return upperBound - lowerBound; }
  int64_t trueLowerBound() const;
  int64_t trueUpperBound() const;
};

/// The type map, or nothing if it takes more than `limit` steps to expand.
std::optional<TypeMap> typeMapOf(const farc::Datatype &type,
                                 int64_t limit = 1 << 22);

/// The bytes that `count` instances use, relative to the buffer's address.
struct Range {
  int64_t low = 0;
  int64_t high = 0;
};
Range touchedRange(const TypeMap &map, int64_t count);

/// Whether two elements of `count` instances share a byte; then the result of
/// unpacking is undefined.
bool overlaps(const TypeMap &map, int64_t count);

std::vector<std::byte> pack(const TypeMap &map, const std::byte *in,
                            int64_t count);
/// Unpacks bytes [position, position + packed.size()) of the packed stream.
void unpackPart(const TypeMap &map, std::span<const std::byte> packed,
                int64_t position, std::byte *out, int64_t count);

} // namespace sluice::pack::naive

#endif // SLUICE_LIB_PACK_TESTING_NAIVEPACKER_H
