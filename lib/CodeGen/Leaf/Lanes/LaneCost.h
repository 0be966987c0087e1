//===- LaneCost.h - Whether lanes pay, and how many -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares what LLVM says instructions cost: of one instance after another,
// and of a vector of instances, in which lanes wait for each other.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_LANECOST_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_LANECOST_H

#include "LaneLoop.h"
#include "LaneRows.h"

namespace llvm {
class ScalarEvolution;
class TargetTransformInfo;
} // namespace llvm

namespace sluice::codegen {

struct LaneChoice {
  unsigned numLanes;
  /// So many instances are better run as a vector, with the other lanes off,
  /// than one after another.
  unsigned fewest;
  /// Whatever the data are like, one after another is no better.
  bool isCertain = true;
  /// The time that they take, of the time that one after another takes.
  double share = 1;
};

/// The best number of lanes; nothing: none is clearly better than one. `wanted`
/// lanes are chosen whatever they cost, if it is not 0. `isPrepared`: loops in
/// it have been unrolled for lanes, which LLVM then makes no vectors of. Sets
/// `refusal` if it returns nothing.
std::optional<LaneChoice>
chooseLanes(const LaneRegions &regions, const LaneShapes &shapes,
            const LaneRows &rows, const llvm::TargetTransformInfo &target,
            llvm::ScalarEvolution &evolution, unsigned wanted,
            LaneRefusal &refusal, bool isPrepared = false);

/// The part of a round of `around` that a loop in it takes.
double partOf(const llvm::Loop &inside, const llvm::Loop &around,
              const llvm::LoopInfo &loops,
              const llvm::TargetTransformInfo &target,
              llvm::ScalarEvolution &evolution);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_LANECOST_H
