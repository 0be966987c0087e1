//===- plain.c - Prices of options in plain loops -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -ffast-math gcc calls the vectors of glibc's libmvec.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void run(void) {
  const float *restrict s = spot, *restrict x = strike, *restrict t = years;
  float *restrict calls = call, *restrict puts = put;
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < numOptions; ++i)
    priceOption(s[i], x[i], t[i], rate, volatility, &calls[i], &puts[i]);
}

int main(void) { return appServe(); }
