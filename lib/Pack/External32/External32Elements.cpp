//===- External32Elements.cpp - Converting basic types --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops over consecutive numbers, and long double, which may have one of
// three formats: x87 extended, quad, or double.
//
//===----------------------------------------------------------------------===//

#include "External32Elements.h"

#include <bit>
#include <cfloat>
#include <cstring>
#include <cwchar>
#include <limits>

using namespace sluice::pack;
using farc::PrimitiveDatatype;

static ElementConversion reverse(int64_t bytes, int parts = 1) {
  return {Conversion::Reverse, int8_t(parts), int8_t(bytes), int8_t(bytes)};
}

/// An integer C type with `external` bytes in external32.
template <typename CType> static ElementConversion integer(int external) {
  if (sizeof(CType) == size_t(external))
    return reverse(external);
  return {std::numeric_limits<CType>::is_signed ? Conversion::NarrowSigned
                                                : Conversion::NarrowUnsigned,
          1, int8_t(sizeof(CType)), int8_t(external)};
}

static ElementConversion longDouble(int parts) {
  if (LDBL_MANT_DIG == 113)
    return reverse(16, parts);
  return {Conversion::LongDouble, int8_t(parts), int8_t(sizeof(long double)),
          16};
}

ElementConversion
sluice::pack::conversionOf(PrimitiveDatatype::PrimitiveType type) {
  switch (type) {
  case PrimitiveDatatype::LONG:
    return integer<long>(4);
  case PrimitiveDatatype::UNSIGNED_LONG:
    return integer<unsigned long>(4);
  case PrimitiveDatatype::WCHAR: {
    // UTF-16 code units: not negative, whatever the sign of wchar_t.
    ElementConversion how = integer<wchar_t>(2);
    if (how.conversion == Conversion::NarrowSigned)
      how.conversion = Conversion::NarrowUnsigned;
    return how;
  }
  case PrimitiveDatatype::LONG_DOUBLE:
    return longDouble(1);
  case PrimitiveDatatype::C_LONG_DOUBLE_COMPLEX:
    return longDouble(2);
  case PrimitiveDatatype::C_FLOAT_COMPLEX:
  case PrimitiveDatatype::FORTRAN_COMPLEX:
  case PrimitiveDatatype::COMPLEX8:
    return reverse(4, 2);
  case PrimitiveDatatype::C_DOUBLE_COMPLEX:
  case PrimitiveDatatype::FORTRAN_DOUBLE_COMPLEX:
  case PrimitiveDatatype::COMPLEX16:
    return reverse(8, 2);
  case PrimitiveDatatype::COMPLEX32:
    return reverse(16, 2);
  default:
    return reverse(PrimitiveDatatype(type).getSize());
  }
}

template <typename Word> static Word reversed(Word word) {
  if constexpr (sizeof(Word) == 2)
    return __builtin_bswap16(word);
  else if constexpr (sizeof(Word) == 4)
    return __builtin_bswap32(word);
  else
    return __builtin_bswap64(word);
}

/// Big-endian memory and a number.
template <typename Word> static Word loadBig(const std::byte *from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return std::endian::native == std::endian::little ? reversed(word) : word;
}
template <typename Word> static void storeBig(std::byte *to, Word word) {
  if (std::endian::native == std::endian::little)
    word = reversed(word);
  std::memcpy(to, &word, sizeof word);
}

/// A loop that compilers vectorise with wide shuffles.
template <typename Word>
static void reverseWords(const std::byte *in, int64_t count, std::byte *out) {
  for (int64_t i = 0; i != count; ++i) {
    Word word;
    std::memcpy(&word, in + i * int64_t(sizeof word), sizeof word);
    word = reversed(word);
    std::memcpy(out + i * int64_t(sizeof word), &word, sizeof word);
  }
}

static void reverseQuads(const std::byte *in, int64_t count, std::byte *out) {
  for (int64_t i = 0; i != count; ++i) {
    uint64_t halves[2];
    std::memcpy(halves, in + i * 16, 16);
    uint64_t swapped[2] = {reversed(halves[1]), reversed(halves[0])};
    std::memcpy(out + i * 16, swapped, 16);
  }
}

void sluice::pack::reverseBytes(int64_t width, const std::byte *in,
                                int64_t count, std::byte *out) {
  if (width == 1 || std::endian::native == std::endian::big) {
    if (in != out && count != 0)
      std::memcpy(out, in, size_t(count * width));
    return;
  }
  if (width == 2)
    return reverseWords<uint16_t>(in, count, out);
  if (width == 4)
    return reverseWords<uint32_t>(in, count, out);
  if (width == 8)
    return reverseWords<uint64_t>(in, count, out);
  reverseQuads(in, count, out);
}

