//===- Trigonometric.c - Sine, cosine and tangent of floats ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x = n pi/2 + r with |r| <= pi/4, in double. pi/2 is the sum of three numbers;
// the products of the first two with n are exact. For large x, n and r are a
// product of integers: of x and the relevant bits of 2/pi. That is separate
// code, see `far` in Lanes.h. Error: below 0.6 units in the last place, for
// every x.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

/// From here on, n has too many bits.
static const double large = 0x1p27;

/// The bits of 2/pi after the binary point.
#define WORD0 0xA2F9836Eu
#define WORD1 0x4E441529u
#define WORD2 0xFC2757D1u
#define WORD3 0xF534DDC0u
#define WORD4 0xDB629599u
#define WORD5 0x3C439041u
#define WORD6 0xFE5163ABu

/// Selects one of four adjacent words.
#define CHOOSE(index, a, b, c, d)                                              \
  ((index) == 0 ? (a) : (index) == 1 ? (b) : (index) == 2 ? (c) : (d))

/// r for |x| >= 2^27, and n modulo four; NaN if x is not finite.
INLINE double reduceLarge(float x, Int32 *n) {
  *n = 0;
  if (!(__builtin_fabsf(x) < (float)INFINITE))
    return x - x;
  Int32 bits = bitsOfFloat(x);
  UInt32 m = ((UInt32)bits & 0x7FFFFF) | 0x800000;
  // |x| = m 2^e. Bits of 2/pi that contribute only whole turns are left out.
  Int32 e = ((bits >> 23) & 0xFF) - 150;
  Int32 first = (e < 4 ? 4 : e > 104 ? 104 : e) - 2;
  Int32 word = first >> 5;
  UInt32 shift = (UInt32)first & 31;
  UInt32 a = CHOOSE(word, WORD0, WORD1, WORD2, WORD3);
  UInt32 b = CHOOSE(word, WORD1, WORD2, WORD3, WORD4);
  UInt32 c = CHOOSE(word, WORD2, WORD3, WORD4, WORD5);
  UInt32 d = CHOOSE(word, WORD3, WORD4, WORD5, WORD6);
  UInt32 high = a << shift | b >> 1 >> (31 - shift);
  UInt32 middle = b << shift | c >> 1 >> (31 - shift);
  UInt32 low = c << shift | d >> 1 >> (31 - shift);
  // Quarter turns, modulo four, times 2^62.
  UInt64 product =
      ((UInt64)(m * high) << 32) + (UInt64)m * middle + ((UInt64)m * low >> 32);
  UInt64 fraction = product << 2;
  Int32 top = (Int32)(UInt32)(fraction >> 32);
  *n = (Int32)(product >> 62) + (top < 0 ? 1 : 0);
  double part = (double)(Int32)((UInt32)fraction >> 1);
  return fma(part, 0x1p-63, top * 0x1p-32) * 0x1.921fb54442d18p+0;
}

/// r, and n in the lowest bits; NaN for large x.
INLINE double reduce(float x, Int32 *n) {
  double size = __builtin_fabs((double)x);
  double c = size < large ? size : NOT_A_NUMBER;
  double whole = fma(c, 0x1.45f306dc9c883p-1, WHOLE);
  double count = whole - WHOLE;
  double r = c - count * 0x1.921fb5p+0;
  r = r - count * 0x1.110b46p-26;
  r = r - count * 0x1.1a62633145c07p-54;
  *n = (Int32)bitsOf(whole);
  return r;
}

INLINE double sine(double r, double square) {
  double p = 0x1.6dbcfb4dee452p-19;
  p = fma(p, square, -0x1.a013a455bd213p-13);
  p = fma(p, square, 0x1.11110decc73fdp-7);
  p = fma(p, square, -0x1.555555545d0dap-3);
  return fma(r * square, p, r);
}
INLINE double cosine(double square) {
  double p = -0x1.25239a9550aefp-22;
  p = fma(p, square, 0x1.a015c25366932p-16);
  p = fma(p, square, -0x1.6c16bf534c9ebp-10);
  p = fma(p, square, 0x1.55555555027adp-5);
  p = fma(p, square, -0.5);
  return fma(p, square, 1);
}

/// The sine of |x|, from n and r.
INLINE double sineOf(Int32 n, double r) {
  double square = r * r;
  double y = n & 1 ? cosine(square) : sine(r, square);
  return n & 2 ? -y : y;
}
INLINE double cosineOf(Int32 n, double r) { return sineOf(n + 1, r); }
INLINE double tangentOf(Int32 n, double r) {
  double square = r * r;
  double s = sine(r, square), c = cosine(square);
  return (n & 1 ? -c : s) / (n & 1 ? s : c);
}

INLINE float withSignOf(float x, double y) {
  return __builtin_signbit(x) ? -(float)y : (float)y;
}

FAR float sluice_far_sinf(float x, float near) {
  if (near == near)
    return near;
  Int32 n;
  double r = reduceLarge(x, &n);
  return withSignOf(x, sineOf(n, r));
}

FAR float sluice_far_cosf(float x, float near) {
  if (near == near)
    return near;
  Int32 n;
  double r = reduceLarge(x, &n);
  return (float)cosineOf(n, r);
}

FAR float sluice_far_tanf(float x, float near) {
  if (near == near)
    return near;
  Int32 n;
  double r = reduceLarge(x, &n);
  return withSignOf(x, tangentOf(n, r));
}

float sluice_lanes_sinf(float x) {
  Int32 n;
  double r = reduce(x, &n);
  return sluice_far_sinf(x, withSignOf(x, sineOf(n, r)));
}

float sluice_lanes_cosf(float x) {
  Int32 n;
  double r = reduce(x, &n);
  return sluice_far_cosf(x, (float)cosineOf(n, r));
}

float sluice_lanes_tanf(float x) {
  Int32 n;
  double r = reduce(x, &n);
  return sluice_far_tanf(x, withSignOf(x, tangentOf(n, r)));
}
