//===- Hyperbolic.c - Hyperbolic tangent and the error functions ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tanh(x) = e / (e + 2), e = exp(2 x) - 1, which is computed without
// cancellation. Error: below 2.5 units in the last place.
//
// Up to one, erf(x) is x times a polynomial of x^2; above, it is 1 - exp(-x^2)
// times a polynomial of (x - k) / (x + k). Error: below two units in the last
// place; 2.5 on processors without fused operations.
//
// Up to 3/4, erfc(x) is 1 - erf(x); above, it is exp(-x^2) / x times a
// polynomial of (x - k) / (x + k), where the rounding error of x^2 is included.
// Error: below 4.2 units in the last place.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

double sluice_lanes_exp(double x);
float sluice_lanes_expf(float x);

float sluice_lanes_tanhf(float x) {
  float size = __builtin_fabsf(x);
  float c = 2 * clampFloat(size, 0, 10);
  float whole = fmaf(c, 0x1.715476p+0f, WHOLE_FLOAT);
  float n = whole - WHOLE_FLOAT;
  float r = c - n * 0x1.62ep-1f;
  r = fmaf(n, -0x1.0bfbe8p-15f, r);
  float p = 0x1.6d117cp-10f;
  p = fmaf(p, r, 0x1.120be2p-7f);
  p = fmaf(p, r, 0x1.55551ap-5f);
  p = fmaf(p, r, 0x1.5554dcp-3f);
  p = fmaf(p, r, 0.5f);
  float power =
      floatOf((bitsOfFloat(whole) - bitsOfFloat(WHOLE_FLOAT) + 127) << 23);
  // 2^n (exp(r) - 1) + (2^n - 1)
  float e = fmaf(power, fmaf(r * r, p, r), power - 1);
  float y = e / (e + 2);
  return __builtin_copysignf(size == size ? y : x, x);
}

