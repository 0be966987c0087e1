//===- Indexed.cpp - Blocks of one size at listed places ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scalar loop over the table beats the processors' gather instructions;
// tables of 32-bit offsets halve what is read besides the data. Compiled once
// per instruction set.
//
//===----------------------------------------------------------------------===//

#include "Copy.h"

using namespace sluice::pack::kernels;
using namespace sluice::pack::kernels::SLUICE_PACK_VARIANT;

namespace {

template <class Class, class Offset> struct Indexed {
  static void pack(const Op &op, const Byte *in, int64_t count, Byte *out,
                   const Limits &) {
    auto &indexed = static_cast<const IndexedOp &>(op);
    auto *offsets = static_cast<const Offset *>(indexed.offsets);
    int64_t places = indexed.places, size = Class::size(indexed.blockSize);
    for (int64_t i = 0; i < count; ++i, in += op.stride) {
#pragma clang loop unroll_count(8) vectorize(disable)
      for (int64_t place = 0; place < places; ++place) {
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

template <class Offset> struct FunctionsOf {
  template <class Class> static OpFunctions get() {
    return {Indexed<Class, Offset>::pack, Indexed<Class, Offset>::unpack};
  }
};

} // namespace

namespace sluice::pack::kernels::SLUICE_PACK_VARIANT {
OpFunctions indexed(int64_t size, bool wide) {
  return wide ? forSize<FunctionsOf<int64_t>>(size)
              : forSize<FunctionsOf<int32_t>>(size);
}
} // namespace sluice::pack::kernels::SLUICE_PACK_VARIANT
