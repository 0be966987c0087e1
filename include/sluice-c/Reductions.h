//===- Reductions.h - What kernels that reduce and scan call --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chunks of a node with reductions have copies of the memory into which
// their instances fold. Which copies are joined with which is decided by their
// number alone, so that results are the same for any number of workers. Those
// of a node with scans have the elements of their instances, and what all up to
// them come to. Nothing here is for people to call.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_REDUCTIONS_H
#define SLUICE_C_REDUCTIONS_H

#include "sluice-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Folds `from` into `into`, two copies of the node whose values are in
/// `frame`.
typedef void (*SluiceCombine)(const unsigned char *frame, void *into,
                              const void *from);

/// The copies of one run of a node: those of chunk k are the `size` bytes at
/// `copies + k * size`. `flags`: one for each chunk, all 0 before and after, as
/// is the counter `next`. Chunk k has the instances from k * chunkUnits on.
typedef struct SluiceCopies {
  unsigned char *copies; ///< of all chunks
  uint64_t size;         ///< bytes of a copy
  uint64_t numChunks;    ///< chunks of the node
  unsigned char *flags;  ///< see above
  uint64_t *next;        ///< see above
  uint64_t chunkUnits;   ///< instances of a chunk
  uint64_t numUnits;     ///< instances of the node
} SluiceCopies;

/// Chunk `chunk` has filled its copy. Joins copies as the leaves of a binary
/// tree, as far as both halves are there: `first` with `first + width`, where
/// `width` is a power of two that divides `first` into an even number of parts.
/// Returns the copy that holds everything to the chunk that is the last to end,
/// null to all others.
SLUICE_EXPORT void *sluiceJoinCopies(const SluiceCopies *copies, uint64_t chunk,
                                     const unsigned char *frame,
                                     SluiceCombine combine);

/// Parts of a chunk that was scanned alone.
enum { SLUICE_JOIN_COPY = 0, SLUICE_JOIN_ELEMENTS = 1 };

/// Folds what all chunks before `chunk` come to, which the copy of the one
/// before holds, into a part of it.
typedef void (*SluiceJoin)(const unsigned char *frame,
                           const SluiceCopies *copies, uint64_t chunk,
                           uint32_t part);

/// The chunk that is to run next: they begin in order, whoever runs them.
SLUICE_EXPORT uint64_t sluiceTakeChunk(const SluiceCopies *copies);

/// Whether all chunks before `chunk` are through. Then the copy of the one
/// before holds what they come to; there is none before the first.
SLUICE_EXPORT uint32_t sluiceIsBehind(const SluiceCopies *copies,
                                      uint64_t chunk);

/// The elements of chunk `chunk` have become their scan, and its copy holds
/// what all of them come to; with `isBehind`, together with all before. Else,
/// whoever comes second, this one or the chunk before, joins them.
SLUICE_EXPORT void sluiceEndScan(const SluiceCopies *copies, uint64_t chunk,
                                 uint32_t isBehind, const unsigned char *frame,
                                 SluiceJoin join);

/// Checked runs: from now on the `size` bytes at `copy` stand for those at
/// `memory`, into which they will be folded.
SLUICE_EXPORT void sluiceCheckReduction(const void *copy, const void *memory,
                                        uint64_t size);

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_REDUCTIONS_H
