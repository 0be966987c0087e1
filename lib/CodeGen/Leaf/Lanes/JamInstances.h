//===- JamInstances.h - A few instances in step -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance that adds up a row of its own waits for one sum after another,
// and neither vectors of its loop, which would add in another order, nor lanes,
// whose rows lie far apart, are better. But the sums of several instances do
// not wait for each other.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_JAMINSTANCES_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_JAMINSTANCES_H

#include "LaneLoop.h"
#include "LaneShapes.h"

namespace llvm {
class ScalarEvolution;
}

namespace sluice::codegen {

struct JamChoice {
  unsigned count;
  /// Lanes would gather, in each round of each loop, what this loads.
  bool beatsLanes;
};

/// How many instances of a described loop run in step: only if all of them go
/// the same way, and if their loops carry numbers from round to round that are
/// soon computed. Nothing: one after another is as good. `isWanted`: wherever
/// it is possible.
std::optional<JamChoice> chooseJam(const LaneRegions &regions,
                                   const LaneShapes &shapes,
                                   llvm::ScalarEvolution &evolution,
                                   bool isWanted);

/// Puts a loop over so many instances at once before the loop, which does what
/// is left, or everything where `isConflict`, if it is not null. `lastRound`:
/// the loop's number. Both are known in its preheader.
void jamInstances(const LaneLoop &lanes, const LaneRegions &regions,
                  const LaneShapes &shapes, llvm::Value *lastRound,
                  llvm::Value *isConflict, unsigned count);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_JAMINSTANCES_H
