//===- StreamingWriter.h - Packed bytes written around the caches ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed data larger than the caches should not evict other data from them, and
// memory should not be read before it is overwritten. Ops write into a staging
// buffer in stream order; whole cache lines are written from it by non-temporal
// stores.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_STREAMINGWRITER_H
#define SLUICE_LIB_PACK_KERNELS_STREAMINGWRITER_H

#include "Op.h"

namespace sluice::pack::kernels {

/// The buffer is filled in laps:
///
///   0        drained            end        lapEnd
///   |  new  ...  |   written out  |  old   ...  |
///
/// Lines leave the buffer `lag` bytes after they were filled: by then their
/// stores have reached the cache, and loading them does not wait for earlier
/// non-temporal stores.
class StreamingWriter {
public:
  StreamingWriter(Byte *out, const FunctionTable &table);
  /// Writes out the rest and makes it visible to other threads.
  ~StreamingWriter();
  StreamingWriter(const StreamingWriter &) = delete;
  StreamingWriter &operator=(const StreamingWriter &) = delete;

  /// Packs `count` instances.
  void pack(const Op &op, const Byte *in, int64_t count, const Limits &limits);
  /// Writes consecutive bytes, any number.
  void write(const Byte *in, int64_t size);

  /// The maximum size of an instance that is not divided, if its op can be.
  static constexpr int64_t maxPiece = 512;

  /// From this many bytes on, writing whole lines justifies a flush before
  /// them.
  static constexpr int64_t worthLines = 8192;

private:
  static constexpr int64_t line = 64;
  static constexpr int64_t capacity = 8192;
  static constexpr int64_t chunk = 1024;
  static constexpr int64_t lag = 1024;

  /// Packs whole lines without staging; returns the number of instances.
  int64_t packLines(const Op &op, const Byte *in, int64_t count,
                    const Limits &limits);
  void stage(const Op &op, const Byte *in, int64_t count, const Limits &limits);
  /// The destination of the next bytes of the packed stream.
  Byte *position() const;
  /// Makes room for a chunk; a new lap begins at the same offset within a cache
  /// line at which the old one ended.
  void reserve();
  /// Writes out whole lines that were filled `distance` bytes ago.
  void drain(int64_t distance);
  /// Writes out the buffer's bytes [drained, limit); `limit` is the end of a
  /// line.
  void drainUntil(int64_t limit);
  /// Writes out everything.
  void flush();
  /// The next bytes go to `out`; the buffer is empty.
  void restart();

  const FunctionTable &table;
  Byte *out;
  int64_t drained;
  int64_t end;
  /// The end of the previous lap while its last lines are in the buffer, or -1.
  int64_t lapEnd = -1;
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

#endif // SLUICE_LIB_PACK_KERNELS_STREAMINGWRITER_H
