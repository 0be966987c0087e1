//===- RankGrid.cpp - The distribution of colors to ranks -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries all grids with this number of ranks. The colors of a rank follow from
// where its part begins along each dimension.
//
//===----------------------------------------------------------------------===//

#include "RankGrid.h"

using namespace sluice::regions;

static int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

static std::vector<int64_t> divisorsOf(int64_t number) {
  std::vector<int64_t> small, large;
  for (int64_t d = 1; d * d <= number; ++d)
    if (number % d == 0) {
      small.push_back(d);
      if (d * d != number)
        large.push_back(number / d);
    }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

/// The first criterion is the maximum number of colors of a rank, the second
/// the number of elements with a neighbour on another rank.
RankGrid::RankGrid(const Shape &colors, const Shape &elements,
                   uint32_t numRanks)
    : colors(colors), numRanks(numRanks) {
  const int64_t count = colors.count(), *extent = colors.extent;
  const int64_t *width =
      colors.rank == elements.rank ? elements.extent : colors.extent;
  int64_t leastLoad = divideUp(std::max<int64_t>(count, 1), numRanks);
  int64_t leastCut = INT64_MAX;
  const std::vector<int64_t> divisors = divisorsOf(numRanks);
  for (int64_t a : divisors)
    for (int64_t b : divisors) {
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

std::vector<uint32_t> RankGrid::colorsOf(uint32_t rank) const {
  std::vector<uint32_t> own;
  if (ranks[0] == 0) {
    const int64_t count = colors.count();
    const int64_t end = divideUp((int64_t(rank) + 1) * count, numRanks);
    for (int64_t color = divideUp(rank * count, numRanks); color < end; ++color)
      own.push_back(static_cast<uint32_t>(color));
    return own;
  }
  int64_t first[SLUICE_MAX_RANK], end[SLUICE_MAX_RANK], rest = rank;
  for (int d = SLUICE_MAX_RANK - 1; d >= 0; --d) {
    const int64_t part = rest % ranks[d];
    rest /= ranks[d];
    first[d] = divideUp(part * colors.extent[d], ranks[d]);
    end[d] = divideUp((part + 1) * colors.extent[d], ranks[d]);
  }
  int64_t at[SLUICE_MAX_RANK];
  for (at[0] = first[0]; at[0] < end[0]; ++at[0])
    for (at[1] = first[1]; at[1] < end[1]; ++at[1])
      for (at[2] = first[2]; at[2] < end[2]; ++at[2])
        own.push_back(static_cast<uint32_t>(colors.position(at)));
  return own;
}
