//===- Angles.c - Inverse trigonometric functions -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The angle of a point differs from the angle of a nearby k/8, stored in a
// table, by an angle with a small tangent. Error: below one unit in the last
// place; two for arc sine and arc cosine.
//
//===----------------------------------------------------------------------===//

#include "Real.h"

static const Pair eighths[] = {{0, 0},
                               {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                               {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                               {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                               {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                               {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                               {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                               {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                               {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

Pair sluice_angle(double y, double x) {
  int k = (int)__builtin_rint(8 * (y / x));
  double c = k * 0.125;
  // tan(a - b) = (tan a - tan b) / (1 + tan a tan b)
  Pair less = multiply(c, x), more = multiply(c, y);
  Pair above = add(y, -less.hi), below = add(x, more.hi);
  above.lo -= less.lo;
  below.lo += more.lo;
  double t = above.hi / below.hi;
  double rest = __builtin_fma(-t, below.hi, above.hi);
  rest = (rest + above.lo - t * below.lo) / below.hi;
  double z = t * t;
  double p = 1.0 / 17;
  p = __builtin_fma(p, z, -1.0 / 15);
  p = __builtin_fma(p, z, 1.0 / 13);
  p = __builtin_fma(p, z, -1.0 / 11);
  p = __builtin_fma(p, z, 1.0 / 9);
  p = __builtin_fma(p, z, -1.0 / 7);
  p = __builtin_fma(p, z, 1.0 / 5);
  p = __builtin_fma(p, z, -1.0 / 3);
  Pair sum = add(eighths[k].hi, t);
  return addOrdered(sum.hi,
                    sum.lo + (eighths[k].lo + __builtin_fma(p * z, t, rest)));
}

/// The angle of a point with coordinates that are neither negative nor NaN.
static Pair quarter(double y, double x) {
  const Pair half = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  if (y == 0)
    return (Pair){0, 0};
  if (x == 0 || (y == INFINITE && x != INFINITE))
    return half;
  if (x == INFINITE)
    return y == INFINITE ? eighths[8] : (Pair){0, 0};
  int isSteep = y > x;
  double most = isSteep ? y : x, least = isSteep ? x : y;
  double factor = most > 0x1p1000 ? 0x1p-100 : most < 0x1p-900 ? 0x1p120 : 1;
  // For such a small quotient, the angle equals the quotient itself, which may
  // be denormal.
  if (least < most * 0x1p-60 && !isSteep)
    return (Pair){least / most, 0};
  Pair angle = sluice_angle(least * factor, most * factor);
  return isSteep ? addPairs(half, (Pair){-angle.hi, -angle.lo}) : angle;
}

FUNCTION2(atan2) {
  // In mathematics, the first coordinate is called y.
  double up = x, right = y;
  if (isNaN(up) || isNaN(right))
    return up + right;
  Pair angle = quarter(absolute(up), absolute(right));
  if (bitsOf(right) >> 63) {
    const Pair half = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
    angle = addPairs(half, (Pair){-angle.hi, -angle.lo});
  }
  return __builtin_copysign(angle.hi + angle.lo, up);
}

FUNCTION1(atan) { return sluice_atan2(x, 1); }

FUNCTION1(asin) {
  if (!(absolute(x) <= 1))
    return NOT_A_NUMBER;
  return sluice_atan2(x, __builtin_sqrt((1 - x) * (1 + x)));
}

FUNCTION1(acos) {
  if (!(absolute(x) <= 1))
    return NOT_A_NUMBER;
  return sluice_atan2(__builtin_sqrt((1 - x) * (1 + x)), x);
}
