//===- Remainders.c - Remainders, roundings and parts ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions with exact results: remainders, nearest integers, fractions and
// exponents.
//
//===----------------------------------------------------------------------===//

#include "Real.h"

/// A positive finite number as m * 2^e with an integer m < 2^53.
INLINE Bits split(double x, int *e) {
  Bits bits = bitsOf(x), m = bits & 0xFFFFFFFFFFFFFu;
  int exponent = (int)(bits >> 52 & 0x7FF);
  *e = exponent ? exponent : 1;
  return exponent ? m | 0x10000000000000u : m;
}

/// m * 2^e (as split), without rounding: it fits.
INLINE double join(Bits m, int e) { return scale((double)m, e - 1075); }

/// |x| modulo |y| for finite numbers with y not zero, and whether the quotient
/// is odd. Long division, eleven bits at a time.
static double divide(double x, double y, int *isOdd) {
  int ex, ey;
  Bits mx = split(absolute(x), &ex), my = split(absolute(y), &ey);
  *isOdd = 0;
  if (ex < ey) {
    // If y is denormal, x may still be larger, since both exponents are 1.
    return absolute(x);
  }
  *isOdd = (int)(mx / my & 1);
  mx %= my;
  for (int left = ex - ey; left > 0;) {
    int step = left < 11 ? left : 11;
    mx <<= step;
    *isOdd = (int)(mx / my & 1);
    mx %= my;
    left -= step;
  }
  return join(mx, ey);
}

INLINE int hasNone(double x, double y) {
  return isNaN(x) || isNaN(y) || absolute(x) == INFINITE || y == 0;
}

FUNCTION2(fmod) {
  if (hasNone(x, y))
    return NOT_A_NUMBER;
  if (absolute(y) == INFINITE)
    return x;
  int isOdd;
  return __builtin_copysign(divide(x, y, &isOdd), x);
}

FUNCTION2(remainder) {
  if (hasNone(x, y))
    return NOT_A_NUMBER;
  if (absolute(y) == INFINITE)
    return x;
  int isOdd;
  double rest = divide(x, y, &isOdd), size = absolute(y);
  // Twice the remainder may be too large; the difference is exact.
  double other = size - rest;
  if (rest > other || (rest == other && isOdd))
    rest = -other;
  rest = bitsOf(x) >> 63 ? -rest : rest;
  return rest == 0 ? __builtin_copysign(0.0, x) : rest;
}

FUNCTION2(fdim) {
  if (isNaN(x) || isNaN(y))
    return x + y;
  return x > y ? x - y : 0;
}

double sluice_ldexp(double x, int n) { return scale(x, n); }
float sluice_ldexpf(float x, int n) {
  n = n > 400 ? 400 : n < -400 ? -400 : n;
  return (float)scale(x, n);
}
