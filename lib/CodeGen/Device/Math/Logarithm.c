//===- Logarithm.c - Logarithms -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// log(m) = 2 artanh(s), s = (m - 1) / (m + 1), for m between the square roots
// of 1/2 and 2, where |s| < 0.172. The first terms are computed in Pairs, so
// that powers are accurate. Error: below one unit in the last place.
//
//===----------------------------------------------------------------------===//

#include "Real.h"

static const double ln2High = 0x1.62e42fefa2000p-1;
static const double ln2Low = 0x1.9ef35793c7673p-41;

/// (artanh(s) / s - 1) / s^2 for z = s^2
INLINE Pair series(Pair z) {
  double q = 1.0 / 29;
  double t = z.hi;
  q = __builtin_fma(q, t, 1.0 / 27);
  q = __builtin_fma(q, t, 1.0 / 25);
  q = __builtin_fma(q, t, 1.0 / 23);
  q = __builtin_fma(q, t, 1.0 / 21);
  q = __builtin_fma(q, t, 1.0 / 19);
  q = __builtin_fma(q, t, 1.0 / 17);
  q = __builtin_fma(q, t, 1.0 / 15);
  q = __builtin_fma(q, t, 1.0 / 13);
  q = __builtin_fma(q, t, 1.0 / 11);
  q = __builtin_fma(q, t, 1.0 / 9);
  q = __builtin_fma(q, t, 1.0 / 7);
  Pair fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
  Pair third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
  Pair sum = addPairs(fifth, multiply(t, q));
  return addPairs(third, multiplyPairs(sum, z));
}

Pair sluice_mantissa_logarithm(double x, int *n) {
  Bits bits = bitsOf(x);
  *n = 0;
  if (bits >> 52 == 0) {
    bits = bitsOf(x * 0x1p54);
    *n = -54;
  }
  // The bits of the square root of 1/2 mark the start of the next power of two.
  Bits shifted = bits - 0x3FE6A09E667F3BCDu;
  int exponent = (int)((long long)shifted >> 52);
  *n += exponent;
  double f = fromBits(bits - ((Bits)(long long)exponent << 52)) - 1;
  Pair below = add(2, f);
  double s = f / below.hi;
  double rest = __builtin_fma(-s, below.hi, f) - s * below.lo;
  Pair quotient = addOrdered(s, rest / below.hi);
  Pair square = multiplyPairs(quotient, quotient);
  Pair more = multiplyPairs(multiplyPairs(series(square), square), quotient);
  Pair half = addPairs(quotient, more);
  return (Pair){2 * half.hi, 2 * half.lo};
}

Pair sluice_logarithm(double x) {
  int n;
  Pair log = sluice_mantissa_logarithm(x, &n);
  if (n == 0)
    return log;
  Pair low = multiply(n, ln2Low);
  Pair sum = addPairs((Pair){n * ln2High, 0}, low);
  return addPairs(sum, log);
}

/// The result of every logarithm for arguments without a finite logarithm.
INLINE int isSpecial(double x, double *result) {
  if (x > 0 && x < INFINITE)
    return 0;
  *result = x == 0 ? -INFINITE : x < 0 ? NOT_A_NUMBER : x;
  return 1;
}

FUNCTION1(log) {
  double special;
  if (isSpecial(x, &special))
    return special;
  Pair log = sluice_logarithm(x);
  return log.hi + log.lo;
}

FUNCTION1(log2) {
  double special;
  if (isSpecial(x, &special))
    return special;
  int n;
  Pair perLn2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
  Pair log = multiplyPairs(sluice_mantissa_logarithm(x, &n), perLn2);
  Pair sum = add(n, log.hi);
  return sum.hi + (sum.lo + log.lo);
}

FUNCTION1(log10) {
  double special;
  if (isSpecial(x, &special))
    return special;
  Pair perLn10 = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  Pair log = multiplyPairs(sluice_logarithm(x), perLn10);
  return log.hi + log.lo;
}

FUNCTION1(log1p) {
  double special;
  if (isSpecial(1 + x, &special))
    return special;
  if (absolute(x) < 0x1p-54)
    return x;
  // log(u + c) = log(u) + c / u, where c is the rounding error of 1 + x.
  Pair sum = add(1, x);
  Pair log = sluice_logarithm(sum.hi);
  return log.hi + (log.lo + sum.lo / sum.hi);
}
