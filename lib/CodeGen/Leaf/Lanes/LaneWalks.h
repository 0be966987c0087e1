//===- LaneWalks.h - Instances that go through memory far apart -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance that goes through a row of its own reads it in order: lines of
// the cache serve many rounds, and processors fetch ahead. As lanes, the rows
// of all of them are read at once, one element of each a round. Here is what
// that costs, and when it goes wrong: rows that lie a multiple of a page apart
// share a few places of the cache.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_LANEWALKS_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_LANEWALKS_H

#include "LaneRows.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class IRBuilderBase;
class SCEV;
class TargetTransformInfo;
} // namespace llvm

namespace sluice::codegen {

class LaneWalks {
public:
  LaneWalks(const LaneRegions &regions, const LaneShapes &shapes,
            const LaneRows &rows, const llvm::TargetTransformInfo &target,
            llvm::ScalarEvolution &evolution);

  using Weight = llvm::function_ref<double(const llvm::BasicBlock &)>;
  /// The additional cost of the accesses, compared with scattered elements.
  double extra(unsigned numLanes, Weight weight) const;
  /// The time, beyond its instructions, that an instance alone waits in loops
  /// through rows: each round waits for the results of the previous round.
  double waiting(Weight weight) const;
  /// Whether rows of `numLanes` instances share places of the cache, as code
  /// before the loop; null: they do not.
  llvm::Value *emitConflict(unsigned numLanes, llvm::IRBuilderBase &builder,
                            llvm::ScalarEvolution &evolution) const;

private:
  struct Walk {
    const llvm::Instruction *access;
    const llvm::SCEV *apart; ///< bytes from lane to lane, known before the loop
  };

  const LaneRegions &regions;
  llvm::SmallVector<Walk> walks;
  /// The most rows that an instance walks through at the same time.
  unsigned mostRows = 0;
  /// The time that each innermost loop with walks waits for memory.
  llvm::SmallVector<std::pair<const llvm::BasicBlock *, double>> waits;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_LANEWALKS_H
