//===- kernels.c - Pictures from files and to files -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C kernels of the example. A path is an array of bytes that ends with a
// zero, a picture an array of doubles: planes, rows, columns. A kernel that
// returns anything but 0 ends the run.
//
//===----------------------------------------------------------------------===//

#include "bmp.h"

#include <math.h>

/// Reads what is known to have the size of the picture.
static const char *read_bytes(FILE *file, int64_t planes, int64_t rows,
                              int64_t columns, uint8_t *bytes) {
  Bmp bmp;
  const char *problem = bmpReadHeader(file, &bmp);
  if (problem)
    return problem;
  if (bmp.channels != planes || bmp.height != rows || bmp.width != columns)
    return "its size has changed";
  return bmpReadPixels(file, &bmp, bytes);
}

/// Reads a BMP file.
int load_bmp(const uint8_t *pathBase, const uint8_t *path, int64_t pathOffset,
             int64_t pathLength, int64_t pathStride, double *base,
             double *picture, int64_t offset, int64_t planes, int64_t rows,
             int64_t columns, int64_t planeStride, int64_t rowStride,
             int64_t columnStride) {
  const char *name = (const char *)path + pathOffset;
  const char *problem = "it cannot be opened";
  uint8_t *bytes = malloc((size_t)(planes * rows * columns));
  FILE *file = fopen(name, "rb");
  if (file && bytes)
    problem = read_bytes(file, planes, rows, columns, bytes);
  if (file)
    fclose(file);
  if (problem)
    fprintf(stderr, "'%s': %s\n", name, problem);
  for (int64_t p = 0; p < planes && !problem; ++p)
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < columns; ++x)
        picture[offset + p * planeStride + y * rowStride + x * columnStride] =
            bytes[(p * rows + y) * columns + x];
  free(bytes);
  return problem != NULL;
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

static uint8_t to_byte(double value) {
  return (uint8_t)lround(fmin(fmax(value, 0), 255));
}

/// Writes a picture as a BMP file.
int save_bmp(const uint8_t *pathBase, const uint8_t *path, int64_t pathOffset,
             int64_t pathLength, int64_t pathStride, const double *base,
             const double *picture, int64_t offset, int64_t planes,
             int64_t rows, int64_t columns, int64_t planeStride,
             int64_t rowStride, int64_t columnStride) {
  const char *name = (const char *)path + pathOffset;
  uint8_t *bytes = malloc((size_t)(planes * rows * columns));
  if (!bytes)
    return 1;
  for (int64_t p = 0; p < planes; ++p)
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < columns; ++x)
        bytes[(p * rows + y) * columns + x] =
            to_byte(picture[offset + p * planeStride + y * rowStride +
                            x * columnStride]);
  int isFine = bmpWrite(name, columns, rows, (int)planes, bytes);
  if (!isFine)
    fprintf(stderr, "'%s': it cannot be written\n", name);
  free(bytes);
  return !isFine;
}
