//===- sluice.cpp - A 5x5 convolution in Hetero-C++ -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance a pixel that has all of its neighbours.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#include <hetero.h>

void convolve(float *picture, size_t pictureBytes, float *weight,
              size_t weightBytes, float *sums, size_t sumsBytes, long columns,
              long rows) {
  void *section = __hetero_section_begin();
  for (long row = radius; row < rows - radius; ++row)
    for (long column = radius; column < columns - radius; ++column) {
      __hetero_parallel_loop(2, 5, picture, pictureBytes, weight, weightBytes,
                             sums, sumsBytes, columns, rows, 1, sums,
                             sumsBytes);
      sums[row * columns + column] =
          weightedSum(picture, weight, row, column, columns);
    }
  __hetero_section_end(section);
}

static void run() {
  size_t bytes = sizeof(float) * width * height;
  __hetero_wait(__hetero_launch((void *)convolve, 5, image, bytes, weights,
                                sizeof(float) * window * window, result, bytes,
                                width, height, 1, result, bytes));
}

int main() { return appServe(); }
