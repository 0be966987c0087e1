//===- kernels.c - The largest height, and saving a picture ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C kernels of the example. A scalar that a kernel returns is a pointer.
//
//===----------------------------------------------------------------------===//

#include "../blur/bmp.h"

/// The largest of the heights.
void mixed_peak(const double *base, const double *heights, int64_t offset,
                int64_t rows, int64_t columns, int64_t rowStride,
                int64_t columnStride, double *peak) {
  *peak = 0;
  for (int64_t y = 0; y < rows; ++y)
    for (int64_t x = 0; x < columns; ++x) {
      double height = heights[offset + y * rowStride + x * columnStride];
      if (height > *peak)
        *peak = height;
    }
}

/// Writes a picture of three planes, which has no gaps, as a BMP file.
int mixed_save(const uint8_t *pathBase, const uint8_t *path, int64_t pathOffset,
               int64_t pathLength, int64_t pathStride, const uint8_t *base,
               const uint8_t *picture, int64_t offset, int64_t planes,
               int64_t rows, int64_t columns, int64_t planeStride,
               int64_t rowStride, int64_t columnStride) {
  const char *name = (const char *)path + pathOffset;
  if (bmpWrite(name, columns, rows, (int)planes, picture + offset))
    return 0;
  fprintf(stderr, "'%s': it cannot be written\n", name);
  return 1;
}
