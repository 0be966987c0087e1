//===- Logarithm.c - Logarithms and powers --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// log(x) = n ln 2 + log(1 + f), with 1 + f between the square roots of 1/2 and
// 2. x^y = 2^(y log2 x), in double for floats and in Pairs for doubles. Error:
// below 0.9 units in the last place.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

/// x = 2^n (1 + f), for positive finite x.
INLINE float splitFloat(float x, float *n) {
  // The bits of the square root of 1/2 mark the start of the next power of two.
  const Int32 root = 0x3F3504F3;
  int isTiny = x < 0x1p-126f;
  Int32 bits = bitsOfFloat(isTiny ? x * 0x1p23f : x) - root;
  *n = (float)((bits >> 23) - (isTiny ? 23 : 0));
  return floatOf((bits & 0x7FFFFF) + root) - 1;
}
INLINE double split(double x, double *n) {
  const Int64 root = 0x3FE6A09E667F3BCD;
  int isTiny = x < 0x1p-1022;
  Int64 bits = bitsOf(isTiny ? x * 0x1p54 : x) - root;
  // 32-bit integers become doubles in one step on every processor.
  Int32 exponent = (Int32)(bits >> 32) >> 20;
  *n = (double)(exponent - (isTiny ? 54 : 0));
  return doubleOf((bits & 0xFFFFFFFFFFFFF) + root) - 1;
}

/// `y`, except where x has no finite logarithm.
INLINE float logarithmOfAnyFloat(float x, float y) {
  y = x < (float)INFINITE ? y : x;
  float special = x == 0 ? -(float)INFINITE : (float)NOT_A_NUMBER;
  return x > 0 ? y : special;
}
INLINE double logarithmOfAny(double x, double y) {
  y = x < INFINITE ? y : x;
  double special = x == 0 ? -INFINITE : NOT_A_NUMBER;
  return x > 0 ? y : special;
}

float sluice_lanes_logf(float x) {
  float n, f = splitFloat(x, &n), square = f * f;
  // (log(1 + f) - f + f^2 / 2) / f^3
  float p = 0x1.1d8ea5p-4f;
  p = fmaf(p, f, -0x1.d635bcp-4f);
  p = fmaf(p, f, 0x1.dea282p-4f);
  p = fmaf(p, f, -0x1.fcf4c6p-4f);
  p = fmaf(p, f, 0x1.23d21ap-3f);
  p = fmaf(p, f, -0x1.555b4ap-3f);
  p = fmaf(p, f, 0x1.999d5ap-3f);
  p = fmaf(p, f, -0x1.fffffcp-3f);
  p = fmaf(p, f, 0x1.555554p-2f);
  float rest = fmaf(n, 0x1.0bfbe8p-15f, square * (f * p));
  rest = fmaf(square, -0.5f, rest);
  return logarithmOfAnyFloat(x, n * 0x1.62ep-1f + (f + rest));
}

/// (log((1 + s) / (1 - s)) - 2 s) / s for z = s^2, s = f / (2 + f)
INLINE double series(double z) {
  double p = 0x1.2b5900de53b32p-3;
  p = fma(p, z, 0x1.39fe51a7c18f9p-3);
  p = fma(p, z, 0x1.7462b51cb66b1p-3);
  p = fma(p, z, 0x1.c71c62e3f11e6p-3);
  p = fma(p, z, 0x1.2492492df281ap-2);
  p = fma(p, z, 0x1.99999999952d7p-2);
  return z * fma(p, z, 0x1.5555555555558p-1);
}

double sluice_lanes_log(double x) {
  double n, f = split(x, &n);
  double s = f / (2 + f), half = 0.5 * f * f;
  double rest = fma(s, half + series(s * s), n * 0x1.a39ef35793c76p-33);
  return logarithmOfAny(x, n * 0x1.62e42feep-1 - ((half - rest) - f));
}

