//===- External32Elements.h - Converting basic types ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversion of each basic type to external32 and back: there are a few
// kinds, each with a loop over consecutive elements.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_EXTERNAL32_EXTERNAL32ELEMENTS_H
#define SLUICE_LIB_PACK_EXTERNAL32_EXTERNAL32ELEMENTS_H

#include "sluice/Pack/PrimitiveDatatype.h"

#include <cstddef>

namespace sluice::pack {

enum class Conversion : uint8_t {
  /// Reverses bytes; the same size on both sides.
  Reverse,
  /// Integers that are wider natively than in external32.
  NarrowSigned,
  NarrowUnsigned,
  /// C's long double and an IEEE quad.
  LongDouble,
};

/// The conversion of one basic type, as `parts` equal numbers: 2 if complex.
struct ElementConversion {
  Conversion conversion;
  int8_t parts;
  /// Bytes of one number natively and in external32.
  int8_t nativeBytes;
  int8_t externalBytes;

  int64_t externalSize() const { return int64_t(parts) * externalBytes; }
};

ElementConversion conversionOf(farc::PrimitiveDatatype::PrimitiveType type);

/// Converts `count` consecutive numbers (not elements). Returns the index of
/// the first number that does not fit, or `count`.
int64_t toExternal32(const ElementConversion &how, const std::byte *in,
                     int64_t count, std::byte *out);
void fromExternal32(const ElementConversion &how, const std::byte *in,
                    int64_t count, std::byte *out);

/// Reverses the bytes of each of `count` numbers. The buffers may be identical.
void reverseBytes(int64_t width, const std::byte *in, int64_t count,
                  std::byte *out);

/// An IEEE quad and an x87 extended number, as integers.
struct Quad {
  uint64_t high, low;
};
struct Extended {
  /// Sign and exponent.
  uint16_t head;
  uint64_t mantissa;
};
Quad quadOf(Extended number);
Quad quadOf(double number);
/// Round to nearest, ties to even.
Extended extendedOf(Quad number);
double doubleOf(Quad number);

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_EXTERNAL32_EXTERNAL32ELEMENTS_H
