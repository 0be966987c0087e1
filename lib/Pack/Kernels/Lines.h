//===- Lines.h - Cache lines written around the caches --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Non-temporal stores with the maximum width of the instruction set.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_LINES_H
#define SLUICE_LIB_PACK_KERNELS_LINES_H

#include "Variant.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace sluice::pack::kernels::SLUICE_PACK_VARIANT {

constexpr int64_t lineSize = 64;

/// One cache line; `out` is aligned to it.
static inline void storeLine(Byte *out, const Byte *in) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i *>(out), _mm512_loadu_si512(in));
#elif defined(__SSE2__)
  for (int64_t i = 0; i < lineSize; i += 16)
    _mm_stream_si128(
        reinterpret_cast<__m128i *>(out + i),
        _mm_loadu_si128(reinterpret_cast<const __m128i *>(in + i)));
#else
  __builtin_memcpy(out, in, lineSize);
#endif
}

} // namespace sluice::pack::kernels::SLUICE_PACK_VARIANT

#endif // SLUICE_LIB_PACK_KERNELS_LINES_H
