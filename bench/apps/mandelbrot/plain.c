//===- plain.c - The Mandelbrot set in plain loops ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows as they come, for some take far longer than others.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void run(void) {
  const float step = mandelbrotSide / (float)width;
#pragma omp parallel for schedule(dynamic, 4)
  for (long row = 0; row < height; ++row)
    for (long column = 0; column < width; ++column)
      counts[row * width + column] =
          countSteps(mandelbrotLeft + step * (float)column,
                     mandelbrotTop + step * (float)row, (int)limit);
}

int main(void) { return appServe(); }
