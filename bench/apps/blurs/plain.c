//===- plain.c - Four blurs in plain loops --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One region; rows are divided among the threads.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void run(void) {
#pragma omp parallel
  for (int blur = 0; blur < numBlurs; ++blur) {
    const float *from = blur == 0 ? picture : between[blur - 1];
    float *to = blur == numBlurs - 1 ? result : between[blur];
#pragma omp for schedule(static)
    for (long y = 0; y < height; ++y)
      blurRowOf(from, to, y);
  }
}

int main(void) { return appServe(); }
