//===- Exponential.c - Exponential functions ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp(x) = 2^n exp(r), r = x - n ln 2, |r| <= ln 2 / 2, where the series
// converges fast. Error: below one unit in the last place.
//
//===----------------------------------------------------------------------===//

#include "Real.h"

// ln 2 rounded to 40 bits, so that products with exponents are exact, and the
// remainder.
static const double ln2High = 0x1.62e42fefa2000p-1;
static const double ln2Low = 0x1.9ef35793c7673p-41;
static const double perLn2 = 0x1.71547652b82fep+0;

/// (exp(r) - 1 - r) / r^2
INLINE double series(double r) {
  double p = 1.0 / 1307674368000.0;
  p = __builtin_fma(p, r, 1.0 / 87178291200.0);
  p = __builtin_fma(p, r, 1.0 / 6227020800.0);
  p = __builtin_fma(p, r, 1.0 / 479001600.0);
  p = __builtin_fma(p, r, 1.0 / 39916800.0);
  p = __builtin_fma(p, r, 1.0 / 3628800.0);
  p = __builtin_fma(p, r, 1.0 / 362880.0);
  p = __builtin_fma(p, r, 1.0 / 40320.0);
  p = __builtin_fma(p, r, 1.0 / 5040.0);
  p = __builtin_fma(p, r, 1.0 / 720.0);
  p = __builtin_fma(p, r, 1.0 / 120.0);
  p = __builtin_fma(p, r, 1.0 / 24.0);
  p = __builtin_fma(p, r, 1.0 / 6.0);
  return __builtin_fma(p, r, 0.5);
}

/// exp(r.hi + r.lo) - 1 for |r| <= 0.35
INLINE Pair small(Pair r) {
  Pair sum = addOrdered(r.hi, r.lo);
  double rest = sum.hi * sum.hi * series(sum.hi);
  // exp(r + t) = exp(r) + t exp(r)
  rest += __builtin_fma(sum.lo, sum.hi, sum.lo);
  return addOrdered(sum.hi, rest);
}

/// x - n ln 2
INLINE Pair reduce(Pair x, double n) {
  Pair high = add(x.hi, -n * ln2High);
  Pair low = multiply(n, ln2Low);
  Pair rest = add(high.hi, -low.hi);
  return addOrdered(rest.hi, rest.lo + (high.lo - low.lo + x.lo));
}

double sluice_exponential(Pair x) {
  if (isNaN(x.hi))
    return x.hi;
  if (x.hi > 710)
    return INFINITE;
  if (x.hi < -746)
    return 0;
  double n = __builtin_rint(x.hi * perLn2);
  Pair p = small(reduce(x, n));
  Pair whole = addOrdered(1, p.hi);
  return scale(whole.hi + (whole.lo + p.lo), (int)n);
}

FUNCTION1(exp) { return sluice_exponential((Pair){x, 0}); }

FUNCTION1(exp2) {
  if (isNaN(x) || x >= 1024)
    return isNaN(x) ? x : INFINITE;
  if (x < -1080)
    return 0;
  double n = __builtin_rint(x);
  Pair ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  Pair p = small(multiplyPairs((Pair){x - n, 0}, ln2));
  Pair whole = addOrdered(1, p.hi);
  return scale(whole.hi + (whole.lo + p.lo), (int)n);
}

FUNCTION1(exp10) {
  if (isNaN(x) || x > 309)
    return isNaN(x) ? x : INFINITE;
  if (x < -325)
    return 0;
  Pair ln10 = {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53};
  return sluice_exponential(multiplyPairs((Pair){x, 0}, ln10));
}

FUNCTION1(expm1) {
  if (isNaN(x) || x > 710)
    return isNaN(x) ? x : INFINITE;
  if (x < -50)
    return -1;
  if (absolute(x) < 0x1p-54)
    return x;
  double n = __builtin_rint(x * perLn2);
  Pair p = small(reduce((Pair){x, 0}, n));
  if (n == 0)
    return p.hi + p.lo;
  // 2^n p + 2^n - 1, computed at half scale in case 2^n is too large.
  double half = powerOfTwo((int)n - 1);
  Pair sum = add(half - 0.5, half * p.hi);
  return 2 * (sum.hi + (sum.lo + half * p.lo));
}
