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
#include "Lines.h"

using namespace sluice::pack::kernels;
using namespace sluice::pack::kernels::SLUICE_PACK_VARIANT;

namespace {

/// How far a loop moves on each side.
struct BlockSteps {
  int64_t in;
  int64_t out;
};

/// Whether blocks so far apart meet in few sets of the caches, whatever their
/// number, and so always come from afar.
static inline bool meetInCaches(int64_t step) {
  return step % 1024 == 0 && step != 0;
}

/// Whether each block is on a page of its own. Loads of whole cache lines then
/// take up to twice as long as two of half a line (measured on Zen 4): they are
/// repeated when the page's place becomes known.
static inline bool changesPages(int64_t step) {
  constexpr int64_t pageSize = 4096;
  return step >= pageSize || step <= -pageSize;
}

/// Block by block, by halves of cache lines; blocks of at least one line.
template <class Class>
static void copyRowByHalfLines(const Byte *in, Byte *out, int64_t count,
                               BlockSteps steps, int64_t size) {
  constexpr int64_t half = lineSize / 2;
#pragma clang loop unroll(disable) vectorize(disable)
  for (int64_t i = 0; i < count; ++i) {
    const int64_t last = size - half;
#pragma clang loop unroll(full)
    for (int64_t done = 0; done < Class::width; done += half) {
      copyBytes<half>(out + done, in + done);
      // Keeps the compiler from joining the halves.
      asm volatile("" ::: "memory");
    }
    if constexpr (Class::size(0) != Class::width) {
      if (last > Class::width)
        copyBytes<half>(out + last - half, in + last - half);
      copyBytes<half>(out + last, in + last);
    }
    in += steps.in;
    out += steps.out;
  }
}

/// Block by block, word by word.
template <class Class>
static void copyRowByWords(const Byte *in, Byte *out, int64_t count,
                           BlockSteps steps) {
  constexpr int64_t word = 8;
#pragma clang loop unroll(disable) vectorize(disable)
  for (int64_t i = 0; i < count; ++i) {
#pragma clang loop unroll(full)
    for (int64_t done = 0; done < Class::width; done += word) {
      copyBytes<word>(out + done, in + done);
      // Keeps the compiler from joining the words.
      asm volatile("" ::: "memory");
    }
    in += steps.in;
    out += steps.out;
  }
}

template <class Class> constexpr bool isSomeWords() {
  return Class::size(0) == Class::width && Class::width % 8 == 0 &&
         Class::width > 8 && Class::width < 64;
}

/// Small blocks need many instructions in flight. Large and distant ones need
/// the processor to foresee their addresses, which it does by instruction: one
/// loop body finds the distance sooner than eight copies of it.
template <class Class>
static inline void copyRow(const Byte *in, Byte *out, int64_t count,
                           BlockSteps steps, int64_t size) {
  if constexpr (isSomeWords<Class>())
    if (meetInCaches(steps.in))
      return copyRowByWords<Class>(in, out, count, steps);
  if constexpr (Class::width == 64 || Class::size(0) == 128)
    if (changesPages(steps.in) || changesPages(steps.out))
      return copyRowByHalfLines<Class>(in, out, count, steps, size);
  if (Class::width >= 32 || meetInCaches(steps.in) || meetInCaches(steps.out)) {
#pragma clang loop unroll(disable) vectorize(disable)
    for (int64_t i = 0; i < count; ++i) {
      Class::copy(out, in, size);
      in += steps.in;
      out += steps.out;
    }
  } else {
#pragma clang loop unroll_count(8) vectorize(disable)
    for (int64_t i = 0; i < count; ++i) {
      Class::copy(out, in, size);
      in += steps.in;
      out += steps.out;
    }
  }
}

/// Blocks of so many cache lines, all of them aligned, past the caches. Each
/// load has an instruction of its own, which thus sees one distance.
template <int lines>
static void copyFewLines(const Byte *in, Byte *out, int64_t count,
                         BlockSteps steps) {
  for (int64_t i = 0; i < count; ++i) {
#pragma clang loop unroll(full)
    for (int line = 0; line < lines; ++line)
      storeLine(out + line * lineSize, in + line * lineSize);
    in += steps.in;
    out += steps.out;
  }
}

static inline void copyLines(const Byte *in, Byte *out, int64_t count,
                             BlockSteps steps, int64_t size) {
  switch (size) {
  case lineSize:
    return copyFewLines<1>(in, out, count, steps);
  case 2 * lineSize:
    return copyFewLines<2>(in, out, count, steps);
  case 3 * lineSize:
    return copyFewLines<3>(in, out, count, steps);
  case 4 * lineSize:
    return copyFewLines<4>(in, out, count, steps);
  }
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t done = 0; done < size; done += lineSize)
      storeLine(out + done, in + done);
    in += steps.in;
    out += steps.out;
  }
}