//===----------------------------------------------------------------------===//
// Integers of another width
//===----------------------------------------------------------------------===//

template <typename Native, typename External>
static int64_t narrow(const std::byte *in, int64_t count, std::byte *out) {
  for (int64_t i = 0; i != count; ++i) {
    Native value;
    std::memcpy(&value, in + i * int64_t(sizeof value), sizeof value);
    if (Native(External(value)) != value)
      return i;
    storeBig(out + i * int64_t(sizeof(External)),
             std::make_unsigned_t<External>(value));
  }
  return count;
}

template <typename Native, typename External>
static void widen(const std::byte *in, int64_t count, std::byte *out) {
  using Unsigned = std::make_unsigned_t<External>;
  for (int64_t i = 0; i != count; ++i) {
    auto value =
        Native(External(loadBig<Unsigned>(in + i * int64_t(sizeof(External)))));
    std::memcpy(out + i * int64_t(sizeof value), &value, sizeof value);
  }
}

//===----------------------------------------------------------------------===//
// Long double
//===----------------------------------------------------------------------===//

static constexpr uint16_t exponentMask = 0x7FFF;
static constexpr uint64_t integerBit = uint64_t(1) << 63;
/// The lowest bit of the quad's high half that belongs to the exponent.
static constexpr int highFractionBits = 48;
static constexpr uint64_t highFractionMask =
    (uint64_t(1) << highFractionBits) - 1;
/// The number of additional fraction bits of a quad compared to an extended
/// number.
static constexpr int extraBits = 112 - 63;

Quad sluice::pack::quadOf(Extended number) {
  uint16_t exponent = number.head & exponentMask;
  uint64_t fraction = number.mantissa & ~integerBit;
  bool hasInteger = number.mantissa & integerBit;
  uint16_t head = number.head;
  if (exponent == 0 && hasInteger)
    head = uint16_t(head | 1); // As large as the smallest normal number.
  if (exponent != 0 && !hasInteger) {
    // The processor treats these as invalid operands: not a number.
    head = uint16_t(head | exponentMask);
    fraction |= integerBit >> 1;
  }
  return {uint64_t(head) << highFractionBits | fraction >> (63 - 48),
          fraction << extraBits};
}

Extended sluice::pack::extendedOf(Quad number) {
  auto head = uint16_t(number.high >> highFractionBits);
  uint16_t exponent = head & exponentMask;
  uint64_t fraction =
      (number.high & highFractionMask) << (63 - 48) | number.low >> extraBits;
  uint64_t rest = number.low & ((uint64_t(1) << extraBits) - 1);
  if (exponent == exponentMask) {
    bool isNaN = (number.high & highFractionMask) | number.low;
    if (isNaN && fraction == 0)
      fraction = integerBit >> 1;
    return {head, integerBit | fraction};
  }
  uint64_t half = uint64_t(1) << (extraBits - 1);
  bool roundUp = rest > half || (rest == half && (fraction & 1));
  uint64_t mantissa = (exponent ? integerBit : 0) | fraction;
  if (!roundUp)
    return {head, mantissa};
  ++mantissa;
  // A carry out of the fraction results in the next power of two: the smallest
  // normal number, or the next exponent, which may be infinity.
  if (exponent == 0 && (mantissa & integerBit))
    return {uint16_t(head + 1), mantissa};
  if (mantissa == 0)
    return {uint16_t(head + 1), integerBit};
  return {head, mantissa};
}

/// Converts a double to the extended number with the same value.
static Extended widened(double value) {
  auto bits = std::bit_cast<uint64_t>(value);
  auto sign = uint16_t((bits >> 63) << 15);
  auto exponent = int(bits >> 52 & 0x7FF);
  uint64_t fraction = bits << 12 >> 1;
  if (exponent == 0x7FF)
    return {uint16_t(sign | exponentMask), integerBit | fraction};
  if (exponent != 0)
    return {uint16_t(sign | (exponent - 1023 + 16383)), integerBit | fraction};
  if (fraction == 0)
    return {sign, 0};
  int shift = std::countl_zero(fraction);
  return {uint16_t(sign | (1 - 1023 + 16383 - shift)), fraction << shift};
}

Quad sluice::pack::quadOf(double value) { return quadOf(widened(value)); }

