//===- LaneRegions.cpp - Loops as acyclic graphs --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An inner loop represents all of its blocks: everything that one of them
// dominates, and every exit of one of them, counts for the whole loop.
//
//===----------------------------------------------------------------------===//

#include "LaneRegions.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace sluice::codegen {

LaneRegions::LaneRegions(Loop &outer, const LoopInfo &loops,
                         const DominatorTree &dominators)
    : outermost(&outer), loops(loops) {
  LoopBlocksRPO blocks(&outer);
  blocks.perform(&loops);
  append_range(order, blocks);
  for (BasicBlock *block : order)
    for (Loop *region = loops.getLoopFor(block);;
         region = region->getParentLoop()) {
      if (nodeOf(block, region) != block)
        break;
      if (block != region->getHeader()) {
        BasicBlock *above = dominators.getNode(block)->getIDom()->getBlock();
        BasicBlock *parent = nodeOf(above, region);
        parents[{region, block}] = parent;
        inferiors[{region, parent}].push_back(block);
      }
      if (region == outermost)
        break;
    }
}

Loop *LaneRegions::loopAt(const BasicBlock *node, const Loop *region) const {
  Loop *own = loops.getLoopFor(node);
  if (own == region)
    return nullptr;
  while (own->getParentLoop() != region)
    own = own->getParentLoop();
  return own;
}

BasicBlock *LaneRegions::nodeOf(BasicBlock *block, const Loop *region) const {
  Loop *inside = loopAt(block, region);
  return inside ? inside->getHeader() : block;
}

ArrayRef<BasicBlock *> LaneRegions::children(BasicBlock *node,
                                             const Loop *region) const {
  auto found = inferiors.find({region, node});
  if (found == inferiors.end())
    return {};
  return found->second;
}

bool LaneRegions::closes(BasicBlock *join, BasicBlock *node,
                         const Loop *region) const {
  SmallPtrSet<BasicBlock *, 8> seen{node};
  SmallVector<BasicBlock *> worklist{node};
  while (!worklist.empty()) {
    BasicBlock *at = worklist.pop_back_val();
    SmallVector<BasicBlock *> targets;
    if (Loop *inside = loopAt(at, region))
      inside->getExitBlocks(targets);
    else
      append_range(targets, successors(at));
    for (BasicBlock *target : targets) {
      if (target == join)
        continue;
      if (!region->contains(target) || target == region->getHeader())
        return false;
      BasicBlock *next = nodeOf(target, region);
      if (seen.insert(next).second)
        worklist.push_back(next);
    }
  }
  return true;
}

} // namespace sluice::codegen
