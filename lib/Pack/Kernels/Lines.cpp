//===- Lines.cpp - Cache lines written around the caches ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of Lines.h for the stream. Compiled once per instruction set.
//
//===----------------------------------------------------------------------===//

#include "Lines.h"

namespace sluice::pack::kernels::SLUICE_PACK_VARIANT {

void storeLines(Byte *out, const Byte *in, int64_t size) {
  for (int64_t i = 0; i < size; i += lineSize)
    storeLine(out + i, in + i);
}

void fenceLines() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

} // namespace sluice::pack::kernels::SLUICE_PACK_VARIANT
