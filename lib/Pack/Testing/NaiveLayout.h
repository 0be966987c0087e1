//===- NaiveLayout.h - Layouts as lists of bytes, for tests ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle for tests of forms: a layout is the list of the offsets of its
// bytes in pack order, and each operation is applied literally to the list.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_TESTING_NAIVELAYOUT_H
#define SLUICE_LIB_PACK_TESTING_NAIVELAYOUT_H

#include "sluice/Pack/Form.h"

#include <random>

namespace sluice::pack::naive {

/// The offset of each byte.
using Bytes = std::vector<int64_t>;

inline Bytes block(int64_t size) {
  Bytes bytes(static_cast<size_t>(size));
  for (size_t i = 0; i != bytes.size(); ++i)
    bytes[i] = int64_t(i);
  return bytes;
}

inline void append(Bytes &bytes, const Bytes &part, int64_t offset) {
  for (int64_t place : part)
    bytes.push_back(place + offset);
}

inline Bytes repeat(const Bytes &part, int64_t count, int64_t stride) {
  Bytes bytes;
  for (int64_t i = 0; i != count; ++i)
    append(bytes, part, i * stride);
  return bytes;
}

inline Bytes placeAt(const Bytes &part, const std::vector<int64_t> &offsets) {
  Bytes bytes;
  for (int64_t offset : offsets)
    append(bytes, part, offset);
  return bytes;
}

/// The same layout in both representations.
struct Pair {
  PlacedForm placed;
  Bytes bytes;
};

/// A random layout, built by up to `depth` nested operations. Offsets may
/// repeat unless `disjoint`.
class Generator {
public:
  explicit Generator(uint64_t seed, bool disjoint = false)
      : random(seed), disjoint(disjoint) {}

  Pair layout(int depth);
  int64_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

private:
  Pair repeated(int depth);
  Pair listed(int depth);
  Pair chained(int depth);
  /// A stride at which copies of `pair` do not overlap, if required.
  int64_t stride(const Pair &pair);

  std::mt19937_64 random;
  bool disjoint;
};

inline int64_t Generator::stride(const Pair &pair) {
  const Form &form = *pair.placed.form;
  int64_t span = form.high - form.low;
  int64_t gap = number(0, 3) == 0 ? number(0, 40) : 4 * number(0, 2);
  int64_t stride = span + gap;
  if (!disjoint && number(0, 3) == 0)
    return number(-64, 64);
  return number(0, 4) == 0 ? -stride : stride;
}

inline Pair Generator::repeated(int depth) {
  Pair inner = layout(depth - 1);
  int64_t count = number(0, 8), step = stride(inner);
  return {pack::repeat(inner.placed, count, step),
          repeat(inner.bytes, count, step)};
}

inline Pair Generator::listed(int depth) {
  Pair inner = layout(depth - 1);
  std::vector<int64_t> offsets;
  int64_t offset = number(-100, 100), step = std::abs(stride(inner));
  for (int64_t n = number(0, 9); n != 0; --n) {
    offsets.push_back(offset);
    offset += step + (number(0, 2) ? 0 : 4 * number(0, 3));
  }
  return {pack::placeAt(inner.placed, offsets), placeAt(inner.bytes, offsets)};
}

inline Pair Generator::chained(int depth) {
  std::vector<PlacedForm> parts;
  Bytes bytes;
  int64_t end = number(-50, 50);
  Pair part = layout(depth - 1);
  for (int64_t n = number(0, 4); n != 0; --n) {
    if (number(0, 2))
      part = layout(depth - 1);
    PlacedForm placed = part.placed;
    int64_t shift = end - placed.offset - placed.form->low + 4 * number(0, 2);
    placed.offset += shift;
    append(bytes, part.bytes, shift);
    parts.push_back(placed);
    end = placed.offset + placed.form->high;
  }
  return {pack::sequence(parts), std::move(bytes)};
}

inline Pair Generator::layout(int depth) {
  int64_t choice = depth == 0 ? 0 : number(0, 9);
  if (choice == 0) {
    int64_t size = number(0, 2) ? int64_t(1) << number(0, 4) : number(0, 20);
    return {{0, blockForm(size)}, block(size)};
  }
  return choice <= 4 ? repeated(depth)
                     : (choice <= 7 ? listed(depth) : chained(depth));
}

} // namespace sluice::pack::naive

#endif // SLUICE_LIB_PACK_TESTING_NAIVELAYOUT_H
