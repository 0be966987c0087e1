//===- Hyperbolic.c - Hyperbolic functions and their inverses -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses exp(x) - 1 and log(1 + x), which keep small arguments exact. Error:
// below four units in the last place.
//
//===----------------------------------------------------------------------===//

#include "Real.h"

FUNCTION1(sinh) {
  double size = absolute(x), value;
  if (isNaN(x) || size < 0x1p-28)
    return x;
  if (size > 709) {
    double root = sluice_exp(0.5 * size);
    value = 0.5 * root * root;
  } else {
    double e = sluice_expm1(size);
    value = 0.5 * (e + e / (e + 1));
  }
  return __builtin_copysign(value, x);
}

FUNCTION1(cosh) {
  double size = absolute(x);
  if (size > 709) {
    double root = sluice_exp(0.5 * size);
    return 0.5 * root * root;
  }
  double e = sluice_exp(size);
  return 0.5 * e + 0.5 / e;
}

FUNCTION1(tanh) {
  double size = absolute(x);
  if (isNaN(x) || size < 0x1p-28)
    return x;
  double e = size > 20 ? INFINITE : sluice_expm1(2 * size);
  return __builtin_copysign(size > 20 ? 1 : e / (e + 2), x);
}

FUNCTION1(asinh) {
  double size = absolute(x);
  if (!(size < INFINITE) || size < 0x1p-28)
    return x;
  double value;
  if (size > 0x1p28)
    value = sluice_log(size) + 0x1.62e42fefa39efp-1;
  else {
    double square = size * size;
    value = sluice_log1p(size + square / (1 + __builtin_sqrt(1 + square)));
  }
  return __builtin_copysign(value, x);
}

FUNCTION1(acosh) {
  if (!(x >= 1))
    return isNaN(x) ? x : NOT_A_NUMBER;
  if (x > 0x1p28)
    return sluice_log(x) + 0x1.62e42fefa39efp-1;
  double t = x - 1;
  return sluice_log1p(t + __builtin_sqrt(t * (t + 2)));
}

FUNCTION1(atanh) {
  double size = absolute(x);
  if (!(size <= 1))
    return isNaN(x) ? x : NOT_A_NUMBER;
  if (size < 0x1p-28)
    return x;
  double value =
      size == 1 ? INFINITE : 0.5 * sluice_log1p(2 * size / (1 - size));
  return __builtin_copysign(value, x);
}
