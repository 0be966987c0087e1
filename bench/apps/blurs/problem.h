//===- problem.h - Four blurs one after another ------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each takes the mean of 3x3 pixels; beyond the border stands the border's
// pixel. Programs may add in another order: the tolerance is 1e-5.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_BLURS_H
#define SLUICE_BENCH_BLURS_H

#include "../app.h"

#ifdef __cplusplus
#define restrict __restrict__
#endif

enum { numBlurs = 4 };
static long width, height;
static float *picture, *result, *expected;
static float *between[numBlurs - 1];

/// The pixel of column x, from the rows above, here and below.
static inline float meanOfNine(const float *above, const float *here,
                               const float *below, long x, long columns) {
  long left = x > 0 ? x - 1 : x, right = x < columns - 1 ? x + 1 : x;
  float sum = above[left] + above[x] + above[right] + here[left] + here[x] +
              here[right] + below[left] + below[x] + below[right];
  return sum * (1.0f / 9);
}

static size_t pictureBytes(void) {
  return sizeof(float) * (size_t)(width * height);
}

static inline void blurRow(const float *above, const float *here,
                           const float *below, float *to, long columns) {
  to[0] = meanOfNine(above, here, below, 0, columns);
  for (long x = 1; x < columns - 1; ++x) {
    float sum = above[x - 1] + above[x] + above[x + 1] + here[x - 1] + here[x] +
                here[x + 1] + below[x - 1] + below[x] + below[x + 1];
    to[x] = sum * (1.0f / 9);
  }
  to[columns - 1] = meanOfNine(above, here, below, columns - 1, columns);
}

static inline void blurRowOf(const float *restrict from, float *restrict to,
                             long y) {
  const float *here = from + y * width;
  blurRow(y > 0 ? here - width : here, here,
          y < height - 1 ? here + width : here, to + y * width, width);
}

static void reset(void) { memset(result, 0, pictureBytes()); }

static void allocate(void) {
  width = appNumber(1);
  height = appNumber(2);
  picture = appFloats(width * height);
  result = appFloats(width * height);
  for (int i = 0; i < numBlurs - 1; ++i)
    between[i] = appFloats(width * height);
  expected = (float *)appOracle(pictureBytes());
  for (long i = 0; i < width * height; ++i)
    picture[i] = (float)(appRandom() % 256);
  const float *from = picture;
  for (int blur = 0; blur < numBlurs; ++blur) {
    float *to = blur == numBlurs - 1 ? expected : between[blur];
    for (long y = 0; y < height; ++y)
      blurRowOf(from, to, y);
    from = to;
  }
}

static const char *verify(void) {
  return appSameFloats("pixel", expected, result, width * height, 1e-5);
}

#endif // SLUICE_BENCH_BLURS_H