/// The logarithm to base 2 of a positive finite number: n, and the remainder.
INLINE double mantissaLogarithm2(double x, double *n) {
  double f = split(x, n);
  double s = f / (2 + f), half = 0.5 * f * f;
  return (f - (half - s * (half + series(s * s)))) * 0x1.71547652b82fep+0;
}

double sluice_lanes_log2(double x) {
  double n, f = split(x, &n);
  double s = f / (2 + f);
  // The logarithm's high and low part, times 1 / ln 2 in two parts.
  double half = 0.5 * f * f;
  double high = doubleOf(bitsOf(f - half) & ~(Int64)0xFFFFFFFF);
  double low = (f - high) - half + s * (half + series(s * s));
  const double perLn2High = 0x1.7154765p+0, perLn2Low = 0x1.5c17f0bbbe880p-31;
  double top = high * perLn2High;
  double rest = (low + high) * perLn2Low + low * perLn2High;
  Pair sum = add(n, top);
  return logarithmOfAny(x, sum.hi + (sum.lo + rest));
}

float sluice_lanes_log2f(float x) {
  double n, rest = mantissaLogarithm2(x, &n);
  return logarithmOfAnyFloat(x, (float)(n + rest));
}
float sluice_lanes_log10f(float x) {
  double n, rest = mantissaLogarithm2(x, &n);
  return logarithmOfAnyFloat(x, (float)((n + rest) * 0x1.34413509f79ffp-2));
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// The results that C defines for bases that are negative, zero or infinite,
/// for infinite exponents, and for NaN in either. `power` is |x|^y for other
/// bases and |x| to an infinite exponent.
#define POWER_OF_ANY(T, x, y, power, truncate, absolute)                       \
  do {                                                                         \
    T size = absolute(y), half = y * (T)0.5;                                   \
    int isWhole = truncate(y) == y;                                            \
    int isOdd = isWhole & (truncate(half) != half) & (size < (T)INFINITE);     \
    power = absolute(x) == 1 && size == (T)INFINITE ? 1 : power;               \
    T ofNegative = (isWhole | (absolute(x) == (T)INFINITE))                    \
                       ? isOdd ? -power : power                                \
                       : (T)NOT_A_NUMBER;                                      \
    ofNegative = x == 0 && !isWhole ? power : ofNegative;                      \
    int isNegative = __builtin_signbit(x) != 0;                                \
    power = isNegative ? ofNegative : power;                                   \
    power = x != x || y != y ? x + y : power;                                  \
    power = y == 0 || x == 1 ? 1 : power;                                      \
    /* As where the exponent is a constant: see InlineMath.cpp. */             \
    power = y == 1 ? x : y == 2 ? x * x : power;                               \
  } while (0)

float sluice_lanes_powf(float x, float y) {
  double size = __builtin_fabs((double)x), n;
  double rest = mantissaLogarithm2(size, &n), log = n + rest;
  log = size == 0 ? -INFINITE : size == INFINITE ? INFINITE : log;
  double c = clamp(y * log, -300, 300);
  double whole = c + WHOLE, r = c - (whole - WHOLE);
  // (2^r - 1) / r
  double p = 0x1.b6390dce32a95p-24;
  p = fma(p, r, 0x1.63d1c24a346d6p-20);
  p = fma(p, r, 0x1.ffcb94abad672p-17);
  p = fma(p, r, 0x1.4308ac1c81dc6p-13);
  p = fma(p, r, 0x1.5d87fe8714a28p-10);
  p = fma(p, r, 0x1.3b2ab7184750ep-7);
  p = fma(p, r, 0x1.c6b08d7047e0bp-5);
  p = fma(p, r, 0x1.ebfbdff823bd4p-3);
  p = fma(p, r, 0x1.62e42fefa39efp-1);
  Int64 exponent = bitsOf(whole) - bitsOf(WHOLE);
  float power = (float)(fma(p, r, 1) * doubleOf((exponent + 1023) << 52));
  POWER_OF_ANY(float, x, y, power, __builtin_truncf, __builtin_fabsf);
  return power;
}

/// log(x) of a positive finite number, to about 100 bits.
INLINE Pair pairLogarithm(double x) {
  double n, f = split(x, &n);
  Pair below = add(2, f);
  double s = f / below.hi;
  Pair product = multiply(s, below.hi);
  double rest = ((f - product.hi) - product.lo) - s * below.lo;
  Pair quotient = addOrdered(s, rest / below.hi);
  Pair square = multiplyPairs(quotient, quotient);
  // (artanh(s) / s - 1) / s^2, the first two terms as Pairs
  double z = square.hi, q = 1.0 / 29;
  q = fma(q, z, 1.0 / 27);
  q = fma(q, z, 1.0 / 25);
  q = fma(q, z, 1.0 / 23);
  q = fma(q, z, 1.0 / 21);
  q = fma(q, z, 1.0 / 19);
  q = fma(q, z, 1.0 / 17);
  q = fma(q, z, 1.0 / 15);
  q = fma(q, z, 1.0 / 13);
  q = fma(q, z, 1.0 / 11);
  q = fma(q, z, 1.0 / 9);
  q = fma(q, z, 1.0 / 7);
  Pair fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
  Pair third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
  Pair sum = addPairs(fifth, multiply(z, q));
  sum = addPairs(third, multiplyPairs(sum, square));
  Pair more = multiplyPairs(multiplyPairs(sum, square), quotient);
  Pair half = addPairs(quotient, more);
  // Products with the first part of ln 2 are exact.
  Pair whole = multiply(n, 0x1.9ef35793c7673p-41);
  whole = addPairs((Pair){n * 0x1.62e42fefa2000p-1, 0}, whole);
  return addPairs(whole, (Pair){2 * half.hi, 2 * half.lo});
}

double sluice_lanes_log10(double x) {
  Pair perLn10 = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  double positive = x > 0 && x < INFINITE ? x : 1;
  Pair log = multiplyPairs(pairLogarithm(positive), perLn10);
  return logarithmOfAny(x, log.hi + log.lo);
}

double sluice_lanes_pow(double x, double y) {
  double size = __builtin_fabs(x);
  // Any larger exponent gives the same result: zero, infinity or one.
  double bounded = clamp(y, -0x1p70, 0x1p70);
  Pair log = pairLogarithm(size > 0 && size < INFINITE ? size : 2);
  Pair product = multiply(bounded, log.hi);
  double high = clamp(product.hi, -746, 710);
  double low = high == product.hi ? product.lo + bounded * log.lo : 0;
  // exp(high + low), see Exponential.c
  double whole = fma(high, 0x1.71547652b82fep+0, WHOLE);
  double n = whole - WHOLE;
  Pair r = add(high - n * 0x1.62e42feep-1, low - n * 0x1.a39ef35793c76p-33);
  double p = 0x1.af390ba7e6f47p-26;
  p = fma(p, r.hi, 0x1.2891d4ffbb0f9p-22);
  p = fma(p, r.hi, 0x1.71de0d85293b8p-19);
  p = fma(p, r.hi, 0x1.a019b8ca26fcfp-16);
  p = fma(p, r.hi, 0x1.a01a01a7cebcdp-13);
  p = fma(p, r.hi, 0x1.6c16c1789d1d7p-10);
  p = fma(p, r.hi, 0x1.11111111109a6p-7);
  p = fma(p, r.hi, 0x1.5555555553d37p-5);
  p = fma(p, r.hi, 0x1.5555555555556p-3);
  p = fma(p, r.hi, 0.5);
  Pair one = addOrdered(1, r.hi);
  double rest = fma(r.hi * r.hi, p, r.lo + one.lo);
  double power = scale(one.hi + rest, bitsOf(whole) - bitsOf(WHOLE));
  power = size == 0 ? (y < 0 ? INFINITE : 0) : power;
  power = size == INFINITE ? (y > 0 ? INFINITE : 0) : power;
  POWER_OF_ANY(double, x, y, power, __builtin_trunc, __builtin_fabs);
  return power;
}
