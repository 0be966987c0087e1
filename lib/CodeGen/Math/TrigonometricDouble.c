//===- TrigonometricDouble.c - Sine, cosine and tangent of doubles --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x = n pi/2 + r with |r| <= pi/4, where r is an unevaluated sum: no double is
// nearer than 2^-62 to a multiple of pi/2, and some are that near. pi/2 is the
// sum of four numbers; the products of the first three with n are exact. For
// large x, n and r are a product of integers, as for floats. Error: below 0.9
// units in the last place for sine and cosine and below 2.5 for the tangent,
// for every x.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

/// From here on, n has more than 23 bits.
static const double large = 0x1p23;

/// r, and n in the lowest bits; NaN for large x.
INLINE Pair reduce(double x, Int64 *n) {
  double size = __builtin_fabs(x);
  double c = size < large ? size : NOT_A_NUMBER;
  double whole = fma(c, 0x1.45f306dc9c883p-1, WHOLE);
  double count = whole - WHOLE;
  Pair b = add(c - count * 0x1.921fb54p+0, -(count * 0x1.10b46118p-30));
  Pair r = add(b.hi, -(count * 0x1.313198ap-61));
  double rest = fma(-count, 0x1.701b839a25205p-92, b.lo + r.lo);
  *n = bitsOf(whole);
  return addOrdered(r.hi, rest);
}

/// 64 zeros, then the bits of 2/pi after the binary point.
static const UInt64 twoByPi[] = {
    0x0000000000000000, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0,
    0xDB6295993C439041, 0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0,
    0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484,
    0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B,
    0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7,
    0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA,
    0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB};

/// The 64 bits that start at bit `first`.
INLINE UInt64 bitsFrom(Int64 first) {
  Int64 word = first >> 6, shift = first & 63;
  UInt64 high = twoByPi[word] << shift;
  return shift ? high | twoByPi[word + 1] >> (64 - shift) : high;
}

/// r for |x| >= 2^23, and n modulo four; NaN if x is not finite.
INLINE Pair reduceLarge(double x, Int64 *n) {
  typedef unsigned __int128 UInt128;
  *n = 0;
  if (!(__builtin_fabs(x) < INFINITE))
    return (Pair){x - x, 0};
  Int64 bits = bitsOf(x);
  UInt64 m = ((UInt64)bits & 0xFFFFFFFFFFFFF) | 0x10000000000000;
  // |x| = m 2^e. Bits of 2/pi that contribute only whole turns are left out.
  Int64 e = ((bits >> 52) & 0x7FF) - 1075, first = e - 2 + 64;
  UInt64 high = bitsFrom(first), middle = bitsFrom(first + 64);
  UInt64 low = bitsFrom(first + 128);
  // Quarter turns, modulo four, times 2^190.
  UInt128 byLow = (UInt128)m * low, byMiddle = (UInt128)m * middle;
  UInt128 sum = (byLow >> 64) + (UInt64)byMiddle;
  UInt64 top = m * high + (UInt64)(byMiddle >> 64) + (UInt64)(sum >> 64);
  UInt64 next = (UInt64)sum, last = (UInt64)byLow;
  // The fraction times 2^128, between minus and plus one half of it.
  UInt64 a = top << 2 | next >> 62, b = next << 2 | last >> 62;
  int isNegative = (Int64)a < 0;
  *n = (Int64)(top >> 62) + isNegative;
  UInt128 fraction = (UInt128)a << 64 | b;
  fraction = isNegative ? -fraction : fraction;
  // No leading zeros, then three times 42 bits.
  a = (UInt64)(fraction >> 64);
  int zeros = a ? __builtin_clzll(a) : 64;
  fraction <<= zeros;
  double one = (double)(Int64)(UInt64)(fraction >> 86);
  double two = (double)((Int64)(UInt64)(fraction >> 44) & 0x3FFFFFFFFFF);
  double three = (double)((Int64)(UInt64)(fraction >> 2) & 0x3FFFFFFFFFF);
  Pair r = addOrdered(one * 0x1p-42, two * 0x1p-84 + three * 0x1p-126);
  r = multiplyPairs(r, (Pair){0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  double unit = doubleOf((Int64)(1023 - zeros) << 52);
  unit = isNegative ? -unit : unit;
  return (Pair){r.hi * unit, r.lo * unit};
}

INLINE double sine(Pair r, double square) {
  double p = 0x1.5e0b05bff20f2p-33;
  p = fma(p, square, -0x1.ae600aca92c64p-26);
  p = fma(p, square, 0x1.71de379654304p-19);
  p = fma(p, square, -0x1.a01a019e83816p-13);
  p = fma(p, square, 0x1.1111111110bb2p-7);
  p = fma(p, square, -0x1.5555555555555p-3);
  return r.hi + fma(r.hi * square, p, r.lo * fma(square, -0.5, 1));
}
INLINE double cosine(Pair r, double square) {
  double p = -0x1.907d8f29fc5c0p-37;
  p = fma(p, square, 0x1.1eeb68cd22f1cp-29);
  p = fma(p, square, -0x1.27e4fa17bf139p-22);
  p = fma(p, square, 0x1.a01a019f4e9b4p-16);
  p = fma(p, square, -0x1.6c16c16c16967p-10);
  p = fma(p, square, 0x1.5555555555555p-5);
  double half = 0.5 * square, y = 1 - half;
  double rest = (1 - y) - half;
  // The rounding error of the square matters here: half of the square is near
  // one half.
  return y + (fma(square * square, p, rest) - r.hi * r.lo);
}

/// The sine of |x|, from n and r.
INLINE double sineOf(Int64 n, Pair r) {
  double square = r.hi * r.hi;
  double y = n & 1 ? cosine(r, square) : sine(r, square);
  return n & 2 ? -y : y;
}
INLINE double cosineOf(Int64 n, Pair r) { return sineOf(n + 1, r); }
INLINE double tangentOf(Int64 n, Pair r) {
  double square = r.hi * r.hi;
  double s = sine(r, square), c = cosine(r, square);
  return (n & 1 ? -c : s) / (n & 1 ? s : c);
}

INLINE double withSignOf(double x, double y) {
  return __builtin_signbit(x) ? -y : y;
}

FAR double sluice_far_sin(double x, double near) {
  if (near == near)
    return near;
  Int64 n;
  Pair r = reduceLarge(x, &n);
  return withSignOf(x, sineOf(n, r));
}

FAR double sluice_far_cos(double x, double near) {
  if (near == near)
    return near;
  Int64 n;
  Pair r = reduceLarge(x, &n);
  return cosineOf(n, r);
}

FAR double sluice_far_tan(double x, double near) {
  if (near == near)
    return near;
  Int64 n;
  Pair r = reduceLarge(x, &n);
  return withSignOf(x, tangentOf(n, r));
}

double sluice_lanes_sin(double x) {
  Int64 n;
  Pair r = reduce(x, &n);
  return sluice_far_sin(x, withSignOf(x, sineOf(n, r)));
}

double sluice_lanes_cos(double x) {
  Int64 n;
  Pair r = reduce(x, &n);
  return sluice_far_cos(x, cosineOf(n, r));
}

double sluice_lanes_tan(double x) {
  Int64 n;
  Pair r = reduce(x, &n);
  return sluice_far_tan(x, withSignOf(x, tangentOf(n, r)));
}
