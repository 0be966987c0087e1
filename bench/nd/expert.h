//===- expert.h - Rows as an expert writes them -----------------*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What OpenMP's and oneTBB's programs share where the row's kernel is not what
// somebody would write by hand who is free to choose: a product whose sums
// stay in registers, and a histogram with tables of its own. groups.h has the
// work-groups of the kernel instead, written out.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_EXPERT_H
#define SLUICE_BENCH_EXPERT_H

#include "problems.h"

#ifdef __cplusplus
#define restrict __restrict__
#endif

//===----------------------------------------------------------------------===//
// Matrix product
//===----------------------------------------------------------------------===//

#ifdef __AVX512F__
enum { blockLanes = 16, blockRows = 8 };
#else
enum { blockLanes = 8, blockRows = 4 };
#endif
enum { blockVectors = 2, panelWidth = blockVectors * blockLanes };

typedef float BlockVector
    __attribute__((vector_size(blockLanes * 4), aligned(4), may_alias));

/// A column panel of b, one row after another, so that it fills no more of
/// the caches than it must.
static inline void packPanel(const float *restrict b, float *restrict panel,
                             long column) {
  for (long k = 0; k < matmulSize; ++k)
    memcpy(panel + k * panelWidth, b + k * matmulSize + column,
           panelWidth * sizeof(float));
}

/// `blockRows` rows of c in one panel's columns; all sums are in registers.
static inline void multiplyBlock(const float *restrict a,
                                 const float *restrict panel,
                                 float *restrict c) {
  BlockVector sum[blockRows][blockVectors] = {{{0}}};
  for (long k = 0; k < matmulSize; ++k) {
    const BlockVector *row = (const BlockVector *)(panel + k * panelWidth);
    const BlockVector left = row[0], right = row[1];
#pragma GCC unroll 8
    for (int y = 0; y < blockRows; ++y) {
      const float factor = a[y * (long)matmulSize + k];
      sum[y][0] += factor * left;
      sum[y][1] += factor * right;
    }
  }
#pragma GCC unroll 8
  for (int y = 0; y < blockRows; ++y) {
    BlockVector *row = (BlockVector *)(c + y * (long)matmulSize);
    row[0] = sum[y][0];
    row[1] = sum[y][1];
  }
}

/// All rows of c in the panel that begins at `column`.
static inline void multiplyPanel(const float *restrict a,
                                 const float *restrict b, float *restrict c,
                                 long column) {
  float panel[matmulSize * panelWidth] __attribute__((aligned(64)));
  packPanel(b, panel, column);
  for (long row = 0; row < matmulSize; row += blockRows)
    multiplyBlock(a + row * matmulSize, panel, c + row * matmulSize + column);
}

//===----------------------------------------------------------------------===//
// Histogram
//===----------------------------------------------------------------------===//

/// Equal numbers in a row count in different tables, so that an addition does
/// not wait for the one before.
enum { histogramTables = 4 };

typedef struct Histogram {
  int counts[histogramTables][histogramBins];
} Histogram;

static inline void countPart(const int *restrict input, long begin, long end,
                             Histogram *restrict own) {
  memset(own, 0, sizeof(*own));
  long i = begin;
  for (; i + histogramTables <= end; i += histogramTables)
    for (int table = 0; table < histogramTables; ++table)
      ++own->counts[table][input[i + table]];
  for (; i < end; ++i)
    ++own->counts[0][input[i]];
}

static inline void addCounts(const Histogram *own, int *counts) {
  for (int bin = 0; bin < histogramBins; ++bin)
    for (int table = 0; table < histogramTables; ++table)
      counts[bin] += own->counts[table][bin];
}

#endif // SLUICE_BENCH_EXPERT_H
