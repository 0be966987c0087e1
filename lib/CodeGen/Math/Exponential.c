//===- Exponential.c - Exponential functions ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp(x) = 2^n exp(r), r = x - n ln 2, |r| <= ln 2 / 2. ln 2 is split into a
// number with so few bits that its products with n are exact, and a remainder.
// Error: below one unit in the last place.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

float sluice_lanes_expf(float x) {
  // Beyond these bounds results are infinite, or zero.
  float c = clampFloat(x, -104, 89);
  float whole = fmaf(c, 0x1.715476p+0f, WHOLE_FLOAT);
  float n = whole - WHOLE_FLOAT;
  float r = c - n * 0x1.62ep-1f;
  r = fmaf(n, -0x1.0bfbe8p-15f, r);
  // (exp(r) - 1 - r) / r^2
  float p = 0x1.6d117cp-10f;
  p = fmaf(p, r, 0x1.120be2p-7f);
  p = fmaf(p, r, 0x1.55551ap-5f);
  p = fmaf(p, r, 0x1.5554dcp-3f);
  p = fmaf(p, r, 0.5f);
  float y = 1 + fmaf(r * r, p, r);
  return scaleFloat(y, bitsOfFloat(whole) - bitsOfFloat(WHOLE_FLOAT));
}

/// (exp(r) - 1 - r) / r^2
INLINE double series(double r) {
  double p = 0x1.af390ba7e6f47p-26;
  p = fma(p, r, 0x1.2891d4ffbb0f9p-22);
  p = fma(p, r, 0x1.71de0d85293b8p-19);
  p = fma(p, r, 0x1.a019b8ca26fcfp-16);
  p = fma(p, r, 0x1.a01a01a7cebcdp-13);
  p = fma(p, r, 0x1.6c16c1789d1d7p-10);
  p = fma(p, r, 0x1.11111111109a6p-7);
  p = fma(p, r, 0x1.5555555553d37p-5);
  p = fma(p, r, 0x1.5555555555556p-3);
  return fma(p, r, 0.5);
}

static const double ln2High = 0x1.62e42feep-1;
static const double ln2Low = 0x1.a39ef35793c76p-33;

double sluice_lanes_exp(double x) {
  double c = clamp(x, -746, 710);
  double whole = fma(c, 0x1.71547652b82fep+0, WHOLE);
  double n = whole - WHOLE;
  double r = (c - n * ln2High) - n * ln2Low;
  double y = 1 + fma(r * r, series(r), r);
  return scale(y, bitsOf(whole) - bitsOf(WHOLE));
}

double sluice_lanes_exp2(double x) {
  double c = clamp(x, -1080, 1025);
  double whole = c + WHOLE;
  double r = c - (whole - WHOLE);
  // (2^r - 1) / r
  double p = 0x1.c4a308a6fefb4p-36;
  p = fma(p, r, 0x1.e9ecb42c532a9p-32);
  p = fma(p, r, 0x1.e4cf109c96ef0p-28);
  p = fma(p, r, 0x1.b524eb7daec92p-24);
  p = fma(p, r, 0x1.62c02242c55a8p-20);
  p = fma(p, r, 0x1.ffcbfc6dc7729p-17);
  p = fma(p, r, 0x1.430912f86b7bap-13);
  p = fma(p, r, 0x1.5d87fe78a3f4bp-10);
  p = fma(p, r, 0x1.3b2ab6fba4e79p-7);
  p = fma(p, r, 0x1.c6b08d704a0c6p-5);
  p = fma(p, r, 0x1.ebfbdff82c58fp-3);
  double rest = r * 0x1.abc9e3b39803fp-56;
  double y = 1 + fma(r, 0x1.62e42fefa39efp-1, fma(r * r, p, rest));
  return scale(y, bitsOf(whole) - bitsOf(WHOLE));
}

float sluice_lanes_exp2f(float x) { return (float)sluice_lanes_exp2(x); }
