//===- problem.h - A Fourier transform ---------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of 2^k complex numbers, by Stockham's passes of radix 2, which need no
// reordering. The oracle is the recursion over even and odd elements in
// doubles; results may differ from it by 1e-6 times the root of the length.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_FFT_H
#define SLUICE_BENCH_FFT_H

#include "../app.h"

static long length, passes;
static float *inputRe, *inputIm;   ///< what is transformed
static float *workRe, *workIm;     ///< the passes go from one pair ...
static float *otherRe, *otherIm;   ///< ... to the other
static float *factorRe, *factorIm; ///< roots of unity
static float *expectedRe, *expectedIm;

/// One step of half the length: number k of the sequences that begin at
/// `begin`, in the pass whose sequences are `stride` apart.
static inline void butterfly(const float *fromRe, const float *fromIm,
                             float *toRe, float *toIm, const float *rootRe,
                             const float *rootIm, long begin, long k,
                             long stride, long half) {
  long i = begin + k, at = 2 * begin + k;
  float re0 = fromRe[i], im0 = fromIm[i];
  float re1 = fromRe[i + half], im1 = fromIm[i + half];
  float re = re0 - re1, im = im0 - im1;
  float wRe = rootRe[begin], wIm = rootIm[begin];
  toRe[at] = re0 + re1;
  toIm[at] = im0 + im1;
  toRe[at + stride] = re * wRe - im * wIm;
  toIm[at + stride] = re * wIm + im * wRe;
}

static void reset(void) {
  memset(workRe, 0, sizeof(float) * (size_t)length);
  memset(workIm, 0, sizeof(float) * (size_t)length);
}

/// Transforms `count` numbers, interleaved, that are `step` apart.
static void transformSerial(const double *in, double *out, long count,
                            long step) {
  if (count == 1) {
    out[0] = in[0];
    out[1] = in[1];
    return;
  }
  transformSerial(in, out, count / 2, 2 * step);
  transformSerial(in + 2 * step, out + count, count / 2, 2 * step);
  for (long k = 0; k < count / 2; ++k) {
    double angle = -2 * M_PI * (double)k / (double)count;
    double wRe = cos(angle), wIm = sin(angle);
    double *even = out + 2 * k, *odd = out + count + 2 * k;
    double re = odd[0] * wRe - odd[1] * wIm, im = odd[0] * wIm + odd[1] * wRe;
    odd[0] = even[0] - re;
    odd[1] = even[1] - im;
    even[0] += re;
    even[1] += im;
  }
}

static void findExpected(void) {
  double *in = (double *)malloc(2 * sizeof(double) * (size_t)length);
  double *out = (double *)malloc(2 * sizeof(double) * (size_t)length);
  for (long i = 0; i < length; ++i) {
    in[2 * i] = inputRe[i];
    in[2 * i + 1] = inputIm[i];
  }
  transformSerial(in, out, length, 1);
  for (long i = 0; i < length; ++i) {
    expectedRe[i] = (float)out[2 * i];
    expectedIm[i] = (float)out[2 * i + 1];
  }
  free(in);
  free(out);
}

/// The first pass reads the input; the last one writes `work`.
static inline int isToWork(long pass) { return (passes - pass) % 2 == 1; }

static void allocate(void) {
  passes = appNumber(1);
  length = 1L << passes;
  float **arrays[] = {&inputRe, &inputIm, &workRe, &workIm, &otherRe, &otherIm};
  for (int i = 0; i < 6; ++i)
    *arrays[i] = appFloats(length);
  factorRe = appFloats(length / 2);
  factorIm = appFloats(length / 2);
  expectedRe = (float *)appOracle(sizeof(float) * (size_t)length);
  expectedIm = (float *)appOracle(sizeof(float) * (size_t)length);
  for (long i = 0; i < length; ++i) {
    inputRe[i] = 2 * appUniform() - 1;
    inputIm[i] = 2 * appUniform() - 1;
  }
  for (long i = 0; i < length / 2; ++i) {
    factorRe[i] = (float)cos(-2 * M_PI * (double)i / (double)length);
    factorIm[i] = (float)sin(-2 * M_PI * (double)i / (double)length);
  }
  findExpected();
}

static const char *verify(void) {
  const double tolerance = 1e-6 * sqrt((double)length);
  const char *wrong =
      appSameFloats("real part", expectedRe, workRe, length, tolerance);
  return wrong ? wrong
               : appSameFloats("imaginary part", expectedIm, workIm, length,
                               tolerance);
}

#endif // SLUICE_BENCH_FFT_H
