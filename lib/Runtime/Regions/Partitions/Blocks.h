//===- Blocks.h - Where equal blocks begin and end ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of equal blocks, for partitions of regions and of each color.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_BLOCKS_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_BLOCKS_H

#include "ElementSet.h"

namespace sluice::regions {

/// The beginning of color `c` of `count` in `lower` up to `upper`.
inline int64_t cutAt(int64_t lower, int64_t upper, int64_t c, int64_t count) {
  return lower +
         static_cast<int64_t>(static_cast<__int128>(upper - lower) * c / count);
}

inline Box blockAt(const Box &bounds, const Shape &colors, uint32_t color) {
  int64_t at[SLUICE_MAX_RANK];
  colors.coordinates(color, at);
  Box box = bounds;
  for (int d = 0; d < colors.rank; ++d) {
    const int64_t lower = bounds.lower[d], upper = bounds.upper[d];
    box.lower[d] = cutAt(lower, upper, at[d], colors.extent[d]);
    box.upper[d] = cutAt(lower, upper, at[d] + 1, colors.extent[d]);
  }
  return box;
}

/// The first of `count` colors that ends after `position`.
inline int64_t colorAt(int64_t lower, int64_t upper, int64_t count,
                       int64_t position) {
  int64_t first = 0;
  for (int64_t rest = count; rest > 0;) {
    const int64_t half = rest / 2;
    if (cutAt(lower, upper, first + half + 1, count) > position) {
      rest = half;
    } else {
      first += half + 1;
      rest -= half + 1;
    }
  }
  return first;
}

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_BLOCKS_H
