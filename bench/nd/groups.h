//===- groups.h - Work-groups with barriers, written by hand ----*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a careful programmer makes of a work-group with barriers: one loop over
// the work-items for every part between two barriers, values that live across
// a barrier in arrays, the loop around the barriers outside. OpenMP and oneTBB
// run these bodies; our compiler has to reach them from the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_GROUPS_H
#define SLUICE_BENCH_GROUPS_H

#include "problems.h"

#ifdef __cplusplus
#define restrict __restrict__
#endif

/// One 16x16 tile of the product, through two tiles of local memory.
static inline void matmulTileGroup(const float *restrict a,
                                   const float *restrict b, float *restrict c,
                                   long groupX, long groupY) {
  enum { tile = matmulTile, size = matmulSize };
  float aTile[tile][tile], bTile[tile][tile], sum[tile][tile];
  const float *aRow = a + groupY * tile * size;
  const float *bColumn = b + groupX * tile;
  for (int y = 0; y < tile; ++y)
    for (int x = 0; x < tile; ++x)
      sum[y][x] = 0.0f;
  for (int t = 0; t < size / tile; ++t) {
    for (int y = 0; y < tile; ++y)
      for (int x = 0; x < tile; ++x) {
        aTile[y][x] = aRow[y * size + t * tile + x];
        bTile[y][x] = bColumn[(t * tile + y) * size + x];
      }
    // barrier
    for (int y = 0; y < tile; ++y)
      for (int k = 0; k < tile; ++k)
#pragma omp simd
        for (int x = 0; x < tile; ++x)
          sum[y][x] += aTile[y][k] * bTile[k][x];
    // barrier
  }
  for (int y = 0; y < tile; ++y)
    for (int x = 0; x < tile; ++x)
      c[(groupY * tile + y) * size + groupX * tile + x] = sum[y][x];
}

/// The sum of one group's elements by a tree in local memory.
static inline int reductionTreeGroup(const int *restrict input, long group) {
  int local[reductionGroup];
  for (int i = 0; i < reductionGroup; ++i)
    local[i] = input[group * reductionGroup + i];
  // barrier
  for (int half = reductionGroup / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i)
      local[i] += local[i + half];
    // barrier
  }
  return local[0];
}

#endif // SLUICE_BENCH_GROUPS_H
