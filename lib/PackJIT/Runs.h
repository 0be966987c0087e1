//===- Runs.h - Runs of bytes and their copying ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small form is a list of runs. A straight line of code copies it in steps:
// either one run with plain moves, or several runs together, gathered from (or
// scattered to) a few vectors by shuffles. A simple cost model decides which is
// faster before any code is generated.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACKJIT_RUNS_H
#define SLUICE_PACKJIT_RUNS_H

#include "sluice/Pack/Kernel.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <bit>

namespace sluice::pack::jit {

/// The features that the code may use.
struct CodeTarget {
  /// Size of the widest moves in bytes.
  int64_t vectorBytes = 16;
  /// Masked loads and stores, and shuffles of two wide vectors.
  bool hasMasks = false;
  /// The same for bytes.
  bool shufflesBytes = false;
  int64_t lastLevelBytes = 8 << 20;
};

/// `length` bytes at `offset` on the strided side.
struct StridedRun {
  int64_t offset;
  int64_t length;
};

/// Runs in pack order, with their total size.
struct Pattern {
  llvm::SmallVector<StridedRun, 16> runs;
  int64_t bytes = 0;

  /// Appends a run, joined with the last one if they are adjacent.
  void append(StridedRun run);
  /// `count` copies at a distance of `stride` bytes.
  Pattern repeated(int64_t count, int64_t stride) const;
};

/// The number of runs of `form`, at most `limit` + 1. Custom forms have no
/// runs: they count as more than any limit.
int64_t countRuns(const Form &form, int64_t limit);
/// Appends the runs of `form`, whose origin is at `origin`.
void flatten(const Form &form, int64_t origin, Pattern &out);

/// Consecutive runs that are copied together: `bytes` bytes at `packed` of the
/// packed side. A single run is moved, several are shuffled.
struct Step {
  llvm::SmallVector<StridedRun, 8> runs;
  int64_t packed = 0;
  int64_t bytes = 0;
  double cost = 0;
};

/// The size of the move for the last `rest` bytes of a run; larger if `rest` is
/// not a power of two.
inline int64_t lastMove(int64_t rest) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(rest)));
}

/// The largest part of a straight line that is shuffled together.
inline constexpr int64_t windowBytes = 64;

/// A vector on the strided side of a window: it begins at `start`, and the
/// window uses its first `used` bytes or some of them.
struct Piece {
  int64_t start;
  int64_t used;
};

/// The largest unit, up to 8 bytes, of which all runs and their distances are
/// multiples.
int64_t granuleOf(llvm::ArrayRef<StridedRun> runs);
/// The vectors that cover all runs. If `mayOverlap`, the last one is moved
/// backwards if that makes it full.
llvm::SmallVector<Piece, 8> piecesOf(llvm::ArrayRef<StridedRun> runs,
                                     bool mayOverlap);
/// Divides `runs` into steps.
std::vector<Step> planSteps(llvm::ArrayRef<StridedRun> runs,
                            const CodeTarget &target, bool isPack);

} // namespace sluice::pack::jit

#endif // SLUICE_PACKJIT_RUNS_H
