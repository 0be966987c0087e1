//===- kernels.c - Saving a grey picture ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one C kernel of the example. A path is an array of bytes that ends with
// a zero.
//
//===----------------------------------------------------------------------===//

#include "../blur/bmp.h"

/// Writes a picture, which has no gaps, as a BMP file.
int radar_save(const uint8_t *pathBase, const uint8_t *path, int64_t pathOffset,
               int64_t pathLength, int64_t pathStride, const uint8_t *base,
               const uint8_t *picture, int64_t offset, int64_t rows,
               int64_t columns, int64_t rowStride, int64_t columnStride) {
  const char *name = (const char *)path + pathOffset;
  if (bmpWrite(name, columns, rows, 1, picture + offset))
    return 0;
  fprintf(stderr, "'%s': it cannot be written\n", name);
  return 1;
}
