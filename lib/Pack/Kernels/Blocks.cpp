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

/// Rows whose blocks lie near those of the next rows, as in a transpose. The
/// source is read a cache line at a time, whatever the distance of the lines,
/// and goes to as many destinations as blocks share a line: each of those is
/// written in order. So packing takes some rows together and goes along them,
/// and unpacking takes some blocks of all rows together.
template <class Class> struct Tiles {
  static constexpr int64_t height = Class::width >= 32 ? 2
                                    : Class::width < 4 ? 16
                                                       : 64 / Class::width;

  static void copy(const Byte *in, Byte *out, int64_t size, int64_t lines,
                   Steps line, int64_t length, Steps along) {
    int64_t done = 0;
    for (; done + height <= lines; done += height) {
      copyTile(in, out, size, line, length, along);
      in += line.in * height;
      out += line.out * height;
    }
    for (; done < lines; ++done) {
      copyRow<Class>(in, out, length, along, size);
      in += line.in;
      out += line.out;
    }
  }
  static inline void copyTile(const Byte *in, Byte *out, int64_t size,
                              Steps line, int64_t length, Steps along) {
    for (int64_t i = 0; i < length; ++i) {
#pragma clang loop unroll(full)
      for (int64_t row = 0; row < height; ++row)
        Class::copy(out + row * line.out, in + row * line.in, size);
      in += along.in;
      out += along.out;
    }
  }
  static void pack(const Op &op, const Byte *in, int64_t count, Byte *out,
                   const Limits &) {
    auto &rows = static_cast<const RowsOp &>(op);
    int64_t size = Class::size(rows.blockSize);
    copy(in, out, size, count, {op.stride, op.size}, rows.rowCount,
         {rows.rowStride, size});
  }
  static void unpack(const Op &op, const Byte *in, int64_t count, Byte *out,
                     const Limits &) {
    auto &rows = static_cast<const RowsOp &>(op);
    int64_t size = Class::size(rows.blockSize);
    copy(in, out, size, rows.rowCount, {size, rows.rowStride}, count,
         {op.size, op.stride});
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
