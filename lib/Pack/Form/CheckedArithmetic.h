//===- CheckedArithmetic.h - 64-bit arithmetic that reports overflow ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and offsets of layouts come from the user and are multiplied. Each sum
// and product is checked, so that an impossible layout is an error with its
// values and not a small number.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_FORM_CHECKEDARITHMETIC_H
#define SLUICE_LIB_PACK_FORM_CHECKEDARITHMETIC_H

#include <cstdint>
#include <limits>

namespace sluice::pack {

/// Throw farc::Error (OVERFLOW_64) that names both operands.
[[noreturn]] void throwSumOverflow(int64_t a, int64_t b);
[[noreturn]] void throwDifferenceOverflow(int64_t a, int64_t b);
[[noreturn]] void throwProductOverflow(int64_t a, int64_t b);

inline int64_t checkedAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    throwSumOverflow(a, b);
  return sum;
}

inline int64_t checkedSubtract(int64_t a, int64_t b) {
  int64_t difference;
  if (__builtin_sub_overflow(a, b, &difference))
    throwDifferenceOverflow(a, b);
  return difference;
}

inline int64_t checkedMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    throwProductOverflow(a, b);
  return product;
}

/// Both must be at least 0; the largest number represents all that do not fit.
inline int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

inline int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum)
             ? std::numeric_limits<int64_t>::max()
             : sum;
}

/// Distance from `from` to `to` modulo 2^64: sufficient to compare distances.
inline int64_t wrappedDistance(int64_t from, int64_t to) {
  return int64_t(uint64_t(to) - uint64_t(from));
}

/// The address `bytes` after `base`. MPI's layouts of absolute addresses use
/// the null pointer as a base, to which C++ may not add: so integers are added.
template <typename Byte> Byte *addressAt(Byte *base, int64_t bytes) {
  return reinterpret_cast<Byte *>(reinterpret_cast<uintptr_t>(base) +
                                  static_cast<uintptr_t>(bytes));
}

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_FORM_CHECKEDARITHMETIC_H
