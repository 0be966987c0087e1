//===- sluice.cpp - Prices of options in Hetero-C++ -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance an option: the calls of the library's functions decide this row.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#include <hetero.h>

void price(float *s, size_t sBytes, float *x, size_t xBytes, float *t,
           size_t tBytes, float *calls, size_t callsBytes, float *puts,
           size_t putsBytes, long count, float r, float v) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < count; ++i) {
    __hetero_parallel_loop(1, 8, s, sBytes, x, xBytes, t, tBytes, calls,
                           callsBytes, puts, putsBytes, count, r, v, 2, calls,
                           callsBytes, puts, putsBytes);
    priceOption(s[i], x[i], t[i], r, v, &calls[i], &puts[i]);
  }
  __hetero_section_end(section);
}

static void run() {
  size_t bytes = sizeof(float) * numOptions;
  __hetero_wait(__hetero_launch(
      (void *)price, 8, spot, bytes, strike, bytes, years, bytes, call, bytes,
      put, bytes, numOptions, rate, volatility, 2, call, bytes, put, bytes));
}

int main() { return appServe(); }
