//===- LaneRegions.h - Loops as acyclic graphs ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for several instances at once follows all paths of a loop's body one
// after another. This class defines the order: the blocks of each loop, with
// each inner loop as one node, and the dominance between these nodes.
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

/// The graphs of a loop and of all loops inside it. Each loop must have a
/// single latch. A node is a block of the loop itself, or the header of an
/// inner loop.
class LaneRegions {
public:
  LaneRegions(llvm::Loop &outer, const llvm::LoopInfo &loops,
              const llvm::DominatorTree &dominators);

  llvm::Loop &outer() const { return *outermost; }
  /// All blocks of the outer loop, in an order in which edges lead forward,
  /// except for edges to headers.
  llvm::ArrayRef<llvm::BasicBlock *> blocks() const { return order; }
  llvm::Loop *loopOf(const llvm::BasicBlock *block) const {
    return loops.getLoopFor(block);
  }
  /// The loop whose header is `node`, as a node of `region`; null if the node
  /// is a block.
  llvm::Loop *loopAt(const llvm::BasicBlock *node,
                     const llvm::Loop *region) const;
  /// The node of `region` that contains `block`, one of its blocks.
  llvm::BasicBlock *nodeOf(llvm::BasicBlock *block,
                           const llvm::Loop *region) const;
  /// The nodes that `node` immediately dominates in `region`, in order.
  llvm::ArrayRef<llvm::BasicBlock *> children(llvm::BasicBlock *node,
                                              const llvm::Loop *region) const;
  /// The immediate dominator of `node`; null for the header of `region`.
  llvm::BasicBlock *parent(llvm::BasicBlock *node,
                           const llvm::Loop *region) const {
    return parents.lookup({region, node});
  }
  /// True if every round of `region` that reaches `node` later reaches `join`.
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
