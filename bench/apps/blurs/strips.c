//===- strips.c - Four blurs in strips fused by hand ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strip of rows goes through all blurs before the next one, in memory of its
// thread that stays in the cache; rows at its edges are computed twice.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

enum {
  stripRows = 16,
  halo = numBlurs - 1,
  scratchRows = stripRows + 2 * halo
};

static inline long clamp(long y) {
  return y < 0 ? 0 : y >= height ? height - 1 : y;
}

/// Rows begin to end of the result. Row y of an array that holds the rows
/// from `first` on stands at y - first.
static void blurStrip(float *restrict scratch, long begin, long end) {
  const float *from = picture;
  long fromFirst = 0;
  for (int blur = 0; blur < numBlurs; ++blur) {
    const long more = numBlurs - 1 - blur;
    const int isLast = more == 0;
    const long first = begin - more > 0 ? begin - more : 0;
    const long last = end + more < height ? end + more : height;
    float *to = isLast ? result + begin * width
                       : scratch + blur % 2 * scratchRows * width;
    for (long y = first; y < last; ++y)
      blurRow(from + (clamp(y - 1) - fromFirst) * width,
              from + (y - fromFirst) * width,
              from + (clamp(y + 1) - fromFirst) * width,
              to + (y - first) * width, width);
    from = to;
    fromFirst = first;
  }
}

static void run(void) {
#pragma omp parallel
  {
    float *scratch =
        (float *)malloc(sizeof(float) * 2 * scratchRows * (size_t)width);
#pragma omp for schedule(dynamic, 1)
    for (long begin = 0; begin < height; begin += stripRows)
      blurStrip(scratch, begin,
                begin + stripRows < height ? begin + stripRows : height);
    free(scratch);
  }
}

int main(void) { return appServe(); }
