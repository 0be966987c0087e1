//===- Blocks.cpp - Blocks at constant distances --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One loop, and two nested loops row by row or in tiles. Pack and unpack are
// the same code with the distances exchanged. Compiled once per instruction
// set.
//
//===----------------------------------------------------------------------===//

#include "Copy.h"

using namespace sluice::pack::kernels;
using namespace sluice::pack::kernels::SLUICE_PACK_VARIANT;

namespace {

/// How far a loop moves on each side.
struct Steps {
  int64_t in;
  int64_t out;
};

template <class Class>
static inline void copyRow(const Byte *in, Byte *out, int64_t count,
                           Steps steps, int64_t size) {
#pragma clang loop unroll_count(8) vectorize(disable)
  for (int64_t i = 0; i < count; ++i) {
    Class::copy(out, in, size);
    in += steps.in;
    out += steps.out;
  }
}

template <class Class> struct Blocks {
  static void pack(const Op &op, const Byte *in, int64_t count, Byte *out,
                   const Limits &) {
    int64_t size = Class::size(op.size);
    copyRow<Class>(in, out, count, {op.stride, size}, size);
  }
  static void unpack(const Op &op, const Byte *in, int64_t count, Byte *out,
                     const Limits &) {
    int64_t size = Class::size(op.size);
    copyRow<Class>(in, out, count, {size, op.stride}, size);
  }
};

template <class Class> struct Rows {
  static void copy(const RowsOp &op, const Byte *in, Byte *out, int64_t count,
                   Steps outer, Steps inner) {
    for (int64_t i = 0; i < count; ++i) {
      copyRow<Class>(in, out, op.rowCount, inner, op.blockSize);
      in += outer.in;
      out += outer.out;
    }
  }
  static void pack(const Op &op, const Byte *in, int64_t count, Byte *out,
                   const Limits &) {
    auto &rows = static_cast<const RowsOp &>(op);
    copy(rows, in, out, count, {op.stride, op.size},
         {rows.rowStride, Class::size(rows.blockSize)});
  }
  static void unpack(const Op &op, const Byte *in, int64_t count, Byte *out,
                     const Limits &) {
    auto &rows = static_cast<const RowsOp &>(op);
    copy(rows, in, out, count, {op.size, op.stride},
         {Class::size(rows.blockSize), rows.rowStride});
  }
};

/// Rows whose blocks lie near those of the next rows: a tile takes as many
/// rows as share a cache line and goes along them together.
template <class Class> struct Tiles {
  static constexpr int64_t height = Class::width >= 32 ? 2
                                    : Class::width < 4 ? 16
                                                       : 64 / Class::width;

  static void copy(const RowsOp &op, const Byte *in, Byte *out, int64_t count,
                   Steps outer, Steps inner) {
    int64_t done = 0;
    for (; done + height <= count; done += height) {
      copyTile(op, in, out, outer, inner);
      in += outer.in * height;
      out += outer.out * height;
    }
    for (; done < count; ++done) {
      copyRow<Class>(in, out, op.rowCount, inner, op.blockSize);
      in += outer.in;
      out += outer.out;
    }
  }
  static inline void copyTile(const RowsOp &op, const Byte *in, Byte *out,
                              Steps outer, Steps inner) {
    for (int64_t i = 0; i < op.rowCount; ++i) {
#pragma clang loop unroll(full)
      for (int64_t row = 0; row < height; ++row)
        Class::copy(out + row * outer.out, in + row * outer.in, op.blockSize);
      in += inner.in;
      out += inner.out;
    }
  }
  static void pack(const Op &op, const Byte *in, int64_t count, Byte *out,
                   const Limits &) {
    auto &rows = static_cast<const RowsOp &>(op);
    copy(rows, in, out, count, {op.stride, op.size},
         {rows.rowStride, Class::size(rows.blockSize)});
  }
  static void unpack(const Op &op, const Byte *in, int64_t count, Byte *out,
                     const Limits &) {
    auto &rows = static_cast<const RowsOp &>(op);
    copy(rows, in, out, count, {op.size, op.stride},
         {Class::size(rows.blockSize), rows.rowStride});
  }
};

template <template <class> class Shape> struct FunctionsOf {
  template <class Class> static OpFunctions get() {
    return {Shape<Class>::pack, Shape<Class>::unpack};
  }
};

} // namespace

namespace sluice::pack::kernels::SLUICE_PACK_VARIANT {
OpFunctions blocks(int64_t size) { return forSize<FunctionsOf<Blocks>>(size); }
OpFunctions rows(int64_t size) { return forSize<FunctionsOf<Rows>>(size); }
OpFunctions tiles(int64_t size) { return forSize<FunctionsOf<Tiles>>(size); }
} // namespace sluice::pack::kernels::SLUICE_PACK_VARIANT
