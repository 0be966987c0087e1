//===- plain.c - Prefix sums in plain loops -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With threads a part each: its sum first, then its elements.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#ifdef _OPENMP
#include <omp.h>

enum { mostThreads = 256 };

static void run(void) {
  const int *restrict from = input;
  int *restrict to = output;
  int sums[mostThreads];
#pragma omp parallel
  {
    const long thread = omp_get_thread_num(), threads = omp_get_num_threads();
    const long begin = length * thread / threads;
    const long end = length * (thread + 1) / threads;
    int sum = 0;
#pragma omp simd reduction(+ : sum)
    for (long i = begin; i < end; ++i)
      sum += from[i];
    sums[thread] = sum;
#pragma omp barrier
    sum = 0;
    for (long before = 0; before < thread; ++before)
      sum += sums[before];
    for (long i = begin; i < end; ++i)
      to[i] = sum += from[i];
  }
}
#else
static void run(void) {
  int sum = 0;
  for (long i = 0; i < length; ++i)
    output[i] = sum += input[i];
}
#endif

int main(void) { return appServe(); }
