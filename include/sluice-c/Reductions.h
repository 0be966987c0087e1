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
  unsigned char *copies;
  uint64_t size;
  uint64_t numChunks;
  unsigned char *flags;
  uint64_t *next;
  uint64_t chunkUnits;
  uint64_t numUnits;
} SluiceCopies;

/// Chunk `chunk` has filled its copy. Joins copies as the leaves of a binary
/// tree, as far as both halves are there: `first` with `first + width`, where
/// `width` is a power of two that divides `first` into an even number of parts.
/// Returns the copy that holds everything to the chunk that is the last to end,
/// null to all others.
SLUICE_EXPORT void *sluiceJoinCopies(const SluiceCopies *copies, uint64_t chunk,
                                     const unsigned char *frame,
                                     SluiceCombine combine);

/// What is done to the elements of a chunk.
typedef enum SluiceScanStep {
  /// They become their scan, and the chunk's copy what all of them come to.
  SLUICE_SCAN_ALONE = 0,
  /// The same where the copy of the chunk before holds what all before come to;
  /// this one's then holds what all up to its end come to.
  SLUICE_SCAN_BEHIND = 1,
  /// After the first: what they would be after the second.
  SLUICE_SCAN_JOIN = 2
} SluiceScanStep;

typedef void (*SluiceScan)(const unsigned char *frame,
                           const SluiceCopies *copies, uint64_t chunk,
                           uint32_t step);

/// The chunk that is to run next: they begin in order, whoever runs them.
SLUICE_EXPORT uint64_t sluiceTakeChunk(const SluiceCopies *copies);

/// The instances of chunk `chunk` have written their elements. Scans them:
/// behind all chunks before if these are through, and else alone; then whoever
/// is through with the chunk before does the rest. Nobody waits.
SLUICE_EXPORT void sluiceScanChunk(const SluiceCopies *copies, uint64_t chunk,
                                   const unsigned char *frame, SluiceScan scan);

/// Checked runs: from now on the `size` bytes at `copy` stand for those at
/// `memory`, into which they will be folded.
SLUICE_EXPORT void sluiceCheckReduction(const void *copy, const void *memory,
                                        uint64_t size);

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_REDUCTIONS_H
