//===- MathTest.cpp - Device math functions compared with libm ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the device sources for the host. The reference is libm's long
// double, which has eleven more bits.
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

using Unary = double (*)(double);
using UnaryFloat = float (*)(float);
using Binary = double (*)(double, double);
using BinaryFloat = float (*)(float, float);
using LongUnary = long double (*)(long double);
using LongBinary = long double (*)(long double, long double);

struct UnaryCase {
  const char *name;
  Unary function;
  UnaryFloat floatFunction;
  LongUnary reference;
  double ulps; ///< largest error, in units in the last place
};

struct BinaryCase {
  const char *name;
  Binary function;
  BinaryFloat floatFunction;
  LongBinary reference;
  double ulps;
};

extern "C" {
#define UNARY(name)                                                            \
  double sluice_##name(double);                                                \
  float sluice_##name##f(float);
#define BINARY(name)                                                           \
  double sluice_##name(double, double);                                        \
  float sluice_##name##f(float, float);
UNARY(sin)
UNARY(cos)
UNARY(tan)
UNARY(asin)
UNARY(acos)
UNARY(atan)
UNARY(sinh)
UNARY(cosh)
UNARY(tanh)
UNARY(asinh)
UNARY(acosh)
UNARY(atanh)
UNARY(exp)
UNARY(exp2)
UNARY(exp10)
UNARY(expm1)
UNARY(log)
UNARY(log2)
UNARY(log10)
UNARY(log1p)
UNARY(cbrt)
BINARY(atan2)
BINARY(pow)
BINARY(hypot)
BINARY(fmod)
BINARY(remainder)
BINARY(fdim)
double sluice_ldexp(double, int);
float sluice_ldexpf(float, int);
#undef UNARY
#undef BINARY
}

long double exp10Long(long double x) { return exp10l(x); }

