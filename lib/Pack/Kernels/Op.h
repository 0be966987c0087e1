//===- Op.h - The components of ready-made kernels ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ready-made kernel is a tree of ops. An op copies `count` instances of one
// form at a constant distance; its data follows it in a struct derived from Op.
// Files compiled for one instruction set see only these plain structs, so that
// nothing they instantiate leaks into other code.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_OP_H
#define SLUICE_LIB_PACK_KERNELS_OP_H

#include <cstddef>
#include <cstdint>

namespace sluice::pack::kernels {

using Byte = std::byte;

class StreamingWriter;

/// The smallest unit that systems map. A load may extend to the end of the page
/// of a used byte, and across gaps shorter than a page; other parts that a
/// layout leaves out may not be mapped at all.
constexpr int64_t pageSize = 4096;

/// The memory that a call may access besides the bytes it copies.
struct Limits {
  /// All used bytes and all loads are before this address.
  const Byte *inEnd;
  /// Pack only: bytes before outEnd that belong to later parts of the packed
  /// stream may be overwritten, because they are written afterwards.
  Byte *outEnd;
  /// Unpack only: write blocks around the caches.
  bool storesLines = false;
  /// Pack only: if not null, packed bytes go to the stream and `out` is
  /// ignored; only ops called through packPart use it.
  StreamingWriter *stream = nullptr;
};

struct Op;
using OpFunction = void (*)(const Op &op, const Byte *in, int64_t count,
                            Byte *out, const Limits &limits);

/// A pair of functions; several threads may call both at the same time.
struct OpFunctions {
  OpFunction pack;
  OpFunction unpack;
};

/// `count` instances of a form, `stride` bytes apart.
struct Op {
  OpFunctions functions;
  /// Packs into a stream instances that are too large to be staged at once;
  /// null if the op cannot be divided.
  OpFunction packStreamed = nullptr;
  /// Packs around the caches without staging, or null. `out` must be aligned to
  /// a cache line, and `count` must be a multiple of `lineGroup`, the number of
  /// instances that fill whole lines.
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
  /// The blocks of one row.
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

/// Each instance consists of `parts`, one after another.
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
  /// BlocksOp with a stride equal to its size.
  OpFunctions bytes;
  /// BlocksOp of blocks of `size` bytes.
  OpFunctions (*blocks)(int64_t size);
  /// Op::packLines of blocks that consist of whole lines.
  OpFunction blockLines;
  /// RowsOp of blocks of `size` bytes: row by row, or in tiles that process
  /// several rows together.
  OpFunctions (*rows)(int64_t size);
  OpFunctions (*tiles)(int64_t size);
  /// IndexedOp of blocks of `size` bytes.
  OpFunctions (*indexed)(int64_t size, bool wide);
  /// RunsOp with a longest run of `longest` bytes.
  OpFunctions (*runs)(int64_t longest, bool wide);
  /// Copies whole cache lines around the caches; `out` is aligned to them.
  void (*storeLines)(Byte *out, const Byte *in, int64_t size);
  /// Makes such lines visible to other threads like ordinary stores.
  void (*fenceLines)();
};

extern const FunctionTable baselineFunctions;
#if defined(__x86_64__)
extern const FunctionTable avx2Functions;
extern const FunctionTable avx512Functions;
#endif

} // namespace sluice::pack::kernels

#endif // SLUICE_LIB_PACK_KERNELS_OP_H
