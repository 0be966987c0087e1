//===- Indexed.cpp - Blocks of one size at listed offsets -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scalar loop over the table is faster than the processors' gather
// instructions; tables of 32-bit offsets halve the additional data to read.
// Compiled once per instruction set.
//
//===----------------------------------------------------------------------===//

#include "Copy.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

using namespace sluice::pack::kernels;
using namespace sluice::pack::kernels::SLUICE_PACK_VARIANT;

namespace {

#if defined(__AVX2__)
/// Four blocks of 4 or 8 bytes per store, since stores are the bottleneck.
constexpr int64_t collected = 4;
template <int W, class Offset>
static inline void collect(Byte *out, const Byte *in, const Offset *offsets) {
  if constexpr (W == 8) {
    auto from = [&](int i) {
      return reinterpret_cast<const double *>(in + offsets[i]);
    };
    __m128d low = _mm_loadh_pd(_mm_load_sd(from(0)), from(1));
    __m128d high = _mm_loadh_pd(_mm_load_sd(from(2)), from(3));
    _mm256_storeu_pd(reinterpret_cast<double *>(out),
                     _mm256_set_m128d(high, low));
  } else {
    auto from = [&](int i) {
      int value;
      __builtin_memcpy(&value, in + offsets[i], sizeof(value));
      return value;
    };
    __m128i all = _mm_cvtsi32_si128(from(0));
    all = _mm_insert_epi32(all, from(1), 1);
    all = _mm_insert_epi32(all, from(2), 2);
    all = _mm_insert_epi32(all, from(3), 3);
    _mm_storeu_si128(reinterpret_cast<__m128i *>(out), all);
  }
}

/// Copies as many blocks as can be collected; returns their number.
template <class Class, class Offset>
static inline int64_t packCollected(Byte *out, const Byte *in,
                                    const Offset *offsets, int64_t places) {
  int64_t place = 0;
  if constexpr (Class::size(0) == 4 || Class::size(0) == 8) {
#pragma clang loop unroll_count(2) vectorize(disable)
    for (; place + collected <= places; place += collected) {
      collect<Class::width>(out, in, offsets + place);
      out += collected * Class::width;
    }
  }
  return place;
}
#else
template <class Class, class Offset>
static inline int64_t packCollected(Byte *, const Byte *, const Offset *,
                                    int64_t) {
  return 0;
}
#endif

template <class Class, class Offset> struct Indexed {
  static void pack(const Op &op, const Byte *in, int64_t count, Byte *out,
                   const Limits &) {
    auto &indexed = static_cast<const IndexedOp &>(op);
    auto *offsets = static_cast<const Offset *>(indexed.offsets);
    int64_t places = indexed.places, size = Class::size(indexed.blockSize);
    for (int64_t i = 0; i < count; ++i, in += op.stride) {
      int64_t place = packCollected<Class>(out, in, offsets, places);
      out += place * size;
#pragma clang loop unroll_count(8) vectorize(disable)
      for (; place < places; ++place) {
        Class::copy(out, in + offsets[place], size);
        out += size;
      }
    }
  }
  static void unpack(const Op &op, const Byte *in, int64_t count, Byte *out,
                     const Limits &) {
    auto &indexed = static_cast<const IndexedOp &>(op);
    auto *offsets = static_cast<const Offset *>(indexed.offsets);
    int64_t places = indexed.places, size = Class::size(indexed.blockSize);
    for (int64_t i = 0; i < count; ++i, out += op.stride) {
#pragma clang loop unroll_count(8) vectorize(disable)
      for (int64_t place = 0; place < places; ++place) {
        Class::copy(out + offsets[place], in, size);
        in += size;
      }
    }
  }
};

template <class Offset> struct IndexedFunctions {
  template <class Class> static OpFunctions get() {
    return {Indexed<Class, Offset>::pack, Indexed<Class, Offset>::unpack};
  }
};

} // namespace

namespace sluice::pack::kernels::SLUICE_PACK_VARIANT {
OpFunctions indexed(int64_t size, bool wide) {
  return wide ? forSize<IndexedFunctions<int64_t>>(size)
              : forSize<IndexedFunctions<int32_t>>(size);
}
} // namespace sluice::pack::kernels::SLUICE_PACK_VARIANT
