//===- RankGrid.cpp - Which rank has which color --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries all grids of so many ranks.
//
//===----------------------------------------------------------------------===//

#include "RankGrid.h"

using namespace sluice::regions;

static int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// What counts first is the rank with the most colors, then how many elements
/// have a neighbour on another rank.
RankGrid::RankGrid(const Shape &colors, const Shape &elements,
                   uint32_t numRanks)
    : colors(colors), numRanks(numRanks) {
  const int64_t count = colors.count(), *extent = colors.extent;
  const int64_t *width =
      colors.rank == elements.rank ? elements.extent : colors.extent;
  int64_t leastLoad = divideUp(std::max<int64_t>(count, 1), numRanks);
  int64_t leastCut = INT64_MAX;
  for (int64_t a = 1; a <= numRanks; ++a)
    for (int64_t b = 1; numRanks % a == 0 && b <= numRanks / a; ++b) {
      const int64_t c = numRanks / a / b;
      if (a * b * c != numRanks || a > extent[0] || b > extent[1] ||
          c > extent[2])
        continue;
      int64_t load = divideUp(extent[0], a) * divideUp(extent[1], b) *
                     divideUp(extent[2], c);
      int64_t cut = (a - 1) * width[1] * width[2] +
                    (b - 1) * width[0] * width[2] +
                    (c - 1) * width[0] * width[1];
      if (load > leastLoad || cut >= leastCut)
        continue;
      leastCut = cut;
      ranks[0] = a;
      ranks[1] = b;
      ranks[2] = c;
    }
}

uint32_t RankGrid::rankOf(uint32_t color) const {
  if (ranks[0] == 0)
    return uint64_t(color) * numRanks / colors.count();
  int64_t at[SLUICE_MAX_RANK], rank = 0;
  colors.coordinates(color, at);
  for (int d = 0; d < SLUICE_MAX_RANK; ++d)
    rank = rank * ranks[d] + at[d] * ranks[d] / colors.extent[d];
  return static_cast<uint32_t>(rank);
}
