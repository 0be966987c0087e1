//===- ShufflePlan.h - Generating programs of shuffles --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether shuffles are faster than copying piece by piece, and
// generates the programs that ShuffleOp.h defines.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_SHUFFLEPLAN_H
#define SLUICE_LIB_PACK_KERNELS_SHUFFLEPLAN_H

#include "OpProgram.h"
#include "ShuffleOp.h"

#include <span>

namespace sluice::pack::kernels {

/// `length` bytes to move from `from` to `to`.
struct ByteMove {
  int64_t from;
  int64_t to;
  int64_t length;
};

/// A program under construction.
struct ShuffleDraft {
  int64_t group = 0;
  std::vector<ShuffleStep> steps;
  /// Estimated cycles per copied byte.
  double cost = 0;
};

/// Whether a program may be faster than copying the form's runs one by one.
bool mayShuffle(const Form &form, int64_t stride);

/// The program with the lowest cost for packing (unpacking) instances of
/// `form`, `stride` apart. No steps if there is none.
ShuffleDraft draftShuffle(const Form &form, int64_t stride, int64_t unit,
                          bool isPack);

/// The estimated cost of copying the form's runs one by one.
double costOfRuns(const Form &form);

ShuffleProgram keepIn(Arena &arena, const ShuffleDraft &draft);

} // namespace sluice::pack::kernels

#endif // SLUICE_LIB_PACK_KERNELS_SHUFFLEPLAN_H