double sluice::pack::doubleOf(Quad number) {
  auto head = uint16_t(number.high >> highFractionBits);
  uint64_t sign = uint64_t(head >> 15) << 63;
  int exponent = (head & exponentMask) - 16383 + 1023;
  uint64_t fraction = (number.high & highFractionMask) << 15 | number.low >> 49;
  bool hasMore = number.low << 15;
  constexpr uint64_t infinity = uint64_t(0x7FF) << 52;
  if ((head & exponentMask) == exponentMask) {
    uint64_t kept = fraction >> 11;
    bool isNaN = fraction || hasMore;
    return std::bit_cast<double>(sign | infinity |
                                 (isNaN && !kept ? uint64_t(1) << 51 : kept));
  }
  if (exponent >= 0x7FF)
    return std::bit_cast<double>(sign | infinity);
  // The top 64 bits, with the last one set if any lower bit is set.
  uint64_t mantissa = integerBit | fraction | hasMore;
  int shift = exponent > 0 ? 11 : 12 - exponent;
  if (shift > 64)
    return std::bit_cast<double>(sign);
  uint64_t kept = shift == 64 ? 0 : mantissa >> shift;
  uint64_t rest = shift == 64 ? mantissa : mantissa << (64 - shift);
  kept += rest > integerBit || (rest == integerBit && (kept & 1));
  // The integer bit and a carry of the rounding both add to the exponent.
  uint64_t below = exponent > 0 ? uint64_t(exponent - 1) << 52 : 0;
  return std::bit_cast<double>(sign | (below + kept));
}

static constexpr bool isExtended = LDBL_MANT_DIG == 64;

static Quad quadOfMemory(const std::byte *in) {
  if constexpr (isExtended) {
    Extended number;
    std::memcpy(&number.mantissa, in, 8);
    std::memcpy(&number.head, in + 8, 2);
    return quadOf(number);
  }
  double value;
  std::memcpy(&value, in, sizeof value);
  return quadOf(value);
}

static void storeQuad(Quad quad, std::byte *out) {
  if constexpr (isExtended) {
    Extended number = extendedOf(quad);
    std::memcpy(out, &number.mantissa, 8);
    std::memcpy(out + 8, &number.head, 2);
    std::memset(out + 10, 0, sizeof(long double) - 10);
    return;
  }
  double value = doubleOf(quad);
  std::memcpy(out, &value, sizeof value);
}

static void longDoublesToQuads(const std::byte *in, int64_t count,
                               std::byte *out) {
  for (int64_t i = 0; i != count; ++i) {
    Quad quad = quadOfMemory(in + i * int64_t(sizeof(long double)));
    storeBig(out + i * 16, quad.high);
    storeBig(out + i * 16 + 8, quad.low);
  }
}

static void quadsToLongDoubles(const std::byte *in, int64_t count,
                               std::byte *out) {
  for (int64_t i = 0; i != count; ++i)
    storeQuad(
        {loadBig<uint64_t>(in + i * 16), loadBig<uint64_t>(in + i * 16 + 8)},
        out + i * int64_t(sizeof(long double)));
}

//===----------------------------------------------------------------------===//
// Choosing the loop
//===----------------------------------------------------------------------===//

int64_t sluice::pack::toExternal32(const ElementConversion &how,
                                   const std::byte *in, int64_t count,
                                   std::byte *out) {
  switch (how.conversion) {
  case Conversion::Reverse:
    reverseBytes(how.nativeBytes, in, count, out);
    return count;
  case Conversion::NarrowSigned:
    return narrow<int64_t, int32_t>(in, count, out);
  case Conversion::NarrowUnsigned:
    return how.externalBytes == 2 ? narrow<uint32_t, uint16_t>(in, count, out)
                                  : narrow<uint64_t, uint32_t>(in, count, out);
  case Conversion::LongDouble:
    longDoublesToQuads(in, count, out);
    return count;
  }
  return count;
}

void sluice::pack::fromExternal32(const ElementConversion &how,
                                  const std::byte *in, int64_t count,
                                  std::byte *out) {
  switch (how.conversion) {
  case Conversion::Reverse:
    return reverseBytes(how.nativeBytes, in, count, out);
  case Conversion::NarrowSigned:
    return widen<int64_t, int32_t>(in, count, out);
  case Conversion::NarrowUnsigned:
    return how.externalBytes == 2 ? widen<uint32_t, uint16_t>(in, count, out)
                                  : widen<uint64_t, uint32_t>(in, count, out);
  case Conversion::LongDouble:
    return quadsToLongDoubles(in, count, out);
  }
}
