//===- LanesTest.cpp - Math functions of leaves compared with libm --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the leaf sources for the host, in one program with fused operations
// and in one without. The reference is libm's long double, which has eleven
// more bits.
//
//===----------------------------------------------------------------------===//

#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#define LANES(name)                                                            \
  extern "C" double sluice_lanes_##name(double);                               \
  extern "C" float sluice_lanes_##name##f(float);
LANES(exp)
LANES(exp2)
LANES(log)
LANES(log2)
LANES(log10)
LANES(tanh)
LANES(erf)
LANES(erfc)
LANES(sin)
LANES(cos)
LANES(tan)
#undef LANES
extern "C" float sluice_lanes_powf(float, float);
extern "C" double sluice_lanes_pow(double, double);

namespace {
constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float noNumber = std::numeric_limits<float>::quiet_NaN();

/// The error in units in the last place of the type. Infinite if one value is
/// NaN or infinite and the other is not the same.
template <typename T> double ulps(T found, long double expected) {
  using Limits = std::numeric_limits<T>;
  const T rounded = T(expected);
  if (std::isnan(expected) || std::isnan(found))
    return std::isnan(expected) && std::isnan(found) ? 0 : infinite;
  if (std::isinf(rounded) || std::isinf(found))
    return rounded == found ? 0 : infinite;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  exponent = std::max(exponent, Limits::min_exponent);
  return double(fabsl(found - expected) / ldexpl(1, exponent - Limits::digits));
}

template <typename T> struct Function {
  const char *name;
  T (*function)(T);
  long double (*reference)(long double);
  double maxUlps;
};

#define FUNCTION(name, maxUlps)                                                \
  { #name, sluice_lanes_##name, name##l, maxUlps }
#define FUNCTION_FLOAT(name, maxUlps)                                          \
  { #name "f", sluice_lanes_##name##f, name##l, maxUlps }
const Function<float> floatFunctions[] = {
    FUNCTION_FLOAT(exp, 1.1),   FUNCTION_FLOAT(exp2, 0.6),
    FUNCTION_FLOAT(log, 0.9),   FUNCTION_FLOAT(log2, 0.6),
    FUNCTION_FLOAT(log10, 0.6), FUNCTION_FLOAT(tanh, 2.5),
    FUNCTION_FLOAT(erf, 2.6),   FUNCTION_FLOAT(sin, 0.6),
    FUNCTION_FLOAT(cos, 0.6),   FUNCTION_FLOAT(tan, 0.6),
    FUNCTION_FLOAT(erfc, 4.2)};
const Function<double> doubleFunctions[] = {
    FUNCTION(exp, 1.2),  FUNCTION(exp2, 1.1),  FUNCTION(log, 0.9),
    FUNCTION(log2, 0.9), FUNCTION(log10, 0.9), FUNCTION(tanh, 2.5),
    FUNCTION(erf, 2.6),  FUNCTION(sin, 0.9),   FUNCTION(cos, 0.9),
    FUNCTION(tan, 2.5),  FUNCTION(erfc, 4.2)};

/// Whether the processor has the instructions that this program needs.
bool isRunnable() {
#ifdef SLUICE_FMA
  return __builtin_cpu_supports("fma");
#else
  return true;
#endif
}
} // namespace

TEST(Lanes, FloatsHaveTheStatedErrors) {
  if (!isRunnable())
    GTEST_SKIP() << "this processor has no fused operations";
  for (const auto &[name, function, reference, maxUlps] : floatFunctions) {
    // A prime step, so that all exponents and all low bits occur.
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 4099) {
      float x = std::bit_cast<float>(uint32_t(bits));
      ASSERT_LE(ulps(function(x), reference(x)), maxUlps)
          << name << " of " << std::hexfloat << x;
    }
    for (float x : {0.0f, -0.0f, 1.0f, -1.0f, infinite, -infinite, noNumber})
      EXPECT_LE(ulps(function(x), reference(x)), maxUlps)
          << name << " of " << x;
  }
}

TEST(Lanes, DoublesHaveTheStatedErrors) {
  if (!isRunnable())
    GTEST_SKIP() << "this processor has no fused operations";
  for (const auto &[name, function, reference, maxUlps] : doubleFunctions) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> small(-25, 25), large(-1100, 1100);
    for (int i = 0; i != 400000; ++i) {
      double x = i % 4 == 0   ? std::bit_cast<double>(random())
                 : i % 4 == 1 ? large(random)
                 : i % 4 == 2
                     ? small(random)
                     : 1 + std::ldexp(small(random), -int(random() % 60));
      ASSERT_LE(ulps(function(x), reference(x)), maxUlps)
          << name << " of " << std::hexfloat << x;
    }
    for (float x : {0.0f, -0.0f, 1.0f, -1.0f, infinite, -infinite, noNumber})
      EXPECT_LE(ulps(function(x), reference(x)), maxUlps)
          << name << " of " << x;
  }
}

TEST(Lanes, ZerosKeepTheirSign) {
  if (!isRunnable())
    GTEST_SKIP() << "this processor has no fused operations";
  EXPECT_TRUE(std::signbit(sluice_lanes_tanhf(-0.0f)));
  EXPECT_TRUE(std::signbit(sluice_lanes_tanh(-0.0)));
  EXPECT_TRUE(std::signbit(sluice_lanes_erff(-0.0f)));
  EXPECT_TRUE(std::signbit(sluice_lanes_erf(-0.0)));
  EXPECT_FALSE(std::signbit(sluice_lanes_logf(1.0f)));
}

/// Numbers for which the standard defines special results, or that are near to
/// a change of behaviour.
const double special[] = {0.0,        -0.0,   1.0,     -1.0,     infinite,
                          -infinite,  2.0,    -2.0,    noNumber, 3.0,
                          -3.0,       0.5,    -0.5,    2.5,      -7.0,
                          1e30,       -1e38,  1e-40,   -1e-40,   16777215.0,
                          16777216.0, 0x1p53, 0x1p-60, 0x1p54,   0x1.fffffep-1};

template <typename T, typename Bits>
void checkPowers(T (*power)(T, T), double maxUlps) {
  if (!isRunnable())
    GTEST_SKIP() << "this processor has no fused operations";
  auto check = [&](T x, T y) {
    const T found = power(x, y);
    ASSERT_LE(ulps(found, powl(x, y)), maxUlps)
        << std::hexfloat << x << " to the power of " << y;
    if (found == 0)
      EXPECT_EQ(std::signbit(found), std::signbit(std::pow(x, y)))
          << std::hexfloat << x << " to the power of " << y;
  };
  for (double x : special)
    for (double y : special)
      check(T(x), T(y));
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> fraction(1, 2), exponent(-128, 128);
  for (int i = 0; i != 1000000; ++i) {
    if (i % 3 == 0)
      check(std::bit_cast<T>(Bits(random())), std::bit_cast<T>(Bits(random())));
    else if (i % 3 == 1)
      check(T(std::ldexp(fraction(random), int(random() % 16) - 8)),
            T(exponent(random)));
    else
      check(T(1 + std::ldexp(fraction(random), -20)),
            T(1e5 * exponent(random)));
  }
}

TEST(Lanes, PowersOfFloats) {
  checkPowers<float, uint32_t>(sluice_lanes_powf, 0.6);
}

TEST(Lanes, PowersOfDoubles) {
  checkPowers<double, uint64_t>(sluice_lanes_pow, 0.9);
}
