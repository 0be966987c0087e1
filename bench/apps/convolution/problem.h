//===- problem.h - A 5x5 convolution -----------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A picture of whole numbers with 25 weights, as in PolyBench with a larger
// window: sums are exact. The border of two pixels has no result.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_CONVOLUTION_H
#define SLUICE_BENCH_CONVOLUTION_H

#include "../app.h"

enum { window = 5, radius = window / 2 };
static long width, height;
static float *image, *weights, *result, *expected;

static inline float weightedSum(const float *picture, const float *weight,
                                long row, long column, long columns) {
  float sum = 0;
  for (long y = 0; y < window; ++y)
    for (long x = 0; x < window; ++x)
      sum += weight[y * window + x] *
             picture[(row + y - radius) * columns + column + x - radius];
  return sum;
}

static void reset(void) {
  memset(result, 0, sizeof(float) * (size_t)(width * height));
}

static void allocate(void) {
  width = appNumber(1);
  height = appNumber(2);
  image = appFloats(width * height);
  weights = appFloats(window * window);
  result = appFloats(width * height);
  expected = (float *)appOracle(sizeof(float) * (size_t)(width * height));
  for (long i = 0; i < width * height; ++i)
    image[i] = (float)(appRandom() % 256);
  for (long i = 0; i < window * window; ++i)
    weights[i] = (float)(i % 7 - 2);
  for (long row = radius; row < height - radius; ++row)
    for (long column = radius; column < width - radius; ++column)
      expected[row * width + column] =
          weightedSum(image, weights, row, column, width);
}

static const char *verify(void) {
  return appSameFloats("pixel", expected, result, width * height, 0);
}

#endif // SLUICE_BENCH_CONVOLUTION_H
