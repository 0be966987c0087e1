//===- ShufflePlan.h - Writing programs of shuffles -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether shuffles are faster than copying piece by piece, and writes
// the programs that ShuffleOp.h defines.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_SHUFFLEPLAN_H
#define SLUICE_LIB_PACK_KERNELS_SHUFFLEPLAN_H

#include "OpProgram.h"
#include "ShuffleOp.h"

#include <span>

namespace sluice::pack::kernels {

/// `length` bytes that move from `from` to `to`.
struct Piece {
  int64_t from;
  int64_t to;
  int64_t length;
};

/// A program in the making.
struct ShuffleDraft {
  int64_t group = 0;
  std::vector<ShuffleStep> steps;
  /// Estimated cycles for each byte copied.
  double cost = 0;
};

/// Whether a program may be faster than copying the form's runs one by one.
bool mayShuffle(const Form &form, int64_t stride);

/// The program for packing (unpacking) instances of `form`, `stride` apart,
/// that has the lowest cost. No steps if there is none.
ShuffleDraft draftShuffle(const Form &form, int64_t stride, int64_t unit,
                          bool isPack);

/// The estimate for copying the form's runs one by one.
double costOfRuns(const Form &form);

ShuffleProgram keepIn(Arena &arena, const ShuffleDraft &draft);

} // namespace sluice::pack::kernels

#endif // SLUICE_LIB_PACK_KERNELS_SHUFFLEPLAN_H
