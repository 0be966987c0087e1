//===- Powers.c - Powers, roots and lengths -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x^y = exp(y log x), with the logarithm and the product as Pairs. Error: below
// one unit in the last place.
//
//===----------------------------------------------------------------------===//

#include "Real.h"

/// 0: y is not an integer; 1: y is odd; 2: y is even.
INLINE int parity(double y) {
  double size = absolute(y);
  if (size >= 0x1p53 || __builtin_trunc(size) != size)
    return size >= 0x1p53 ? 2 : 0;
  return (Bits)size & 1 ? 1 : 2;
}

/// Bases of zero or infinity, or exponents so extreme that only signs matter.
INLINE double extreme(double x, double y, int kind) {
  double size = (absolute(x) == 0) == (y < 0) ? INFINITE : 0;
  return kind == 1 ? __builtin_copysign(size, x) : size;
}

FUNCTION2(pow) {
  if (y == 0 || x == 1)
    return 1;
  if (isNaN(x) || isNaN(y))
    return x + y;
  double size = absolute(x);
  if (absolute(y) == INFINITE) {
    if (size == 1)
      return 1;
    return (size > 1) == (y > 0) ? INFINITE : 0;
  }
  int kind = parity(y);
  if (size == 0 || size == INFINITE)
    return extreme(x, y, kind);
  if (x < 0 && kind == 0)
    return NOT_A_NUMBER;
  double value;
  if (absolute(y) > 0x1p80)
    // Any base other than 1 is so far from 1 that the power is zero or
    // infinite.
    value = size == 1 ? 1 : (size > 1) == (y > 0) ? INFINITE : 0;
  else {
    Pair log = sluice_logarithm(size);
    Pair product = multiply(y, log.hi);
    // A value out of range has no second part.
    if (absolute(product.hi) > 1000)
      value = product.hi > 0 ? INFINITE : 0;
    else
      value = sluice_exponential(
          addOrdered(product.hi, __builtin_fma(y, log.lo, product.lo)));
  }
  return x < 0 && kind == 1 ? -value : value;
}

FUNCTION1(cbrt) {
  double size = absolute(x);
  if (!(size < INFINITE) || x == 0)
    return x;
  int shift = 0;
  if (size < 0x1p-1022) {
    size *= 0x1p54;
    shift = -18;
  }
  int exponent = (int)(bitsOf(size) >> 52) - 1023;
  int third = (exponent + 3072) / 3 - 1024;
  // 1 <= m < 8, so 1 <= root < 2.
  double m = scale(size, -3 * third);
  double root = 0.75 + 0.18 * m - 0.01 * m * m;
  for (int i = 0; i < 6; ++i)
    root = root - (root * root * root - m) / (3 * root * root);
  // One more step, with the exact error of the cube.
  Pair square = multiply(root, root);
  Pair cube = multiply(square.hi, root);
  double error = (cube.hi - m) + (cube.lo + square.lo * root);
  root = root - error / (3 * square.hi);
  return __builtin_copysign(scale(root, third + shift), x);
}

FUNCTION2(hypot) {
  double a = absolute(x), b = absolute(y);
  if (a == INFINITE || b == INFINITE)
    return INFINITE;
  if (isNaN(x) || isNaN(y))
    return x + y;
  double most = a > b ? a : b, least = a > b ? b : a;
  if (least <= most * 0x1p-60)
    return most + least;
  double factor = most > 0x1p500 ? 0x1p-600 : least < 0x1p-450 ? 0x1p550 : 1;
  most *= factor;
  least *= factor;
  Pair sum = addPairs(multiply(most, most), multiply(least, least));
  double root = __builtin_sqrt(sum.hi);
  // One Newton step, with the exact error of the square.
  double error = __builtin_fma(-root, root, sum.hi) + sum.lo;
  root += error / (2 * root);
  return root / factor;
}
