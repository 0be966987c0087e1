//===- Real.h - Shared code of the devices' math functions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of real numbers for devices that have none, in freestanding C, with
// the same result on every machine. They only use + - * /, square roots,
// rounding functions and explicit fma, in the order that is written.
//
// A Pair is the unevaluated sum of two numbers. The second is at most half a
// unit in the last place of the first, so a Pair has about 106 bits.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_MATH_REAL_H
#define SLUICE_LIB_CODEGEN_DEVICE_MATH_REAL_H

typedef unsigned long long Bits;
typedef struct {
  double hi, lo;
} Pair;

#define INLINE static inline __attribute__((always_inline))
#define INFINITE __builtin_inf()
#define NOT_A_NUMBER __builtin_nan("")

/// Defines NAME for double by the given expression, and for float by rounding
/// the double result.
#define FUNCTION1(name)                                                        \
  double sluice_##name(double x);                                              \
  float sluice_##name##f(float x) { return (float)sluice_##name(x); }          \
  double sluice_##name(double x)
#define FUNCTION2(name)                                                        \
  double sluice_##name(double x, double y);                                    \
  float sluice_##name##f(float x, float y) {                                   \
    return (float)sluice_##name(x, y);                                         \
  }                                                                            \
  double sluice_##name(double x, double y)

INLINE Bits bitsOf(double x) {
  Bits bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits;
}
INLINE double fromBits(Bits bits) {
  double x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}
INLINE int isNaN(double x) { return x != x; }
INLINE double absolute(double x) { return __builtin_fabs(x); }

/// 2 to the power of n, -1022 <= n <= 1023.
INLINE double powerOfTwo(int n) { return fromBits((Bits)(n + 1023) << 52); }

/// x times 2 to the power of n, rounded once.
INLINE double scale(double x, int n) {
  if (n > 1023) {
    x *= powerOfTwo(1023);
    n -= 1023;
    if (n > 1023) {
      x *= powerOfTwo(1023);
      n -= 1023;
      n = n > 1023 ? 1023 : n;
    }
  } else if (n < -1022) {
    // Avoids denormal numbers before the last step.
    x *= powerOfTwo(-969);
    n += 969;
    if (n < -1022) {
      x *= powerOfTwo(-969);
      n += 969;
      n = n < -1022 ? -1022 : n;
    }
  }
  return x * powerOfTwo(n);
}

/// Requires |a| >= |b|, or a == 0.
INLINE Pair addOrdered(double a, double b) {
  double sum = a + b;
  return (Pair){sum, b - (sum - a)};
}
INLINE Pair add(double a, double b) {
  double sum = a + b, part = sum - a;
  return (Pair){sum, (a - (sum - part)) + (b - part)};
}
INLINE Pair multiply(double a, double b) {
  double product = a * b;
  return (Pair){product, __builtin_fma(a, b, -product)};
}
INLINE Pair addPairs(Pair a, Pair b) {
  Pair sum = add(a.hi, b.hi);
  return addOrdered(sum.hi, sum.lo + (a.lo + b.lo));
}
INLINE Pair multiplyPairs(Pair a, Pair b) {
  Pair product = multiply(a.hi, b.hi);
  double rest = __builtin_fma(a.hi, b.lo, a.lo * b.hi);
  return addOrdered(product.hi, product.lo + rest);
}

/// The logarithm of a positive finite number, or of x * 2 ^ -n with n returned
/// separately, to about 100 bits.
Pair sluice_logarithm(double x);
Pair sluice_mantissa_logarithm(double x, int *n);
/// exp(x.hi + x.lo), with overflow and underflow.
double sluice_exponential(Pair x);
/// The angle of the point (x, y), x >= y >= 0, x > 0 and not denormal.
Pair sluice_angle(double y, double x);

double sluice_exp(double x);
double sluice_expm1(double x);
double sluice_log(double x);
double sluice_log1p(double x);
double sluice_atan2(double y, double x);

#endif // SLUICE_LIB_CODEGEN_DEVICE_MATH_REAL_H
