//===- LaneBuilder.h - Vectors in the place of loops ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How chosen lanes come into the code (VectorizeLanes.cpp), whether they are of
// instances or of a leaf's own loops.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_LANEBUILDER_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_LANEBUILDER_H

namespace llvm {
class AssumptionCache;
class DominatorTree;
class LoopInfo;
class ScalarEvolution;
class TargetTransformInfo;
class Value;
} // namespace llvm

namespace sluice::codegen {

struct LaneChoice;
struct LaneLoop;
class LaneRegions;
class LaneRows;
class LaneShapes;

/// A property of loops over the instances that are left after lanes.
inline constexpr const char *remainderMark = "sluice.remainder";

/// Puts the chosen lanes before the loop, which does what is left, or
/// everything where `isConflict`, if it is not null. `lastRound`: the loop's
/// number. Both are known in its preheader.
void buildLanes(const LaneLoop &lanes, const LaneRegions &regions,
                const LaneShapes &shapes, const LaneRows &rows,
                const llvm::TargetTransformInfo &target,
                const LaneChoice &choice, llvm::Value *lastRound,
                llvm::Value *isConflict);

/// Has rounds of loops become rows of one block.
void unrollRows(const LaneRows &rows, llvm::LoopInfo &loops,
                llvm::ScalarEvolution &evolution,
                llvm::DominatorTree &dominators,
                llvm::AssumptionCache &assumptions,
                llvm::TargetTransformInfo &target);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_LANEBUILDER_H
