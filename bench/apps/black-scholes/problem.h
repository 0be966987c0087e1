//===- problem.h - Prices of options -----------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formula of Black and Scholes for European options, with the polynomial
// of Abramowitz and Stegun for the normal distribution, as in PARSEC. Prices
// may differ by 1e-3 from those computed with doubles.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_BLACK_SCHOLES_H
#define SLUICE_BENCH_BLACK_SCHOLES_H

#include "../app.h"

static const float rate = 0.02f, volatility = 0.3f;
static long numOptions;
static float *spot, *strike, *years, *call, *put, *expectedCall, *expectedPut;

static inline float normalShare(float value) {
  float size = value < 0 ? -value : value;
  float k = 1.0f / (1.0f + 0.2316419f * size);
  float sum =
      k * (0.319381530f +
           k * (-0.356563782f +
                k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float share = 0.39894228f * expf(-0.5f * size * size) * sum;
  return value > 0 ? 1.0f - share : share;
}

static inline void priceOption(float s, float x, float t, float r, float v,
                               float *callPrice, float *putPrice) {
  float root = sqrtf(t);
  float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * root);
  float d2 = d1 - v * root;
  float share1 = normalShare(d1), share2 = normalShare(d2);
  float discounted = x * expf(-r * t);
  *callPrice = s * share1 - discounted * share2;
  *putPrice = discounted * (1.0f - share2) - s * (1.0f - share1);
}

static inline double normalShareOracle(double value) {
  return 0.5 * erfc(-value / sqrt(2.0));
}

static void reset(void) {
  memset(call, 0, sizeof(float) * (size_t)numOptions);
  memset(put, 0, sizeof(float) * (size_t)numOptions);
}

static void allocate(void) {
  numOptions = appNumber(1);
  spot = appFloats(numOptions);
  strike = appFloats(numOptions);
  years = appFloats(numOptions);
  call = appFloats(numOptions);
  put = appFloats(numOptions);
  expectedCall = (float *)appOracle(sizeof(float) * (size_t)numOptions);
  expectedPut = (float *)appOracle(sizeof(float) * (size_t)numOptions);
  for (long i = 0; i < numOptions; ++i) {
    spot[i] = 5 + 25 * appUniform();
    strike[i] = 1 + 99 * appUniform();
    years[i] = 0.25f + 9.75f * appUniform();
    double s = spot[i], x = strike[i], t = years[i], r = rate, v = volatility;
    double d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sqrt(t));
    double d2 = d1 - v * sqrt(t), discounted = x * exp(-r * t);
    expectedCall[i] =
        (float)(s * normalShareOracle(d1) - discounted * normalShareOracle(d2));
    expectedPut[i] = (float)(discounted * normalShareOracle(-d2) -
                             s * normalShareOracle(-d1));
  }
}

static const char *verify(void) {
  const char *wrong =
      appSameFloats("call", expectedCall, call, numOptions, 1e-3);
  return wrong ? wrong
               : appSameFloats("put", expectedPut, put, numOptions, 1e-3);
}

#endif // SLUICE_BENCH_BLACK_SCHOLES_H
