//===- plain.c - Shortest paths between all pairs in plain loops ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One region around all steps; rows are divided among the threads.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void run(void) {
  memcpy(distances, start, matrixBytes());
  const long count = vertices;
#pragma omp parallel
  for (long k = 0; k < count; ++k) {
#pragma omp for schedule(static)
    for (long i = 0; i < count; ++i) {
      if (i == k)
        continue;
      int *restrict row = distances + i * count;
      const int *restrict rowOfK = distances + k * count;
      const int toK = row[k];
      for (long j = 0; j < count; ++j) {
        int through = toK + rowOfK[j];
        row[j] = through < row[j] ? through : row[j];
      }
    }
  }
}

int main(void) { return appServe(); }
