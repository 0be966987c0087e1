//===- problem.h - The Mandelbrot set ----------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many steps z = z * z + c stays within a radius of 2, for every pixel.
// Compilers contract products and sums differently, and at the border of the
// set that changes counts: of 100 pixels one may differ from the oracle's.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_MANDELBROT_H
#define SLUICE_BENCH_MANDELBROT_H

#include "../app.h"

static const float mandelbrotLeft = -2.2f, mandelbrotTop = -1.2f,
                   mandelbrotSide = 2.4f;

static long width, height, limit;
static int *counts, *expected;

static inline int countSteps(float cx, float cy, int most) {
  float zx = 0, zy = 0;
  int count = 0;
  while (count < most && zx * zx + zy * zy <= 4.0f) {
    float next = zx * zx - zy * zy + cx;
    zy = 2.0f * zx * zy + cy;
    zx = next;
    ++count;
  }
  return count;
}

static void reset(void) {
  memset(counts, 0, sizeof(int) * (size_t)(width * height));
}

static void allocate(void) {
  width = appNumber(1);
  height = appNumber(2);
  limit = appNumber(3);
  counts = appInts(width * height);
  expected = (int *)appOracle(sizeof(int) * (size_t)(width * height));
  const float step = mandelbrotSide / (float)width;
  for (long row = 0; row < height; ++row)
    for (long column = 0; column < width; ++column)
      expected[row * width + column] =
          countSteps(mandelbrotLeft + step * (float)column,
                     mandelbrotTop + step * (float)row, (int)limit);
}

static const char *verify(void) {
  long different = 0, last = 0;
  for (long i = 0; i < width * height; ++i)
    if (counts[i] != expected[i]) {
      ++different;
      last = i;
    }
  return different * 100 > width * height
             ? benchWrong("too many pixels differ; count", last, expected[last],
                          counts[last])
             : 0;
}

#endif // SLUICE_BENCH_MANDELBROT_H
