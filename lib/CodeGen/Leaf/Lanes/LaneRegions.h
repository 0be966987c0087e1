//===- LaneRegions.h - Loops as graphs without cycles -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for several instances at once follows all paths of a loop's body one
// after another. The order comes from here: the blocks of each loop, with the
// loops inside it as one node each, and what dominates what among them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_LANEREGIONS_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_LANEREGIONS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"

namespace llvm {
class DominatorTree;
} // namespace llvm

namespace sluice::codegen {

/// The graphs of a loop and of all loops in it, which have one latch each. A
/// node is a block of the loop itself, or the header of a loop inside it.
class LaneRegions {
public:
  LaneRegions(llvm::Loop &outer, const llvm::LoopInfo &loops,
              const llvm::DominatorTree &dominators);

  llvm::Loop &outer() const { return *outermost; }
  /// All blocks of the outer loop, so that edges lead onwards, but for those
  /// to headers.
  llvm::ArrayRef<llvm::BasicBlock *> blocks() const { return order; }
  llvm::Loop *loopOf(const llvm::BasicBlock *block) const {
    return loops.getLoopFor(block);
  }
  /// The loop whose header `node` is as a node of `region`; null: a block.
  llvm::Loop *loopAt(const llvm::BasicBlock *node,
                     const llvm::Loop *region) const;
  /// The node of `region` to which `block`, one of its blocks, belongs.
  llvm::BasicBlock *nodeOf(llvm::BasicBlock *block,
                           const llvm::Loop *region) const;
  /// What `node` dominates directly in `region`, in order.
  llvm::ArrayRef<llvm::BasicBlock *> children(llvm::BasicBlock *node,
                                              const llvm::Loop *region) const;
  /// The node above `node`; null: it is the header of `region`.
  llvm::BasicBlock *parent(llvm::BasicBlock *node,
                           const llvm::Loop *region) const {
    return parents.lookup({region, node});
  }
  /// Every round of `region` that comes to `node` comes to `join` later on.
  bool closes(llvm::BasicBlock *join, llvm::BasicBlock *node,
              const llvm::Loop *region) const;

private:
  using Place = std::pair<const llvm::Loop *, const llvm::BasicBlock *>;

  llvm::Loop *outermost;
  const llvm::LoopInfo &loops;
  llvm::SmallVector<llvm::BasicBlock *> order;
  llvm::DenseMap<Place, llvm::BasicBlock *> parents;
  llvm::DenseMap<Place, llvm::SmallVector<llvm::BasicBlock *, 2>> inferiors;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_LANEREGIONS_H
