//===- sluice.cpp - A Fourier transform in Hetero-C++ ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch a pass, an instance a butterfly.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#include <hetero.h>

void passOver(float *fromRe, size_t fromReBytes, float *fromIm,
              size_t fromImBytes, float *toRe, size_t toReBytes, float *toIm,
              size_t toImBytes, float *rootRe, size_t rootReBytes,
              float *rootIm, size_t rootImBytes, long stride, long half) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < half; ++i) {
    __hetero_parallel_loop(1, 8, fromRe, fromReBytes, fromIm, fromImBytes, toRe,
                           toReBytes, toIm, toImBytes, rootRe, rootReBytes,
                           rootIm, rootImBytes, stride, half, 2, toRe,
                           toReBytes, toIm, toImBytes);
    long k = i & (stride - 1);
    butterfly(fromRe, fromIm, toRe, toIm, rootRe, rootIm, i - k, k, stride,
              half);
  }
  __hetero_section_end(section);
}

static void run() {
  size_t bytes = sizeof(float) * length, rootBytes = bytes / 2;
  float *fromRe = inputRe, *fromIm = inputIm;
  for (long pass = 0; pass < passes; ++pass) {
    float *toRe = isToWork(pass) ? workRe : otherRe;
    float *toIm = isToWork(pass) ? workIm : otherIm;
    __hetero_wait(__hetero_launch((void *)passOver, 8, fromRe, bytes, fromIm,
                                  bytes, toRe, bytes, toIm, bytes, factorRe,
                                  rootBytes, factorIm, rootBytes, 1L << pass,
                                  length / 2, 2, toRe, bytes, toIm, bytes));
    fromRe = toRe;
    fromIm = toIm;
  }
}

int main() { return appServe(); }
