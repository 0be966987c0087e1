//===- External32Test.cpp - Tests of the portable representation ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests sizes of MPI 3.1's table 13.2, explicit byte patterns, long double
// against the compiler's own quad arithmetic, and values that do not fit.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/External32.h"

#include "External32Elements.h"
#include "sluice/Pack/Datatype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace sluice::pack;
using namespace farc;
using P = PrimitiveDatatype;

namespace {

/// Packs and returns the bytes as hexadecimal digits.
std::string packed(const Datatype &type, const void *in, int64_t count = 1) {
  std::vector<unsigned char> out(size_t(external32Size(type, count)) + 1, 0xEE);
  int64_t position = 0;
  packExternal32(type, in, count, out.data(), int64_t(out.size()) - 1,
                 position);
  EXPECT_EQ(position, int64_t(out.size()) - 1);
  EXPECT_EQ(out.back(), 0xEE);
  out.pop_back();
  std::string text;
  for (unsigned char byte : out) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

template <typename Value>
std::string packedValue(P::PrimitiveType type, Value value) {
  return packed(P(type), &value);
}

TEST(External32Test, SizesAreThoseOfTheStandard) {
  auto expectSize = [](int64_t size,
                       std::initializer_list<P::PrimitiveType> types) {
    for (P::PrimitiveType type : types)
      EXPECT_EQ(external32Size(type), size) << P::getName(type);
  };
  expectSize(1,
             {P::BYTE, P::CHAR, P::SIGNED_CHAR, P::UNSIGNED_CHAR, P::C_BOOL,
              P::INT8, P::UINT8, P::PACKED, P::FORTRAN_CHARACTER, P::INTEGER1});
  expectSize(2, {P::SHORT, P::UNSIGNED_SHORT, P::WCHAR, P::INT16, P::UINT16,
                 P::INTEGER2, P::REAL2});
  expectSize(4, {P::INT, P::UNSIGNED, P::LONG, P::UNSIGNED_LONG, P::FLOAT,
                 P::INT32, P::UINT32, P::FORTRAN_INTEGER, P::FORTRAN_REAL,
                 P::FORTRAN_LOGICAL, P::INTEGER4, P::REAL4});
  expectSize(8, {P::DOUBLE, P::LONG_LONG, P::UNSIGNED_LONG_LONG, P::INT64,
                 P::UINT64, P::AINT, P::COUNT, P::OFFSET, P::C_FLOAT_COMPLEX,
                 P::FORTRAN_DOUBLE_PRECISION, P::FORTRAN_COMPLEX, P::INTEGER8,
                 P::REAL8, P::COMPLEX8});
  expectSize(16, {P::LONG_DOUBLE, P::C_DOUBLE_COMPLEX, P::INTEGER16, P::REAL16,
                  P::FORTRAN_DOUBLE_COMPLEX, P::COMPLEX16});
  expectSize(32, {P::C_LONG_DOUBLE_COMPLEX, P::COMPLEX32});
}

TEST(External32Test, NumbersAreBigEndian) {
  EXPECT_EQ(packedValue(P::CHAR, char(0x12)), "12");
  EXPECT_EQ(packedValue(P::C_BOOL, true), "01");
  EXPECT_EQ(packedValue(P::SHORT, short(0x1234)), "1234");
  EXPECT_EQ(packedValue(P::INT, 0x12345678), "12345678");
  EXPECT_EQ(packedValue(P::INT, -2), "fffffffe");
  EXPECT_EQ(packedValue(P::LONG_LONG, 0x123456789abcdef0LL),
            "123456789abcdef0");
  EXPECT_EQ(packedValue(P::FLOAT, 1.0f), "3f800000");
  EXPECT_EQ(packedValue(P::DOUBLE, -2.0), "c000000000000000");
  float complexFloat[2] = {1.0f, -2.0f};
  EXPECT_EQ(packed(P(P::C_FLOAT_COMPLEX), complexFloat), "3f800000c0000000");
  double complexDouble[2] = {1.0, -2.0};
  EXPECT_EQ(packed(P(P::C_DOUBLE_COMPLEX), complexDouble),
            "3ff0000000000000c000000000000000");
}

TEST(External32Test, LongHasFourBytes) {
  EXPECT_EQ(packedValue(P::LONG, -2L), "fffffffe");
  EXPECT_EQ(packedValue(P::LONG, 0x7fffffffL), "7fffffff");
  EXPECT_EQ(packedValue(P::UNSIGNED_LONG, 0xfffffffeUL), "fffffffe");
  unsigned char in[4] = {0xff, 0xff, 0xff, 0xfe};
  long value = 0;
  int64_t position = 0;
  unpackExternal32(P(P::LONG), in, 4, position, &value, 1);
  EXPECT_EQ(value, -2);
  unsigned long positive = 0;
  position = 0;
  unpackExternal32(P(P::UNSIGNED_LONG), in, 4, position, &positive, 1);
  EXPECT_EQ(positive, 0xfffffffeUL);
}

TEST(External32Test, WideCharactersHaveTwoBytes) {
  wchar_t text[3] = {L'A', L'\x20AC', L'\xFFFD'}, back[3] = {};
  EXPECT_EQ(packed(P(P::WCHAR), text, 3), "004120acfffd");
  unsigned char in[6] = {0x00, 0x41, 0x20, 0xac, 0xff, 0xfd};
  int64_t position = 0;
  unpackExternal32(P(P::WCHAR), in, 6, position, back, 3);
  EXPECT_EQ(std::memcmp(back, text, sizeof text), 0);
}

std::string errorOf(const Datatype &type, const void *in, int64_t count) {
  std::byte out[256];
  int64_t position = 0;
  try {
    packExternal32(type, in, count, out, sizeof out, position);
  } catch (const Error &error) {
    EXPECT_EQ(position, 0);
    return error.what();
  }
  return "";
}

TEST(External32Test, ValuesThatDoNotFitAreErrors) {
  if (sizeof(long) == 4)
    GTEST_SKIP() << "long has 4 bytes here, so all values fit";
  long values[3] = {1, 2, long(int64_t(1) << 31)};
  EXPECT_EQ(errorOf(P(P::LONG), values, 3),
            "pack external32: the long 2147483648 at byte 16 of the buffer "
            "does not fit in the 4 bytes that external32 has for it");
  values[1] = long(int64_t(-1) << 31) - 1;
  EXPECT_EQ(errorOf(P(P::LONG), values, 3),
            "pack external32: the long -2147483649 at byte 8 of the buffer "
            "does not fit in the 4 bytes that external32 has for it");
  unsigned long large = ~0UL;
  EXPECT_EQ(errorOf(P(P::UNSIGNED_LONG), &large, 1),
            "pack external32: the unsigned_long 18446744073709551615 at byte "
            "0 of the buffer does not fit in the 4 bytes that external32 has "
            "for it");
  wchar_t emoji = wchar_t(0x1F600);
  EXPECT_EQ(errorOf(P(P::WCHAR), &emoji, 1),
            "pack external32: the wchar 128512 at byte 0 of the buffer does "
            "not fit in the 2 bytes that external32 has for it");
}

TEST(External32Test, BuffersTooSmallAreErrorsAndStayUntouched) {
  int values[2] = {1, 2};
  unsigned char out[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  int64_t position = 2;
  try {
    packExternal32(P(P::INT), values, 2, out, 8, position);
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.getKind(), Error::TRUNCATED);
    EXPECT_STREQ(error.what(), "pack external32: 8 bytes from position 2 do "
                               "not fit in a buffer of 8 bytes");
  }
  EXPECT_EQ(position, 2);
  EXPECT_EQ(out[2], 9);
  EXPECT_THROW(unpackExternal32(P(P::INT), out, 7, position, values, 2), Error);
  position = -1;
  EXPECT_THROW(unpackExternal32(P(P::INT), out, 8, position, values, 1), Error);
  position = 0;
  EXPECT_THROW(packExternal32(P(P::INT), values, -1, out, 8, position), Error);
  EXPECT_THROW(external32Size(P(P::DOUBLE), INT64_MAX / 2), Error);
}

TEST(External32Test, DerivedTypesFollowTheirElements) {
  struct Record {
    double mass;
    int id;
    long stamp;
  } records[2] = {{1.0, 7, -1}, {-2.0, 8, 5}};
  P real(P::DOUBLE), integer(P::INT), stamp(P::LONG);
  const Datatype *types[] = {&real, &integer, &stamp};
  int64_t lengths[] = {1, 1, 1};
  int64_t places[] = {offsetof(Record, mass), offsetof(Record, id),
                      offsetof(Record, stamp)};
  StructDatatype record(3, lengths, places, types);
  EXPECT_EQ(external32Size(record, 2), 32);
  EXPECT_EQ(packed(record, records, 2), "3ff0000000000000"
                                        "00000007"
                                        "ffffffff"
                                        "c000000000000000"
                                        "00000008"
                                        "00000005");
}

TEST(External32Test, SizesTakeNoTimeOfElements) {
  // A long has 4 bytes in external32.
  auto types = parseDatatypes("ctg(1000000)[vec(3000000 1 2)[struct("
                              "0,1[long] 8,3[char])]]");
  ASSERT_EQ(types.size(), 1u);
  EXPECT_EQ(external32Size(*types.front(), 2),
            2 * INT64_C(1000000) * 3000000 * (4 + 3));
  const int64_t most = INT64_MAX / (INT64_C(3000000000000) * 7);
  EXPECT_GT(external32Size(*types.front(), most), 0);
  EXPECT_THROW(external32Size(*types.front(), most + 1), Error);
}

TEST(External32Test, StridedTypesKeepTheirGaps) {
  // More than one cache-sized piece, for each direction.
  P integer(P::INT);
  VectorDatatype vector(20000, 1, 2, &integer);
  std::vector<int> in(40000), back(40000, -1);
  for (size_t i = 0; i != in.size(); ++i)
    in[i] = int(i * 2654435761u);
  std::vector<std::byte> out(80000);
  int64_t position = 0;
  packExternal32(vector, in.data(), 1, out.data(), 80000, position);
  ASSERT_EQ(position, 80000);
  for (size_t i = 0; i != 20000; ++i) {
    uint32_t word;
    std::memcpy(&word, out.data() + i * 4, 4);
    ASSERT_EQ(__builtin_bswap32(word), uint32_t(in[2 * i]));
  }
  position = 0;
  unpackExternal32(vector, out.data(), 80000, position, back.data(), 1);
  for (size_t i = 0; i + 1 < 40000; i += 2) {
    ASSERT_EQ(back[i], in[i]);
    ASSERT_EQ(back[i + 1], -1);
  }
}

TEST(External32Test, PositionsAccumulate) {
  int number = 1;
  double real = 2;
  unsigned char out[13] = {};
  int64_t position = 1;
  packExternal32(P(P::INT), &number, 1, out, 13, position);
  packExternal32(P(P::DOUBLE), &real, 1, out, 13, position);
  EXPECT_EQ(position, 13);
  number = 0;
  real = 0;
  position = 1;
  unpackExternal32(P(P::INT), out, 13, position, &number, 1);
  unpackExternal32(P(P::DOUBLE), out, 13, position, &real, 1);
  EXPECT_EQ(number, 1);
  EXPECT_EQ(real, 2);
}

TEST(External32Test, NothingIsNoError) {
  int64_t position = 0;
  packExternal32(P(P::INT), nullptr, 0, nullptr, 0, position);
  unpackExternal32(P(P::LONG), nullptr, 0, position, nullptr, 0);
  EXPECT_EQ(position, 0);
}

TEST(External32Test, LongDoublesAreQuads) {
  EXPECT_EQ(packedValue(P::LONG_DOUBLE, 1.0L),
            "3fff0000000000000000000000000000");
  EXPECT_EQ(packedValue(P::LONG_DOUBLE, -1.5L),
            "bfff8000000000000000000000000000");
  EXPECT_EQ(
      packedValue(P::LONG_DOUBLE, std::numeric_limits<long double>::infinity()),
      "7fff0000000000000000000000000000");
  long double pair[2] = {0.0L, -0.0L};
  EXPECT_EQ(packed(P(P::C_LONG_DOUBLE_COMPLEX), pair),
            "00000000000000000000000000000000"
            "80000000000000000000000000000000");
}

#if defined(__x86_64__)

Quad quadBits(__float128 value) {
  uint64_t halves[2];
  std::memcpy(halves, &value, 16);
  return {halves[1], halves[0]};
}
__float128 quadValue(Quad quad) {
  uint64_t halves[2] = {quad.low, quad.high};
  __float128 value;
  std::memcpy(&value, halves, 16);
  return value;
}
Extended extendedBits(long double value) {
  Extended bits;
  std::memcpy(&bits.mantissa, &value, 8);
  std::memcpy(&bits.head, reinterpret_cast<const char *>(&value) + 8, 2);
  return bits;
}
long double extendedValue(Extended bits) {
  long double value = 0;
  std::memcpy(&value, &bits.mantissa, 8);
  std::memcpy(reinterpret_cast<char *>(&value) + 8, &bits.head, 2);
  return value;
}

/// Exponents at the limits are as likely as all others together.
uint16_t anyHead(std::mt19937_64 &random) {
  auto sign = uint16_t(random() & 0x8000);
  switch (random() % 4) {
  case 0:
    return uint16_t(sign | random() % 3);
  case 1:
    return uint16_t(sign | (0x7FFF - random() % 3));
  case 2: // Around the smallest and the largest double.
    return uint16_t(
        sign | (16383 + (random() % 2 ? 1020 : -1080) + int(random() % 70)));
  default:
    return uint16_t(random());
  }
}

TEST(External32Test, ExtendedToQuadIsWhatTheCompilerDoes) {
  std::mt19937_64 random(1);
  for (int i = 0; i != 200000; ++i) {
    Extended number{anyHead(random), random()};
    if (random() % 8 == 0)
      number.mantissa &= ~uint64_t(0) << random() % 64;
    uint16_t exponent = number.head & 0x7FFF;
    if (exponent != 0)
      number.mantissa |= uint64_t(1) << 63;
    else
      number.mantissa &= ~(uint64_t(1) << 63);
    Quad quad = quadOf(number);
    long double value = extendedValue(number);
    if (std::isnan(value)) {
      EXPECT_TRUE(quadValue(quad) != quadValue(quad));
      continue;
    }
    Quad expected = quadBits(__float128(value));
    ASSERT_EQ(quad.high, expected.high)
        << number.head << " " << number.mantissa;
    ASSERT_EQ(quad.low, expected.low) << number.head << " " << number.mantissa;
    Extended back = extendedOf(quad);
    ASSERT_EQ(back.head, number.head);
    ASSERT_EQ(back.mantissa, number.mantissa);
  }
}

Quad anyQuad(std::mt19937_64 &random) {
  Quad quad{random() & 0xFFFFFFFFFFFF, random()};
  switch (random() % 4) {
  case 0: // Ties and their neighbours.
    quad.low = (quad.low & (~uint64_t(0) << 49)) + (uint64_t(1) << 48) +
               random() % 3 - 1;
    break;
  case 1: // Carries.
    quad.high |= 0xFFFFFFFFFFFF;
    quad.low |= ~uint64_t(0) << 49;
    break;
  case 2:
    quad.low &= ~uint64_t(0) << random() % 64;
    break;
  }
  quad.high |= uint64_t(anyHead(random)) << 48;
  return quad;
}

TEST(External32Test, QuadToExtendedRoundsAsTheCompilerDoes) {
  std::mt19937_64 random(2);
  for (int i = 0; i != 200000; ++i) {
    Quad quad = anyQuad(random);
    Extended number = extendedOf(quad);
    __float128 value = quadValue(quad);
    if (value != value) {
      EXPECT_TRUE(std::isnan(extendedValue(number)));
      continue;
    }
    Extended expected = extendedBits((long double)(value));
    ASSERT_EQ(number.head, expected.head) << quad.high << " " << quad.low;
    ASSERT_EQ(number.mantissa, expected.mantissa)
        << quad.high << " " << quad.low;
  }
}

TEST(External32Test, QuadToDoubleRoundsAsTheCompilerDoes) {
  std::mt19937_64 random(3);
  for (int i = 0; i != 200000; ++i) {
    Quad quad = anyQuad(random);
    if (random() % 2) // Ties of doubles.
      quad.low = (uint64_t(1) << 59) | (random() % 2 << 60) | random() % 2;
    double number = doubleOf(quad);
    __float128 value = quadValue(quad);
    if (value != value) {
      EXPECT_TRUE(std::isnan(number));
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint64_t>(number),
              std::bit_cast<uint64_t>(double(value)))
        << quad.high << " " << quad.low;
    Quad back = quadOf(number);
    Quad expected = quadBits(__float128(number));
    ASSERT_EQ(back.high, expected.high);
    ASSERT_EQ(back.low, expected.low);
  }
}

TEST(External32Test, WhatTheProcessorCallsInvalidIsNotANumber) {
  // An exponent with a clear integer bit.
  Quad quad = quadOf(Extended{0x4000, 0x1234});
  EXPECT_TRUE(quadValue(quad) != quadValue(quad));
  // The integer bit set without an exponent: the smallest normal number.
  quad = quadOf(Extended{0, uint64_t(1) << 63});
  EXPECT_EQ((long double)(quadValue(quad)),
            std::numeric_limits<long double>::min());
}

#endif

} // namespace
