//===- plain.c - k-means in plain loops -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums in arrays of each thread, added at the end.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void run(void) {
  const long width = dimensions, numCentres = clusters, count = numPoints;
  const float *restrict point = points;
  int *restrict member = membership;
  float *sums = (float *)malloc(sizeof(float) * numCentres * width);
  int *counts = (int *)malloc(sizeof(int) * numCentres);
  for (long round = 0; round < iterations; ++round) {
    memset(sums, 0, sizeof(float) * numCentres * width);
    memset(counts, 0, sizeof(int) * numCentres);
#pragma omp parallel for schedule(static)                                      \
    reduction(+ : sums[ : numCentres * width], counts[ : numCentres])
    for (long i = 0; i < count; ++i) {
      int c = nearestCentre(point + i * width, centres, numCentres, width);
      member[i] = c;
      ++counts[c];
      for (long d = 0; d < width; ++d)
        sums[c * width + d] += point[i * width + d];
    }
    moveCentres(sums, counts, centres);
  }
  free(sums);
  free(counts);
}

int main(void) { return appServe(); }
