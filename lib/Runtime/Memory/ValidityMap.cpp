//===- ValidityMap.cpp - The places that have each byte -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits and joins the intervals of an object with bytes that are valid at the
// same places.
//
//===----------------------------------------------------------------------===//

#include "ValidityMap.h"

using namespace sluice;

/// Splits an interval at `offset`; returns the end of the map if that is the
/// object's end.
ValidityMap::Starts::iterator ValidityMap::split(uint64_t offset) {
  if (offset >= size)
    return starts.end();
  auto next = starts.lower_bound(offset);
  if (next != starts.end() && next->first == offset)
    return next;
  return starts.emplace_hint(next, offset, std::prev(next)->second);
}

/// Joins adjacent intervals of equal state, from the one before `first` to the
/// one at `last`.
void ValidityMap::merge(Starts::iterator first, Starts::iterator last) {
  auto previous = first == starts.begin() ? first++ : std::prev(first);
  while (first != starts.end()) {
    bool isLast = first == last;
    if (first->second == previous->second)
      first = starts.erase(first);
    else
      previous = first++;
    if (isLast)
      return;
  }
}

std::vector<ValidRange> ValidityMap::parts(ByteRange range) const {
  std::vector<ValidRange> result;
  visit(range, [&](ByteRange bytes, PlaceSet places) {
    result.push_back({bytes, places});
  });
  return result;
}

void sluice::cut(std::vector<ValidRange> &parts,
                 std::span<const ByteRange> pieces) {
  std::vector<ValidRange> rest;
  auto piece = pieces.begin();
  for (auto [bytes, places] : parts) {
    while (piece != pieces.end() && piece->end <= bytes.begin)
      ++piece;
    for (auto it = piece; it != pieces.end() && it->begin < bytes.end; ++it) {
      if (bytes.begin < it->begin)
        rest.push_back({{bytes.begin, it->begin}, places});
      bytes.begin = it->end;
    }
    if (!bytes.isEmpty())
      rest.push_back({bytes, places});
  }
  parts = std::move(rest);
}
