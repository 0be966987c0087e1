//===- Trigonometric.c - Sine, cosine and tangent -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x = n pi/2 + r with |r| <= pi/4; the series of r converge fast. r is accurate
// for every x: for large x, the product of x and the relevant bits of 2/pi is
// computed in integers. Error: below one unit in the last place for sine and
// cosine, two for the tangent.
//
//===----------------------------------------------------------------------===//

#include "Real.h"

static const double pi2High = 0x1.921fb54442d18p+0;
static const double pi2Middle = 0x1.1a62633145c07p-54;
static const double pi2Low = -0x1.f1976b7ed8fbcp-110;
static const double twoPerPi = 0x1.45f306dc9c883p-1;

/// 64 zero bits, then the bits of 2/pi after the binary point.
static const Bits twoPerPiBits[] = {0,
                                    0xa2f9836e4e441529,
                                    0xfc2757d1f534ddc0,
                                    0xdb6295993c439041,
                                    0xfe5163abdebbc561,
                                    0xb7246e3a424dd2e0,
                                    0x06492eea09d1921c,
                                    0xfe1deb1cb129a73e,
                                    0xe88235f52ebb4484,
                                    0xe99c7026b45f7e41,
                                    0x3991d639835339f4,
                                    0x9c845f8bbdf9283b,
                                    0x1ff897ffde05980f,
                                    0xef2f118b5a0a6d1f,
                                    0x6d367ecf27cb09b7,
                                    0x4f463f669e5fea2d,
                                    0x7527bac7ebe5f17b,
                                    0x3d0739f78a5292ea,
                                    0x6bfb5fb11f8d5d08,
                                    0x56033046fc7b6bab,
                                    0xf0cfbc209af4361d};

/// For |x| >= 2^20. The top bits of the product, four times the fraction, are
/// the quarter turn. Contributions of whole turns are left out from the start.
static int reduceLarge(double x, Pair *r) {
  Bits bits = bitsOf(absolute(x));
  Bits m = (bits & 0xFFFFFFFFFFFFFu) | 0x10000000000000u;
  int first = (int)(bits >> 52) - 1075 + 62;
  int word = first >> 6, shift = first & 63;
  Bits p[4], carry = 0;
  for (int i = 3; i >= 0; --i) {
    Bits w = twoPerPiBits[word + i] << shift;
    if (shift)
      w |= twoPerPiBits[word + i + 1] >> (64 - shift);
    unsigned __int128 product = (unsigned __int128)m * w + carry;
    p[i] = (Bits)product;
    carry = (Bits)(product >> 64);
  }
  int n = (int)(p[0] >> 62);
  for (int i = 0; i < 3; ++i)
    p[i] = p[i] << 2 | p[i + 1] >> 62;
  p[3] <<= 2;
  // Above one half, the next quarter turn is nearer: use the negated distance
  // to it.
  int isNegative = (int)(p[0] >> 63);
  if (isNegative) {
    n += 1;
    Bits more = 1;
    for (int i = 3; i >= 0; --i) {
      p[i] = ~p[i] + more;
      more = more && p[i] == 0;
    }
  }
  int zeros = 0;
  while (p[0] == 0 && zeros < 128) {
    p[0] = p[1];
    p[1] = p[2];
    p[2] = p[3];
    p[3] = 0;
    zeros += 64;
  }
  int top = p[0] ? __builtin_clzll(p[0]) : 0;
  if (top) {
    p[0] = p[0] << top | p[1] >> (64 - top);
    p[1] = p[1] << top | p[2] >> (64 - top);
  }
  double unit = powerOfTwo(-64 - zeros - top);
  double high = (double)(p[0] & ~(Bits)0x7FF) * unit;
  double low = (double)((p[0] & 0x7FF) << 53 | p[1] >> 11) * 0x1p-53 * unit;
  Pair angle = multiplyPairs((Pair){high, low}, (Pair){pi2High, pi2Middle});
  int isOpposite = isNegative != (x < 0);
  r->hi = isOpposite ? -angle.hi : angle.hi;
  r->lo = isOpposite ? -angle.lo : angle.lo;
  return x < 0 ? -n : n;
}

/// The quarter turn, modulo four.
INLINE int reduce(double x, Pair *r) {
  double size = absolute(x);
  if (size <= 0.78539816339744828) {
    *r = (Pair){x, 0};
    return 0;
  }
  if (size >= 0x1p20)
    return reduceLarge(x, r);
  double n = __builtin_rint(x * twoPerPi);
  // Exact: the result is a small multiple of the last place of x.
  double rest = __builtin_fma(-n, pi2High, x);
  Pair more = multiply(n, pi2Middle);
  Pair sum = add(rest, -more.hi);
  *r = addOrdered(sum.hi, sum.lo - more.lo - n * pi2Low);
  return (int)n;
}

INLINE double sine(Pair r) {
  double z = r.hi * r.hi;
  double p = -1.0 / 121645100408832000.0;
  p = __builtin_fma(p, z, 1.0 / 355687428096000.0);
  p = __builtin_fma(p, z, -1.0 / 1307674368000.0);
  p = __builtin_fma(p, z, 1.0 / 6227020800.0);
  p = __builtin_fma(p, z, -1.0 / 39916800.0);
  p = __builtin_fma(p, z, 1.0 / 362880.0);
  p = __builtin_fma(p, z, -1.0 / 5040.0);
  p = __builtin_fma(p, z, 1.0 / 120.0);
  p = __builtin_fma(p, z, -1.0 / 6.0);
  // sin(r + t) = sin(r) + t cos(r)
  double rest = __builtin_fma(p * z, r.hi, r.lo * (1 - 0.5 * z));
  return r.hi + rest;
}

INLINE double cosine(Pair r) {
  double z = r.hi * r.hi;
  double p = 1.0 / 2432902008176640000.0;
  p = __builtin_fma(p, z, -1.0 / 6402373705728000.0);
  p = __builtin_fma(p, z, 1.0 / 20922789888000.0);
  p = __builtin_fma(p, z, -1.0 / 87178291200.0);
  p = __builtin_fma(p, z, 1.0 / 479001600.0);
  p = __builtin_fma(p, z, -1.0 / 3628800.0);
  p = __builtin_fma(p, z, 1.0 / 40320.0);
  p = __builtin_fma(p, z, -1.0 / 720.0);
  p = __builtin_fma(p, z, 1.0 / 24.0);
  double half = 0.5 * z, most = 1 - half;
  // cos(r + t) = cos(r) - t sin(r)
  double rest = ((1 - most) - half) + __builtin_fma(z * z, p, -r.hi * r.lo);
  return most + rest;
}

FUNCTION1(sin) {
  if (!(absolute(x) < INFINITE))
    return NOT_A_NUMBER;
  if (absolute(x) < 0x1p-27)
    return x;
  Pair r;
  int n = reduce(x, &r);
  double value = n & 1 ? cosine(r) : sine(r);
  return n & 2 ? -value : value;
}

FUNCTION1(cos) {
  if (!(absolute(x) < INFINITE))
    return NOT_A_NUMBER;
  Pair r;
  int n = reduce(x, &r);
  double value = n & 1 ? sine(r) : cosine(r);
  return (n + 1) & 2 ? -value : value;
}

FUNCTION1(tan) {
  if (!(absolute(x) < INFINITE))
    return NOT_A_NUMBER;
  if (absolute(x) < 0x1p-27)
    return x;
  Pair r;
  int n = reduce(x, &r);
  return n & 1 ? -cosine(r) / sine(r) : sine(r) / cosine(r);
}
