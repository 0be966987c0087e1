//===- Steps.h - The units of a node with ordered dimensions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instances with equal ids in the ordered dimensions are a *step*: they run at
// the same time. The steps along the fastest of these dimensions are a *line*.
// Step s of a line waits for step s - 1 of the line, and for step s of the
// previous lines in the other ordered dimensions. So the progress of these
// lines determines which steps of a line may run.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_STEPS_H
#define SLUICE_RUNTIME_PLAN_STEPS_H

#include "Partition.h"

#include "sluice-c/Plan.h"

#include <algorithm>
#include <cstdint>

namespace sluice {

class Steps {
public:
  Steps() = default;
  /// For a node with ordered dimensions; `extents` have been counted and none
  /// is 0.
  Steps(const SluicePlanNode &node, const int64_t *extents);

  /// The number of instances of outer levels, which are not ordered.
  uint64_t numLanes = 1;
  uint64_t laneUnits = 1;
  /// The number of lines of one lane.
  uint64_t numLines = 1;
  /// Steps of one line.
  uint64_t lineLength = 1;
  /// Units of one step.
  uint64_t stepUnits = 1;

  /// The lines of the same lane whose step s must end before step s of `line`
  /// may run; at most two. Returns their number.
  unsigned linesBefore(uint64_t line, uint64_t (&before)[2]) const {
    unsigned count = 0;
    if (line % middle != 0)
      before[count++] = line - 1;
    if (line / middle % outer != 0)
      before[count++] = line - middle;
    return count;
  }

  /// The next line after `line` that may run although `line` has not begun,
  /// because it does not wait for it.
  uint64_t nextUnlessBegun(uint64_t line) const {
    uint64_t row = line / middle;
    return line % middle != 0 ? (row + 1) * middle
                              : (row / outer + 1) * outer * middle;
  }

  /// Calls `run(begin, end)` for ranges of units that together are the part
  /// `begin <= i < end` of a step's units, until it returns false. Lines are
  /// numbered across all lanes.
  template <typename Run>
  bool forRanges(uint64_t line, uint64_t step, UnitRange part, Run run) const {
    uint64_t inLane = line % numLines;
    uint64_t first = line / numLines * laneUnits + step * stride +
                     inLane % middle * middleStride +
                     inLane / middle * outerStride;
    for (uint64_t i = part.begin; i < part.end;) {
      uint64_t piece = i / pieceUnits, inPiece = i % pieceUnits;
      uint64_t size = std::min(pieceUnits - inPiece, part.end - i);
      uint64_t begin = first + piece % fastPieces * fastPieceStride +
                       piece / fastPieces * slowPieceStride + inPiece;
      if (!run(begin, begin + size))
        return false;
      i += size;
    }
    return true;
  }

private:
  /// The distance in units between consecutive ids of the line's dimension, and
  /// of the other two ordered ones, with the extents of these.
  uint64_t stride = 1;
  uint64_t middle = 1, middleStride = 0;
  uint64_t outer = 1, outerStride = 0;
  /// The number of adjacent units of a step, and the unordered dimensions that
  /// are slower than the line's.
  uint64_t pieceUnits = 1;
  uint64_t fastPieces = 1, fastPieceStride = 0, slowPieceStride = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_STEPS_H
