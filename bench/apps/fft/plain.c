//===- plain.c - A Fourier transform in plain loops -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One region around all passes. From a stride of 16 on, the inner loop is over
// the sequences, whose numbers lie side by side.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

enum { leastStride = 16 };

static void passOver(const float *restrict fromRe, const float *restrict fromIm,
                     float *restrict toRe, float *restrict toIm, long stride) {
  const long half = length / 2;
  const float *restrict rootRe = factorRe, *restrict rootIm = factorIm;
  if (stride < leastStride) {
#pragma omp for simd schedule(static)
    for (long i = 0; i < half; ++i)
      butterfly(fromRe, fromIm, toRe, toIm, rootRe, rootIm,
                i - (i & (stride - 1)), i & (stride - 1), stride, half);
    return;
  }
#pragma omp for collapse(2) schedule(static)
  for (long first = 0; first < half; first += stride)
    for (long part = 0; part < stride; part += leastStride)
      for (long k = part; k < part + leastStride; ++k)
        butterfly(fromRe, fromIm, toRe, toIm, rootRe, rootIm, first, k, stride,
                  half);
}

static void run(void) {
#pragma omp parallel
  {
    const float *fromRe = inputRe, *fromIm = inputIm;
    for (long pass = 0; pass < passes; ++pass) {
      float *toRe = isToWork(pass) ? workRe : otherRe;
      float *toIm = isToWork(pass) ? workIm : otherIm;
      passOver(fromRe, fromIm, toRe, toIm, 1L << pass);
      fromRe = toRe;
      fromIm = toIm;
    }
  }
}

int main(void) { return appServe(); }
