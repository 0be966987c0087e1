//===- ListedRuns.cpp - Runs of different lengths at listed offsets -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches on the length of a run are hard to predict, so short runs are copied
// without branches: packing moves a fixed width, and the next run overwrites
// the surplus; unpacking stores with a mask if the instruction set has masks.
// Compiled once per instruction set.
//
//===----------------------------------------------------------------------===//

#include "Copy.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

using namespace sluice::pack::kernels;
using namespace sluice::pack::kernels::SLUICE_PACK_VARIANT;

namespace {

/// At most W bytes, of which only `length` must be written.
template <int W>
inline void storeExactly(Byte *out, const Byte *in, int64_t length,
                         const Byte *inEnd) {
#if defined(__AVX512BW__)
  __mmask64 mask = _bzhi_u64(~0ull, static_cast<unsigned>(length));
  _mm512_mask_storeu_epi8(out, mask, _mm512_maskz_loadu_epi8(mask, in));
#else
  copyAny(out, in, length);
#endif
}

/// Whether W bytes lie in one page. The first of them is used, so all may be
/// read, even though the layout may leave out the next page. Other threads may
/// be writing the bytes that are not packed: these are discarded, which
/// ThreadSanitizer cannot know.
template <int W> inline bool isInPage(const Byte *in) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return false;
#endif
#endif
  return reinterpret_cast<uintptr_t>(in) % uintptr_t(pageSize) <=
         uintptr_t(pageSize - W);
}

/// Runs of at most W bytes.
template <int W> struct Short {
  static inline void pack(Byte *out, const Byte *in, int64_t length,
                          const Limits &limits) {
    if (limits.inEnd - in >= W && limits.outEnd - out >= W && isInPage<W>(in))
        [[likely]]
      return copyBytes<W>(out, in);
    copyAny(out, in, length);
  }
  static inline void unpack(Byte *out, const Byte *in, int64_t length,
                            const Limits &limits) {
    storeExactly<W>(out, in, length, limits.inEnd);
  }
};

struct Any {
  static inline void pack(Byte *out, const Byte *in, int64_t length,
                          const Limits &) {
    copyAny(out, in, length);
  }
  static inline void unpack(Byte *out, const Byte *in, int64_t length,
                            const Limits &) {
    copyAny(out, in, length);
  }
};

template <class Class, class Number> struct Runs {
  static void pack(const Op &op, const Byte *in, int64_t count, Byte *out,
                   const Limits &limits) {
    auto &runs = static_cast<const RunsOp &>(op);
    auto *offsets = static_cast<const Number *>(runs.offsets);
    auto *lengths = static_cast<const Number *>(runs.lengths);
    Limits held = limits;
    for (int64_t i = 0; i < count; ++i, in += op.stride)
      for (int64_t run = 0; run < runs.runs; ++run) {
        Class::pack(out, in + offsets[run], lengths[run], held);
        out += lengths[run];
      }
  }
  static void unpack(const Op &op, const Byte *in, int64_t count, Byte *out,
                     const Limits &limits) {
    auto &runs = static_cast<const RunsOp &>(op);
    auto *offsets = static_cast<const Number *>(runs.offsets);
    auto *lengths = static_cast<const Number *>(runs.lengths);
    Limits held = limits;
    for (int64_t i = 0; i < count; ++i, out += op.stride)
      for (int64_t run = 0; run < runs.runs; ++run) {
        Class::unpack(out + offsets[run], in, lengths[run], held);
        in += lengths[run];
      }
  }
};

template <class Number> OpFunctions functionsFor(int64_t longest) {
  if (longest <= 16)
    return {Runs<Short<16>, Number>::pack, Runs<Short<16>, Number>::unpack};
  if (longest <= 32)
    return {Runs<Short<32>, Number>::pack, Runs<Short<32>, Number>::unpack};
  if (longest <= 64)
    return {Runs<Short<64>, Number>::pack, Runs<Short<64>, Number>::unpack};
  return {Runs<Any, Number>::pack, Runs<Any, Number>::unpack};
}

} // namespace

namespace sluice::pack::kernels::SLUICE_PACK_VARIANT {
OpFunctions runs(int64_t longest, bool wide) {
  return wide ? functionsFor<int64_t>(longest) : functionsFor<int32_t>(longest);
}
} // namespace sluice::pack::kernels::SLUICE_PACK_VARIANT
