//===- plain.c - Sorting numbers in plain loops ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part for each thread; all passes in one region.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_thread_num(void) { return 0; }
static int omp_get_num_threads(void) { return 1; }
#endif

enum { mostThreads = 64 };

static void sortPart(int pass, int (*counts)[digits], int thread, int threads) {
  const unsigned *restrict from = sourceOf(pass);
  unsigned *restrict to = sinkOf(pass);
  const long begin = length * thread / threads;
  const long end = length * (thread + 1) / threads;
  const int shift = pass * digitBits;
  int next[digits] = {0};
  for (long i = begin; i < end; ++i)
    ++next[digitOf(from[i], shift)];
  memcpy(counts[thread], next, sizeof(next));
#pragma omp barrier
  int before = 0;
  for (int digit = 0; digit < digits; ++digit)
    for (int other = 0; other < threads; ++other) {
      if (other == thread)
        next[digit] = before;
      before += counts[other][digit];
    }
  for (long i = begin; i < end; ++i)
    to[next[digitOf(from[i], shift)]++] = from[i];
#pragma omp barrier
}

static void run(void) {
  static int counts[mostThreads][digits];
#pragma omp parallel
  for (int pass = 0; pass < numPasses; ++pass)
    sortPart(pass, counts, omp_get_thread_num(), omp_get_num_threads());
}

int main(void) { return appServe(); }
