//===- lanes.c - The Mandelbrot set in vector lanes by hand ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two vectors of pixels step together until the last of them is done; a mask
// says which still count. Pixels beyond the last whole group are one by one.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#ifdef __AVX512F__
enum { lanes = 16 };
#else
enum { lanes = 8 };
#endif
enum { group = 2 * lanes };

typedef float Floats __attribute__((vector_size(lanes * 4), aligned(4)));
typedef int Ints __attribute__((vector_size(lanes * 4), aligned(4)));

/// Whether a lane is not zero.
static inline int hasAny(Ints mask) {
  long parts[lanes / 2];
  memcpy(parts, &mask, sizeof(parts));
  long any = 0;
  for (int i = 0; i < lanes / 2; ++i)
    any |= parts[i];
  return any != 0;
}

static inline Ints step(Floats *zx, Floats *zy, Floats cx, float cy) {
  Floats squareX = *zx * *zx, squareY = *zy * *zy;
  Ints inside = squareX + squareY <= 4.0f;
  *zy = 2.0f * *zx * *zy + cy;
  *zx = squareX - squareY + cx;
  return inside; // -1 where it holds
}

static void countGroup(float left, float pixel, float cy, int most,
                       int *result) {
  Floats first, second, x0 = {0}, y0 = {0}, x1 = {0}, y1 = {0};
  Ints count0 = {0}, count1 = {0}, in0 = count0 - 1, in1 = count1 - 1;
  for (int lane = 0; lane < lanes; ++lane) {
    first[lane] = left + pixel * (float)lane;
    second[lane] = left + pixel * (float)(lane + lanes);
  }
  for (int i = 0; i < most && hasAny(in0 | in1); ++i) {
    in0 &= step(&x0, &y0, first, cy);
    in1 &= step(&x1, &y1, second, cy);
    count0 -= in0;
    count1 -= in1;
  }
  memcpy(result, &count0, sizeof(count0));
  memcpy(result + lanes, &count1, sizeof(count1));
}

static void run(void) {
  const float pixel = mandelbrotSide / (float)width;
#pragma omp parallel for schedule(dynamic, 4)
  for (long row = 0; row < height; ++row) {
    float cy = mandelbrotTop + pixel * (float)row;
    long column = 0;
    for (; column + group <= width; column += group)
      countGroup(mandelbrotLeft + pixel * (float)column, pixel, cy, (int)limit,
                 counts + row * width + column);
    for (; column < width; ++column)
      counts[row * width + column] =
          countSteps(mandelbrotLeft + pixel * (float)column, cy, (int)limit);
  }
}

int main(void) { return appServe(); }
