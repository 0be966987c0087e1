//===- Reductions.h - Calls from kernels that reduce and scan -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each chunk of a node with reductions has its own copy of the memory into
// which its instances fold. The number of chunks alone decides which copies are
// joined with which, so results are the same for any number of workers. A chunk
// of a node with scans has the elements of its instances, and the total of all
// elements up to and including its own. Only generated code calls these
// functions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_REDUCTIONS_H
#define SLUICE_C_REDUCTIONS_H

#include "sluice-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Folds `from` into `into`. Both are copies of the node whose values are in
/// `frame`.
typedef void (*SluiceCombine)(const unsigned char *frame, void *into,
                              const void *from);

/// The copies of one run of a node. Those of chunk k are the `size` bytes at
/// `copies + k * size`, and the chunk has the instances from k * chunkUnits on.
/// `flags` has one entry for each chunk; all flags and the counter `next` are 0
/// before and after the run.
typedef struct SluiceCopies {
  unsigned char *copies; ///< of all chunks
  uint64_t size;         ///< bytes of a copy
  uint64_t numChunks;    ///< chunks of the node
  unsigned char *flags;  ///< see above; null: one thread fills all, in order
  uint64_t *next;        ///< see above
  uint64_t chunkUnits;   ///< instances of a chunk
  uint64_t numUnits;     ///< instances of the node
} SluiceCopies;

/// Instances are divided evenly among chunks. If that makes at least twice as
/// many for a chunk as this, it gets a multiple of this number, so that chunks
/// begin and end with whole vectors. Chunks of scans get any number.
enum { SLUICE_CHUNK_STEP = 32 };

/// Called when the copy of `chunk` holds the results of the chunks from there
/// on, `numChunks` of them or as many as there are. `numChunks` is a power of
/// two that divides `chunk`; it is 1 where the order of operations matters.
/// Joins copies as the leaves of a binary tree, as far as both halves are
/// complete: `first` with `first + width`, where `width` is a power of two that
/// divides `first` into an even number of parts. Returns the copy with the
/// total to the caller that ends last, and null to all others.
SLUICE_EXPORT void *sluiceJoinChunks(const SluiceCopies *copies, uint64_t chunk,
                                     uint64_t numChunks,
                                     const unsigned char *frame,
                                     SluiceCombine combine);

/// Parts of a chunk that was scanned alone.
enum { SLUICE_JOIN_COPY = 0, SLUICE_JOIN_ELEMENTS = 1 };

/// Folds the total of all chunks before `chunk`, which is in the previous
/// chunk's copy, into a part of `chunk`.
typedef void (*SluiceJoin)(const unsigned char *frame,
                           const SluiceCopies *copies, uint64_t chunk,
                           uint32_t part);

/// Returns the next chunk to run. Chunks begin in order, whichever worker runs
/// them.
SLUICE_EXPORT uint64_t sluiceTakeChunk(const SluiceCopies *copies);

/// Whether all chunks before `chunk` have completed. Then the copy of the
/// previous chunk holds their total. The first chunk has no previous chunk.
SLUICE_EXPORT uint32_t sluiceIsBehind(const SluiceCopies *copies,
                                      uint64_t chunk);

/// Called when the elements of chunk `chunk` contain their scan, and its copy
/// holds their total or, with `isBehind`, the total including all previous
/// chunks. Otherwise the later of this chunk and the previous one joins them.
SLUICE_EXPORT void sluiceEndScan(const SluiceCopies *copies, uint64_t chunk,
                                 uint32_t isBehind, const unsigned char *frame,
                                 SluiceJoin join);

/// Checked runs: from now on the `size` bytes at `copy` stand for the bytes at
/// `memory`, into which they will be folded.
SLUICE_EXPORT void sluiceCheckReduction(const void *copy, const void *memory,
                                        uint64_t size);

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_REDUCTIONS_H
