//===- Lanes.h - Shared code of the math functions of leaves --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of real numbers that become vector code where leaves call them:
// freestanding C without branches, calls and tables, inlined into the loops
// over instances. Every lane, and the remainder in a scalar loop, computes the
// same operations in the same order. So results do not depend on how instances
// are distributed to workers and vectors.
//
// The functions are compiled twice. If the processor has fused operations,
// SLUICE_FMA is set and `fma` rounds once; otherwise it is a product and a sum.
// Steps that must be exact are exact in both versions.
//
// Work that only few arguments need, and that would be expensive for all lanes,
// is in a function `sluice_far_NAME(x..., near)`. If `near`, the result that
// all lanes compute, is not a number, this function computes NAME(x) from
// scratch. Vectors call a variant that tests all lanes at once
// (VectorSlowPaths.h).
//
// The polynomials interpolate, at Chebyshev points, the functions in the
// comments next to them. MathTest.cpp measures the stated errors.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_MATH_LANES_H
#define SLUICE_LIB_CODEGEN_MATH_LANES_H

typedef int Int32;
typedef unsigned UInt32;
typedef long long Int64;
typedef unsigned long long UInt64;

#define INLINE static inline __attribute__((always_inline))
#define FAR __attribute__((noinline, cold, const))
#define INFINITE __builtin_inf()
#define NOT_A_NUMBER __builtin_nan("")

#ifdef SLUICE_FMA
INLINE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE double fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
#else
INLINE float fmaf(float a, float b, float c) { return a * b + c; }
INLINE double fma(double a, double b, double c) { return a * b + c; }
#endif

INLINE Int32 bitsOfFloat(float x) { return __builtin_bit_cast(Int32, x); }
INLINE float floatOf(Int32 bits) { return __builtin_bit_cast(float, bits); }
INLINE Int64 bitsOf(double x) { return __builtin_bit_cast(Int64, x); }
INLINE double doubleOf(Int64 bits) { return __builtin_bit_cast(double, bits); }

/// Clamps to the bounds; NaN stays NaN.
INLINE float clampFloat(float x, float lower, float upper) {
  x = x < lower ? lower : x;
  return x > upper ? upper : x;
}
INLINE double clamp(double x, double lower, double upper) {
  x = x < lower ? lower : x;
  return x > upper ? upper : x;
}

/// Adding one of these rounds a sum to an integer, which is in its lowest bits.
#define WHOLE_FLOAT 0x1.8p23f
#define WHOLE 0x1.8p52

/// x times 2 to the power of n, -252 <= n <= 254, rounded once.
INLINE float scaleFloat(float x, Int32 n) {
  Int32 first = n >> 1, second = n - first;
  return x * floatOf((first + 127) << 23) * floatOf((second + 127) << 23);
}
/// The same, -2044 <= n <= 2046.
INLINE double scale(double x, Int64 n) {
  Int64 first = (Int64)((UInt64)(n + 4096) >> 1) - 2048, second = n - first;
  return x * doubleOf((first + 1023) << 52) * doubleOf((second + 1023) << 52);
}

//===----------------------------------------------------------------------===//
// Unevaluated sums
//===----------------------------------------------------------------------===//

/// hi + lo, where lo is at most half a unit in the last place of hi.
typedef struct {
  double hi, lo;
} Pair;

/// Requires |a| >= |b|, or a == 0.
INLINE Pair addOrdered(double a, double b) {
  double sum = a + b;
  return (Pair){sum, b - (sum - a)};
}
INLINE Pair add(double a, double b) {
  double sum = a + b, part = sum - a;
  return (Pair){sum, (a - (sum - part)) + (b - part)};
}
/// Requires that neither is larger than 2 to the power of 970.
INLINE Pair multiply(double a, double b) {
  double product = a * b;
#ifdef SLUICE_FMA
  return (Pair){product, __builtin_fma(a, b, -product)};
#else
  // Halves of 26 bits, whose products are exact (Veltkamp, Dekker).
  double aSplit = 0x1.0000002p27 * a, bSplit = 0x1.0000002p27 * b;
  double aHigh = aSplit - (aSplit - a), bHigh = bSplit - (bSplit - b);
  double aLow = a - aHigh, bLow = b - bHigh;
  double rest = aHigh * bHigh - product;
  rest = rest + aHigh * bLow;
  rest = rest + aLow * bHigh;
  return (Pair){product, rest + aLow * bLow};
#endif
}
INLINE Pair addPairs(Pair a, Pair b) {
  Pair sum = add(a.hi, b.hi);
  return addOrdered(sum.hi, sum.lo + (a.lo + b.lo));
}
INLINE Pair multiplyPairs(Pair a, Pair b) {
  Pair product = multiply(a.hi, b.hi);
  return addOrdered(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

#endif // SLUICE_LIB_CODEGEN_MATH_LANES_H
