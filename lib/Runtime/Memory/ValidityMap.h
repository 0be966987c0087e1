//===- ValidityMap.h - The places that have each byte ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All bytes of an object, divided into intervals of equal state. Adjacent
// intervals always have different states, so an object that is used as a whole
// has one interval, even if it was used in parts before.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_VALIDITYMAP_H
#define SLUICE_RUNTIME_MEMORY_VALIDITYMAP_H

#include "Places.h"

#include <map>
#include <span>
#include <vector>

namespace sluice {

/// Removes bytes from parts; both lists are sorted and have no adjacent ranges.
void cut(std::vector<ValidRange> &parts, std::span<const ByteRange> pieces);
inline void cut(std::vector<ValidRange> &parts, ByteRange bytes) {
  cut(parts, std::span(&bytes, 1));
}

class ValidityMap {
public:
  ValidityMap(uint64_t size, PlaceSet places) : size(size) {
    starts.emplace(0, places);
  }

  /// Calls `visitor(ByteRange, PlaceSet)` for the parts of `range`, in order.
  template <typename Visitor>
  void visit(ByteRange range, Visitor &&visitor) const {
    if (range.isEmpty())
      return;
    for (auto it = at(range.begin);
         it != starts.end() && it->first < range.end;) {
      auto [begin, places] = *it++;
      uint64_t end = it == starts.end() ? size : it->first;
      visitor(ByteRange{begin, end}.intersect(range), places);
    }
  }

  /// Replaces the places of each part of `range` by `change(places)`. The cost
  /// is logarithmic in the number of intervals and linear in the number within
  /// `range`.
  template <typename Change> void update(ByteRange range, Change &&change) {
    if (range.isEmpty())
      return;
    auto first = split(range.begin), last = split(range.end);
    for (auto it = first; it != last; ++it)
      it->second = change(it->second);
    merge(first, last);
  }

  void set(ByteRange range, PlaceSet places) {
    update(range, [&](PlaceSet) { return places; });
  }
  void add(ByteRange range, MemoryPlace place) {
    update(range, [&](PlaceSet old) { return old | setOf(place); });
  }

  /// All parts of `range`.
  std::vector<ValidRange> parts(ByteRange range) const;

private:
  using Starts = std::map<uint64_t, PlaceSet>;

  Starts::const_iterator at(uint64_t offset) const {
    return std::prev(starts.upper_bound(offset));
  }
  Starts::iterator split(uint64_t offset);
  void merge(Starts::iterator first, Starts::iterator last);

  const uint64_t size;
  /// The state that begins at each offset and extends to the next offset.
  Starts starts;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_VALIDITYMAP_H
