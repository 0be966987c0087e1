//===- plain.c - A histogram in plain loops -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table for each thread, which OpenMP adds up.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void run(void) {
  const uint8_t *restrict value = input;
  int count[numBins] = {0};
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (long i = 0; i < length; ++i)
    ++count[value[i]];
  memcpy(bins, count, sizeof(count));
}

int main(void) { return appServe(); }
