//===- Copy.h - Copies of one block, by class of size ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers turn constant-size memcpy into the widest moves of the instruction
// set. Sizes that are not powers of two are covered by two overlapping moves,
// so that a few classes handle all sizes without branches. Every copy reads and
// writes only the block.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_COPY_H
#define SLUICE_LIB_PACK_KERNELS_COPY_H

#include "Variant.h"

namespace sluice::pack::kernels::SLUICE_PACK_VARIANT {

template <int N> static inline void copyBytes(Byte *out, const Byte *in) {
  __builtin_memcpy(out, in, N);
}

/// Blocks of exactly N bytes.
template <int N> struct Exactly {
  static constexpr int64_t width = N;
  /// The size of the block if it is known in advance.
  static constexpr int64_t size(int64_t) { return N; }
  static inline void copy(Byte *out, const Byte *in, int64_t) {
    copyBytes<N>(out, in);
  }
};

/// Blocks of W to 2 W bytes.
template <int W> struct Overlapping {
  static constexpr int64_t width = W;
  static constexpr int64_t size(int64_t size) { return size; }
  static inline void copy(Byte *out, const Byte *in, int64_t size) {
    copyBytes<W>(out, in);
    copyBytes<W>(out + size - W, in + size - W);
  }
};

/// Blocks of 64 to 96 bytes.
struct LineAndHalf {
  static constexpr int64_t width = 64;
  static constexpr int64_t size(int64_t size) { return size; }
  static inline void copy(Byte *out, const Byte *in, int64_t size) {
    copyBytes<64>(out, in);
    copyBytes<32>(out + size - 32, in + size - 32);
  }
};

/// Blocks of 128 bytes and more. Moves of half a cache line: only every second
/// one crosses a line, while all wider ones would.
struct Vectors {
  static constexpr int64_t width = 128;
  static constexpr int64_t size(int64_t size) { return size; }
  static inline void copy(Byte *out, const Byte *in, int64_t size) {
#pragma clang loop unroll_count(8)
    for (int64_t i = 0; i < size - 32; i += 32)
      copyBytes<32>(out + i, in + i);
    copyBytes<32>(out + size - 32, in + size - 32);
  }
};

/// Blocks that fill the first-level cache; for these the C library is as fast.
struct Large {
  static constexpr int64_t width = 32768;
  static constexpr int64_t size(int64_t size) { return size; }
  static inline void copy(Byte *out, const Byte *in, int64_t size) {
    __builtin_memcpy(out, in, static_cast<size_t>(size));
  }
};

/// `User::get<Class>()` with the class for `size`.
template <class User> static inline OpFunctions forSize(int64_t size) {
  switch (size) {
  case 1:
    return User::template get<Exactly<1>>();
  case 2:
    return User::template get<Exactly<2>>();
  case 4:
    return User::template get<Exactly<4>>();
  case 8:
    return User::template get<Exactly<8>>();
  case 12:
    return User::template get<Exactly<12>>();
  case 16:
    return User::template get<Exactly<16>>();
  case 24:
    return User::template get<Exactly<24>>();
  case 32:
    return User::template get<Exactly<32>>();
  case 40:
    return User::template get<Exactly<40>>();
  case 48:
    return User::template get<Exactly<48>>();
  case 64:
    return User::template get<Exactly<64>>();
  case 128:
    return User::template get<Exactly<128>>();
  }
  if (size < 4)
    return User::template get<Overlapping<2>>();
  if (size < 8)
    return User::template get<Overlapping<4>>();
  if (size < 16)
    return User::template get<Overlapping<8>>();
  if (size < 32)
    return User::template get<Overlapping<16>>();
  if (size < 64)
    return User::template get<Overlapping<32>>();
  if (size <= 96)
    return User::template get<LineAndHalf>();
  if (size < 128)
    return User::template get<Overlapping<64>>();
  if (size < Large::width)
    return User::template get<Vectors>();
  return User::template get<Large>();
}

/// A block of a size known only at run time.
static inline void copyAny(Byte *out, const Byte *in, int64_t size) {
  if (size >= 128)
    return size < Large::width ? Vectors::copy(out, in, size)
                               : Large::copy(out, in, size);
  if (size >= 64)
    return Overlapping<64>::copy(out, in, size);
  if (size >= 32)
    return Overlapping<32>::copy(out, in, size);
  if (size >= 16)
    return Overlapping<16>::copy(out, in, size);
  if (size >= 8)
    return Overlapping<8>::copy(out, in, size);
  if (size >= 4)
    return Overlapping<4>::copy(out, in, size);
  if (size >= 2)
    return Overlapping<2>::copy(out, in, size);
  if (size == 1)
    *out = *in;
}

} // namespace sluice::pack::kernels::SLUICE_PACK_VARIANT

#endif // SLUICE_LIB_PACK_KERNELS_COPY_H
