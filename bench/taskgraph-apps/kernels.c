//===- kernels.c - The C kernels of `bench taskgraph-apps` ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All programs call them in the same form: an array is its memory, its first
// element, an offset, its extents and its strides.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>

/// About a millisecond of arithmetic in which each step needs the one before.
void tick(uint64_t *base, uint64_t *first, int64_t offset, int64_t extent,
          int64_t stride) {
  uint64_t x = first[offset];
  for (int i = 0; i < 600000; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  first[offset] = x;
}

/// A picture with something in it everywhere.
void fill(double *base, double *picture, int64_t offset, int64_t planes,
          int64_t rows, int64_t columns, int64_t planeStride, int64_t rowStride,
          int64_t columnStride) {
  for (int64_t p = 0; p < planes; ++p)
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < columns; ++x)
        picture[offset + p * planeStride + y * rowStride + x * columnStride] =
            (double)((x * 7 + y * 13 + p * 29 + x * y % 31) & 255);
}

/// Turns a picture into its negative.
void invert(double *base, double *picture, int64_t offset, int64_t planes,
            int64_t rows, int64_t columns, int64_t planeStride,
            int64_t rowStride, int64_t columnStride) {
  for (int64_t p = 0; p < planes; ++p)
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < columns; ++x) {
        double *value = &picture[offset + p * planeStride + y * rowStride +
                                 x * columnStride];
        *value = 255 - *value;
      }
}
