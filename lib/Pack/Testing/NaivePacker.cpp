//===- NaivePacker.cpp - Packing by the definition, for tests -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies elements one by one, in the order of the type map.
//
//===----------------------------------------------------------------------===//

#include "NaivePacker.h"

#include <algorithm>
#include <cstring>

using namespace sluice::pack;
using namespace sluice::pack::naive;

int64_t TypeMap::size() const {
  int64_t total = 0;
  for (const Element &element : elements)
    total += element.size;
  return total;
}

int64_t TypeMap::trueLowerBound() const {
  if (elements.empty())
    return 0;
  int64_t low = elements.front().offset;
  for (const Element &element : elements)
    low = std::min(low, element.offset);
  return low;
}

int64_t TypeMap::trueUpperBound() const {
  if (elements.empty())
    return 0;
  int64_t high = elements.front().offset + elements.front().size;
  for (const Element &element : elements)
    high = std::max(high, element.offset + element.size);
  return high;
}

Range naive::touchedRange(const TypeMap &map, int64_t count) {
  if (count == 0 || map.elements.empty())
    return {};
  int64_t last = (count - 1) * map.extent();
  return {map.trueLowerBound() + std::min<int64_t>(0, last),
          map.trueUpperBound() + std::max<int64_t>(0, last)};
}

bool naive::overlaps(const TypeMap &map, int64_t count) {
  Range range = touchedRange(map, count);
  std::vector<bool> taken(range.high - range.low);
  for (int64_t k = 0; k != count; ++k)
    for (const Element &element : map.elements)
      for (int64_t byte = 0; byte != element.size; ++byte) {
        int64_t at = k * map.extent() + element.offset + byte - range.low;
        if (taken[at])
          return true;
        taken[at] = true;
      }
  return false;
}

std::vector<std::byte> naive::pack(const TypeMap &map, const std::byte *in,
                                   int64_t count) {
  std::vector<std::byte> out(map.size() * count);
  std::byte *next = out.data();
  for (int64_t k = 0; k != count; ++k)
    for (const Element &element : map.elements) {
      memcpy(next, in + k * map.extent() + element.offset, element.size);
      next += element.size;
    }
  return out;
}

void naive::unpackPart(const TypeMap &map, std::span<const std::byte> packed,
                       int64_t position, std::byte *out, int64_t count) {
  int64_t end = position + static_cast<int64_t>(packed.size());
  int64_t at = 0;
  for (int64_t k = 0; k != count; ++k)
    for (const Element &element : map.elements)
      for (int64_t byte = 0; byte != element.size; ++byte, ++at)
        if (at >= position && at < end)
          out[k * map.extent() + element.offset + byte] = packed[at - position];
}
