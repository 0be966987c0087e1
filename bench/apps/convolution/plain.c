//===- plain.c - A 5x5 convolution in plain loops -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows are divided among the threads; the weights are in an array of the loop.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void run(void) {
  const float *restrict picture = image;
  float *restrict sums = result;
  float weight[window * window];
  memcpy(weight, weights, sizeof(weight));
#pragma omp parallel for schedule(static)
  for (long row = radius; row < height - radius; ++row)
    for (long column = radius; column < width - radius; ++column)
      sums[row * width + column] =
          weightedSum(picture, weight, row, column, width);
}

int main(void) { return appServe(); }