double sluice_lanes_tanh(double x) {
  double size = __builtin_fabs(x);
  double c = 2 * clamp(size, 0, 22);
  double whole = fma(c, 0x1.71547652b82fep+0, WHOLE);
  double n = whole - WHOLE;
  double r = (c - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
  // (exp(r) - 1 - r) / r^2
  double p = 0x1.af390ba7e6f47p-26;
  p = fma(p, r, 0x1.2891d4ffbb0f9p-22);
  p = fma(p, r, 0x1.71de0d85293b8p-19);
  p = fma(p, r, 0x1.a019b8ca26fcfp-16);
  p = fma(p, r, 0x1.a01a01a7cebcdp-13);
  p = fma(p, r, 0x1.6c16c1789d1d7p-10);
  p = fma(p, r, 0x1.11111111109a6p-7);
  p = fma(p, r, 0x1.5555555553d37p-5);
  p = fma(p, r, 0x1.5555555555556p-3);
  p = fma(p, r, 0.5);
  double power = doubleOf((bitsOf(whole) - bitsOf(WHOLE) + 1023) << 52);
  double e = fma(power, fma(r * r, p, r), power - 1);
  double y = e / (e + 2);
  return __builtin_copysign(size == size ? y : x, x);
}

/// erf(x) for |x| <= 1.
INLINE float nearErff(float x) {
  float square = x * x;
  float p = -0x1.445bbap-17f;
  p = fmaf(p, square, 0x1.d885dep-14f);
  p = fmaf(p, square, -0x1.bccf2cp-11f);
  p = fmaf(p, square, 0x1.562a5cp-8f);
  p = fmaf(p, square, -0x1.b829c8p-6f);
  p = fmaf(p, square, 0x1.ce2f08p-4f);
  p = fmaf(p, square, -0x1.812746p-2f);
  // The first coefficient has more bits than a float.
  return fmaf(x, 0x1.20dd76p+0f, x * fmaf(p, square, -0x1.f7ac92p-25f));
}

float sluice_lanes_erff(float x) {
  float size = __builtin_fabsf(x);
  float c = clampFloat(size, 1, 4), t = (c - 2) / (c + 2);
  float q = 0x1.a2657cp-15f;
  q = fmaf(q, t, -0x1.ec952ap-11f);
  q = fmaf(q, t, -0x1.bc6a68p-11f);
  q = fmaf(q, t, 0x1.ca5b14p-8f);
  q = fmaf(q, t, 0x1.e9479cp-9f);
  q = fmaf(q, t, -0x1.437eeep-4f);
  q = fmaf(q, t, 0x1.eeea7ep-3f);
  q = fmaf(q, t, -0x1.b57034p-2f);
  q = fmaf(q, t, 0x1.058672p-2f);
  float far = 1 - sluice_lanes_expf(-c * c) * q;
  float y = __builtin_copysignf(size <= 1 ? nearErff(x) : far, x);
  return x == x ? y : x;
}

/// erf(x) for |x| <= 1.
INLINE double nearErf(double x) {
  double square = x * x;
  double p = 0x1.3bfe44a3d819fp-42;
  p = fma(p, square, -0x1.b40ce8a3115bbp-38);
  p = fma(p, square, 0x1.9a0f7fb0e9b3ep-34);
  p = fma(p, square, -0x1.517cd7cf60f83p-30);
  p = fma(p, square, 0x1.fcbb2ff58f199p-27);
  p = fma(p, square, -0x1.5f73c3afbe70ap-23);
  p = fma(p, square, 0x1.b9e6c38d4ca6dp-20);
  p = fma(p, square, -0x1.f4d25bf9a1bd9p-17);
  p = fma(p, square, 0x1.f9a326f7abe7fp-14);
  p = fma(p, square, -0x1.c02db40035ef3p-11);
  p = fma(p, square, 0x1.565bcd0e6a2eep-8);
  p = fma(p, square, -0x1.b82ce31288b47p-6);
  p = fma(p, square, 0x1.ce2f21a042be2p-4);
  p = fma(p, square, -0x1.812746b0379e7p-2);
  return fma(x, 0x1.20dd750429b6dp+0,
             x * fma(p, square, 0x1.1ae3a914fed80p-56));
}

double sluice_lanes_erf(double x) {
  double size = __builtin_fabs(x);
  double c = clamp(size, 1, 6), t = (c - 2.5) / (c + 2.5);
  double q = -0x1.c49522352af97p-25;
  q = fma(q, t, 0x1.02b7b624af7a4p-24);
  q = fma(q, t, 0x1.9db0a73dbf868p-22);
  q = fma(q, t, 0x1.6a65dcf43edc0p-24);
  q = fma(q, t, -0x1.e74f99e12c88ep-20);
  q = fma(q, t, -0x1.34b4f14b151b5p-19);
  q = fma(q, t, 0x1.fb00f35e00f3fp-18);
  q = fma(q, t, 0x1.384dc46290ccfp-16);
  q = fma(q, t, -0x1.1ebe50a6833f0p-15);
  q = fma(q, t, -0x1.0e466b243631bp-13);
  q = fma(q, t, 0x1.def2ca4513939p-13);
  q = fma(q, t, 0x1.cb3b61be5412cp-11);
  q = fma(q, t, -0x1.5a5716ce414d0p-9);
  q = fma(q, t, -0x1.05bb2fe5c2c65p-8);
  q = fma(q, t, 0x1.470ba1f67e9afp-5);
  q = fma(q, t, -0x1.0011543716c8dp-3);
  q = fma(q, t, 0x1.01c11a735cd98p-2);
  q = fma(q, t, -0x1.7ca88dec217a6p-2);
  q = fma(q, t, 0x1.afbb3f3b7343bp-3);
  double far = 1 - sluice_lanes_exp(-c * c) * q;
  double y = __builtin_copysign(size <= 1 ? nearErf(x) : far, x);
  return x == x ? y : x;
}

float sluice_lanes_erfcf(float x) {
  float size = __builtin_fabsf(x);
  float c = clampFloat(size, 0.75f, 10.2f), t = (c - 3) / (c + 3);
  float q = -0x1.94652ep-14f;
  q = fmaf(q, t, -0x1.77bb02p-12f);
  q = fmaf(q, t, 0x1.48a26cp-10f);
  q = fmaf(q, t, 0x1.d4de34p-11f);
  q = fmaf(q, t, -0x1.cb7f2cp-7f);
  q = fmaf(q, t, 0x1.7bb848p-5f);
  q = fmaf(q, t, -0x1.870af8p-4f);
  q = fmaf(q, t, 0x1.1e79ap-3f);
  q = fmaf(q, t, -0x1.2c33bep-3f);
  q = fmaf(q, t, 0x1.865fd4p-4f);
  q = fmaf(q, t, 0x1.12f21ep-1f);
  q = q / c;
  double square = (double)c * c;
  float high = (float)square, low = (float)(square - high);
  float far = sluice_lanes_expf(-high) * fmaf(-low, q, q);
  far = x < 0 ? 2 - far : far;
  float y = size < 0.75f ? 1 - nearErff(x) : far;
  return x == x ? y : x;
}

double sluice_lanes_erfc(double x) {
  double size = __builtin_fabs(x);
  double c = clamp(size, 0.75, 27.5), t = (c - 3.5) / (c + 3.5);
  double q = -0x1.1cfe71a5853edp-30;
  q = fma(q, t, 0x1.ec1a0c78cfeeap-28);
  q = fma(q, t, 0x1.bc5d128d119acp-31);
  q = fma(q, t, -0x1.d5639af02f306p-25);
  q = fma(q, t, 0x1.0e80a96407de3p-27);
  q = fma(q, t, 0x1.67ad298d75dc1p-22);
  q = fma(q, t, -0x1.f749d2265d16dp-24);
  q = fma(q, t, -0x1.192b3984374a2p-19);
  q = fma(q, t, 0x1.022dcebb88adap-19);
  q = fma(q, t, 0x1.b263931ab9b89p-17);
  q = fma(q, t, -0x1.d6d6ff6e44536p-16);
  q = fma(q, t, -0x1.ea0f30908e7a0p-15);
  q = fma(q, t, 0x1.60914ba4175e2p-12);
  q = fma(q, t, -0x1.35c2ec4367c53p-12);
  q = fma(q, t, -0x1.25c246e482d4dp-9);
  q = fma(q, t, 0x1.7e6da37422c03p-7);
  q = fma(q, t, -0x1.0d84644b458fap-5);
  q = fma(q, t, 0x1.113e75dcc8a39p-4);
  q = fma(q, t, -0x1.ad177615b9fa0p-4);
  q = fma(q, t, 0x1.0911f8cf77fb0p-3);
  q = fma(q, t, -0x1.f311afb9af068p-4);
  q = fma(q, t, 0x1.31ad0f0cd09d0p-4);
  q = fma(q, t, 0x1.1649466cd0bf1p-1);
  q = q / c;
  Pair square = multiply(c, c);
  double far = sluice_lanes_exp(-square.hi) * fma(-square.lo, q, q);
  far = x < 0 ? 2 - far : far;
  double y = size < 0.75 ? 1 - nearErf(x) : far;
  return x == x ? y : x;
}