#define UNARY(name, ulps)                                                      \
  { #name, sluice_##name, sluice_##name##f, name##l, ulps }
const UnaryCase unaryCases[] = {
    UNARY(sin, 1),
    UNARY(cos, 1),
    UNARY(tan, 2.5),
    UNARY(asin, 2.5),
    UNARY(acos, 2.5),
    UNARY(atan, 1),
    UNARY(sinh, 4),
    UNARY(cosh, 3),
    UNARY(tanh, 4),
    UNARY(asinh, 4),
    UNARY(acosh, 4),
    UNARY(atanh, 4),
    UNARY(exp, 1),
    UNARY(exp2, 1),
    UNARY(expm1, 1.5),
    UNARY(log, 1),
    UNARY(log2, 1),
    UNARY(log10, 1),
    UNARY(log1p, 1),
    UNARY(cbrt, 1),
    {"exp10", sluice_exp10, sluice_exp10f, exp10Long, 1}};
#undef UNARY

#define BINARY(name, ulps)                                                     \
  { #name, sluice_##name, sluice_##name##f, name##l, ulps }
const BinaryCase binaryCases[] = {BINARY(atan2, 1),     BINARY(pow, 1),
                                  BINARY(hypot, 1),     BINARY(fmod, 0),
                                  BINARY(remainder, 0), BINARY(fdim, 0.5)};
#undef BINARY

template <typename Real> Real fromBits(uint64_t bits) {
  Real x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

/// The distance in units of the last place of the reference.
template <typename Real> double distance(Real value, long double reference) {
  auto rounded = static_cast<Real>(reference);
  if (std::isnan(rounded) || std::isnan(value))
    return std::isnan(rounded) && std::isnan(value) ? 0 : INFINITY;
  if (value == rounded)
    return std::signbit(value) == std::signbit(rounded) ? 0 : INFINITY;
  if (std::isinf(value)) // one beyond the largest number
    return std::fabs(reference) > std::numeric_limits<Real>::max() * 0.9999999L
               ? 1
               : INFINITY;
  if (std::isinf(rounded))
    return std::fabs(value) == std::numeric_limits<Real>::max() ? 1 : INFINITY;
  Real size = std::fabs(rounded);
  Real unit = size < std::numeric_limits<Real>::min()
                  ? std::numeric_limits<Real>::denorm_min()
                  : std::nextafter(size, Real(INFINITY)) - size;
  if (std::isinf(unit))
    unit = size - std::nextafter(size, Real(0));
  return double(std::fabs((long double)(value)-reference) / unit);
}

/// Special values, all exponents, and numbers of common magnitudes.
template <typename Real> std::vector<Real> arguments() {
  using Limits = std::numeric_limits<Real>;
  std::vector<Real> values = {0,
                              1,
                              2,
                              3,
                              Real(0.5),
                              Real(1.5),
                              Real(M_PI),
                              Real(M_PI_2),
                              Real(M_PI_4),
                              Real(M_LN2),
                              10,
                              100,
                              1000,
                              Limits::infinity(),
                              Limits::quiet_NaN(),
                              Limits::min(),
                              Limits::denorm_min(),
                              Limits::max(),
                              std::nextafter(Real(1), Real(0)),
                              std::nextafter(Real(1), Real(2)),
                              Limits::epsilon(),
                              Real(88.7228394),
                              Real(709.782712893384),
                              Real(-745.1332191019411),
                              Real(6381956970095103.0 * 0x1p797)};
  std::mt19937_64 random(20);
  for (int i = 0; i < 40000; ++i)
    values.push_back(fromBits<Real>(random()));
  std::uniform_real_distribution<double> near(0, 4), far(0, 800), large(0, 2e6);
  for (int i = 0; i < 20000; ++i)
    for (auto *from : {&near, &far, &large})
      values.push_back(Real((*from)(random)));
  // Close to multiples of a quarter turn, and to one.
  for (int i = 1; i < 4000; ++i)
    for (int j = -2; j <= 2; ++j) {
      values.push_back(Real(i * M_PI_2 * (1 + j * 1e-16)));
      values.push_back(Real(1 + j * i * 1e-9));
    }
  size_t size = values.size();
  for (size_t i = 0; i < size; ++i)
    values.push_back(-values[i]);
  return values;
}

template <typename Real, typename Function>
void checkUnary(const char *name, Function function, LongUnary reference,
                double ulps) {
  double worst = 0;
  Real at = 0;
  for (Real x : arguments<Real>()) {
    double d = distance<Real>(function(x), reference(x));
    if (!(d <= worst)) {
      worst = d;
      at = x;
    }
  }
  EXPECT_LE(worst, ulps) << name << " at " << at << ": " << function(at)
                         << ", not " << double(reference(at));
  ::testing::Test::RecordProperty(name, std::to_string(worst));
  printf("%s: %.3f\n", name, worst);
}

TEST(MathTest, UnaryDouble) {
  for (const UnaryCase &one : unaryCases)
    checkUnary<double>(one.name, one.function, one.reference, one.ulps);
}

TEST(MathTest, UnaryFloat) {
  for (const UnaryCase &one : unaryCases)
    checkUnary<float>(one.name, one.floatFunction, one.reference, 0.501);
}

template <typename Real, typename Function>
void checkBinary(const char *name, Function function, LongBinary reference,
                 double ulps) {
  std::vector<Real> values = arguments<Real>();
  std::mt19937_64 random(21);
  double worst = 0;
  Real atX = 0, atY = 0;
  auto check = [&](Real x, Real y) {
    double d = distance<Real>(function(x, y), reference(x, y));
    if (!(d <= worst)) {
      worst = d;
      atX = x;
      atY = y;
    }
  };
  for (size_t i = 0; i < 25; ++i)
    for (size_t j = 0; j < 25; ++j)
      for (int sign = 0; sign < 4; ++sign)
        check(sign & 1 ? -values[i] : values[i],
              sign & 2 ? -values[j] : values[j]);
  for (int i = 0; i < 150000; ++i)
    check(values[random() % values.size()], values[random() % values.size()]);
  std::uniform_real_distribution<double> base(0, 3), power(-400, 400);
  for (int i = 0; i < 50000; ++i)
    check(Real(base(random)), Real(power(random)));
  EXPECT_LE(worst, ulps) << name << " at " << atX << ", " << atY << ": "
                         << function(atX, atY) << ", not "
                         << double(reference(atX, atY));
  printf("%s: %.3f\n", name, worst);
}

TEST(MathTest, BinaryDouble) {
  for (const BinaryCase &one : binaryCases)
    checkBinary<double>(one.name, one.function, one.reference, one.ulps);
}

TEST(MathTest, BinaryFloat) {
  for (const BinaryCase &one : binaryCases)
    checkBinary<float>(one.name, one.floatFunction, one.reference, 0.501);
}

TEST(MathTest, Scaling) {
  for (double x : {1.0, -1.75, 0x1.fffffffffffffp+1023, 0x1p-1074,
                   0x1.8000000000001p-1022, 0.0, -0.0, double(INFINITY)})
    for (int n = -2200; n <= 2200; ++n) {
      ASSERT_EQ(sluice_ldexp(x, n), std::ldexp(x, n)) << x << ", " << n;
      ASSERT_EQ(sluice_ldexpf(float(x), n), std::ldexp(float(x), n))
          << x << ", " << n;
    }
}

} // namespace
