//===- Stream.h - Packed bytes on their way past the caches ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed data larger than the caches should not push out what is in them, nor
// be read before it is written. Ops write into a small staging buffer in the
// order of the stream; full cache lines leave it by non-temporal stores. It is
// small so that loads of the next bytes and stores of the last ones overlap.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_STREAM_H
#define SLUICE_LIB_PACK_KERNELS_STREAM_H

#include "Op.h"

namespace sluice::pack::kernels {

class Stream {
public:
  explicit Stream(Byte *out);
  /// Writes out what is left and makes it visible to other threads.
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  /// Packs `count` instances.
  void pack(const Op &op, const Byte *in, int64_t count, const Limits &limits);
  /// Consecutive bytes, any number.
  void write(const Byte *in, int64_t size);

  /// An instance of more bytes than this is cut, if its op can be.
  static constexpr int64_t largestPiece = 512;

private:
  /// Lets `op` write what fits into the buffer's free part.
  void stage(const Op &op, const Byte *in, int64_t count, const Limits &limits);
  /// Moves full cache lines out and the rest to the buffer's begin.
  void drain();
  /// Moves everything out, by ordinary stores.
  void flush();

  static constexpr int64_t line = 64;
  static constexpr int64_t capacity = 1024;

  Byte *out;
  /// Staged bytes are [begin, end) of the buffer. `begin` has the alignment of
  /// `out` within a cache line.
  int64_t begin;
  int64_t end;
  alignas(64) Byte buffer[capacity + 2 * line];
};

/// Packs `count` instances of a part of an op: into the stream if there is one.
inline void packPart(const Op &op, const Byte *in, int64_t count, Byte *out,
                     const Limits &limits) {
  if (limits.stream)
    return limits.stream->pack(op, in, count, limits);
  op.functions.pack(op, in, count, out, limits);
}

} // namespace sluice::pack::kernels

#endif // SLUICE_LIB_PACK_KERNELS_STREAM_H
