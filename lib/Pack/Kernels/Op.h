//===- Op.h - The parts that ready-made kernels are put together from -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ready-made kernel is a tree of ops. An op copies `count` instances of one
// form, a constant distance apart; what it needs stands behind it in a struct
// derived from Op. Files compiled for one instruction set see these plain
// structs only, so that nothing they instantiate leaks into other code.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_OP_H
#define SLUICE_LIB_PACK_KERNELS_OP_H

#include <cstddef>
#include <cstdint>

namespace sluice::pack::kernels {

using Byte = std::byte;

class Stream;

/// No system maps less at once. A load may go on to the end of the page in
/// which a touched byte lies, and across gaps too short for a page; what a
/// layout leaves out beyond that may not be mapped at all.
constexpr int64_t pageSize = 4096;

/// What a call may touch besides the bytes it copies.
struct Limits {
  /// All touched bytes lie before it, and so do all loads.
  const Byte *inEnd;
  /// Pack only: bytes before outEnd that belong to later parts of the packed
  /// stream may be overwritten, as they are written afterwards.
  Byte *outEnd;
  /// Unpack only: blocks go past the caches.
  bool storesLines = false;
  /// Pack only: if not null, packed bytes go there and `out` is ignored; only
  /// ops that were asked through packPart see it.
  Stream *stream = nullptr;
};

struct Op;
using OpFunction = void (*)(const Op &op, const Byte *in, int64_t count,
                            Byte *out, const Limits &limits);

/// A pair of functions; both may be called at once from several threads.
struct OpFunctions {
  OpFunction pack;
  OpFunction unpack;
};

/// `count` instances of something, `stride` bytes apart.
struct Op {
  OpFunctions functions;
  /// Packs into a stream what is too large to be staged at once; null if the
  /// op cannot be cut.
  OpFunction packStreamed = nullptr;
  /// Packs past the caches without staging, or null: `out` is aligned to a
  /// cache line, and `count` is a multiple of `lineGroup`, which instances fill
  /// whole lines.
  OpFunction packLines = nullptr;
  int64_t lineGroup = 0;
  /// Packed bytes of one instance.
  int64_t size;
  int64_t stride;
};

/// Blocks of `size` bytes.
struct BlocksOp : Op {};

/// Each instance is `rowCount` blocks of `blockSize` bytes, `rowStride` apart.
struct RowsOp : Op {
  int64_t blockSize;
  int64_t rowCount;
  int64_t rowStride;
  /// One row's blocks alone.
  const BlocksOp *blocks;
};

/// Each instance is one block of `blockSize` bytes at each of the offsets.
/// Tables hold 32-bit numbers where all values allow it.
struct IndexedOp : Op {
  int64_t blockSize;
  int64_t places;
  const void *offsets;
  /// Whether the tables hold 64-bit numbers.
  bool wide;
};

/// Each instance is `lengths[i]` bytes at `offsets[i]`.
struct RunsOp : Op {
  int64_t runs;
  const void *offsets;
  const void *lengths;
  bool wide;
};

/// Each instance is `childCount` instances of a child.
struct LoopOp : Op {
  const Op *child;
  int64_t childCount;
};

/// Each instance is `childCount` instances of a child at each of the offsets.
struct PlacesOp : Op {
  const Op *child;
  int64_t childCount;
  int64_t places;
  const int64_t *offsets;
};

/// Each instance is `parts`, one after another.
struct SequenceOp : Op {
  struct Part {
    const Op *child;
    int64_t childCount;
    int64_t offset;
  };
  int64_t count;
  const Part *parts;
};

/// The functions compiled for one instruction set.
struct FunctionTable {
  const char *name;
  /// Consecutive bytes.
  void (*copy)(Byte *out, const Byte *in, int64_t size);
  /// BlocksOp whose stride is its size.
  OpFunctions bytes;
  /// BlocksOp of blocks of `size` bytes.
  OpFunctions (*blocks)(int64_t size);
  /// Op::packLines of blocks that are whole lines.
  OpFunction blockLines;
  /// RowsOp of blocks of `size` bytes: row by row, or in tiles that visit
  /// several rows at once.
  OpFunctions (*rows)(int64_t size);
  OpFunctions (*tiles)(int64_t size);
  /// IndexedOp of blocks of `size` bytes.
  OpFunctions (*indexed)(int64_t size, bool wide);
  /// RunsOp whose longest run has `longest` bytes.
  OpFunctions (*runs)(int64_t longest, bool wide);
  /// Copies whole cache lines past the caches; `out` is aligned to them.
  void (*storeLines)(Byte *out, const Byte *in, int64_t size);
  /// Makes such lines visible to other threads as if stored ordinarily.
  void (*fenceLines)();
};

extern const FunctionTable baselineFunctions;
#if defined(__x86_64__)
extern const FunctionTable avx2Functions;
extern const FunctionTable avx512Functions;
#endif

} // namespace sluice::pack::kernels

#endif // SLUICE_LIB_PACK_KERNELS_OP_H