/// Like copyRow for blocks of several cache lines: those that a block fills go
/// past the caches.
static void copyRowInLines(const Byte *in, Byte *out, int64_t count,
                           BlockSteps steps, int64_t size) {
  if ((reinterpret_cast<uintptr_t>(out) | uintptr_t(steps.out) |
       uintptr_t(size)) %
          uintptr_t(lineSize) ==
      0)
    return copyLines(in, out, count, steps, size);
  for (int64_t i = 0; i < count; ++i) {
    auto misalignment = reinterpret_cast<uintptr_t>(out) % uintptr_t(lineSize);
    int64_t done = misalignment == 0 ? 0 : lineSize - int64_t(misalignment);
    if (done != 0)
      copyAny(out, in, done);
    for (; done + lineSize <= size; done += lineSize)
      storeLine(out + done, in + done);
    if (done != size)
      copyAny(out + done, in + done, size - done);
    in += steps.in;
    out += steps.out;
  }
}

template <class Class>
static inline void copyRowOut(const Byte *in, Byte *out, int64_t count,
                              BlockSteps steps, int64_t size,
                              const Limits &limits) {
  if constexpr (Class::width >= 64)
    if (limits.storesLines) [[unlikely]]
      return copyRowInLines(in, out, count, steps, size);
  // Memory takes parts of its lines faster as several stores: lines on their
  // way in are then waited for less often.
  if constexpr (isSomeWords<Class>())
    if (limits.storesLines) [[unlikely]]
      return copyRowByWords<Class>(in, out, count, steps);
  copyRow<Class>(in, out, count, steps, size);
}

template <class Class> struct Blocks {
  static void pack(const Op &op, const Byte *in, int64_t count, Byte *out,
                   const Limits &) {
    int64_t size = Class::size(op.size);
    copyRow<Class>(in, out, count, {op.stride, size}, size);
  }
  static void unpack(const Op &op, const Byte *in, int64_t count, Byte *out,
                     const Limits &limits) {
    int64_t size = Class::size(op.size);
    copyRowOut<Class>(in, out, count, {size, op.stride}, size, limits);
  }
};

template <class Class> struct Rows {
  static void pack(const Op &op, const Byte *in, int64_t count, Byte *out,
                   const Limits &) {
    auto &rows = static_cast<const RowsOp &>(op);
    int64_t size = Class::size(rows.blockSize);
    for (int64_t i = 0; i < count; ++i) {
      copyRow<Class>(in, out, rows.rowCount, {rows.rowStride, size}, size);
      in += op.stride;
      out += op.size;
    }
  }
  static void unpack(const Op &op, const Byte *in, int64_t count, Byte *out,
                     const Limits &limits) {
    auto &rows = static_cast<const RowsOp &>(op);
    int64_t size = Class::size(rows.blockSize);
    for (int64_t i = 0; i < count; ++i) {
      copyRowOut<Class>(in, out, rows.rowCount, {size, rows.rowStride}, size,
                        limits);
      in += op.size;
      out += op.stride;
    }
  }
};

/// Rows whose blocks lie near those of the next rows, as in a transpose. As
/// many lines of the source as blocks share a cache line are read side by side,
/// each in order, which processors fetch ahead; the destination gets a cache
/// line at a time, whatever the distance of the lines, as stores need not be
/// waited for. The other way round is as fast while all is cached, and three
/// times as slow when it is not.
template <class Class> struct Tiles {
  static constexpr int64_t height = Class::width >= 32 ? 2
                                    : Class::width < 4 ? 16
                                                       : 64 / Class::width;

  static void copy(const Byte *in, Byte *out, int64_t size, int64_t lines,
                   BlockSteps line, int64_t length, BlockSteps along) {
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
                              BlockSteps line, int64_t length,
                              BlockSteps along) {
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
    copy(in, out, size, rows.rowCount, {rows.rowStride, size}, count,
         {op.stride, op.size});
  }
  static void unpack(const Op &op, const Byte *in, int64_t count, Byte *out,
                     const Limits &) {
    auto &rows = static_cast<const RowsOp &>(op);
    int64_t size = Class::size(rows.blockSize);
    copy(in, out, size, count, {op.size, op.stride}, rows.rowCount,
         {size, rows.rowStride});
  }
};

template <template <class> class Shape> struct FunctionsOf {
  template <class Class> static OpFunctions get() {
    return {Shape<Class>::pack, Shape<Class>::unpack};
  }
};

} // namespace

namespace sluice::pack::kernels::SLUICE_PACK_VARIANT {
void copy(Byte *out, const Byte *in, int64_t size) { copyAny(out, in, size); }
void bytes(const Op &op, const Byte *in, int64_t count, Byte *out,
           const Limits &) {
  copyAny(out, in, count * op.size);
}
OpFunctions blocks(int64_t size) { return forSize<FunctionsOf<Blocks>>(size); }
void blockLines(const Op &op, const Byte *in, int64_t count, Byte *out,
                const Limits &) {
  copyLines(in, out, count, {op.stride, op.size}, op.size);
}
OpFunctions rows(int64_t size) { return forSize<FunctionsOf<Rows>>(size); }
OpFunctions tiles(int64_t size) { return forSize<FunctionsOf<Tiles>>(size); }
} // namespace sluice::pack::kernels::SLUICE_PACK_VARIANT
