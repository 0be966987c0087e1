//===- Skeleton.cpp - Control flow that all instances share ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Entry, barriers and returns are nodes.
// 2. Every branch on which a barrier depends (control dependence, closed) is a
//    node. So no branch inside a fragment decides which node comes next, and
//    each fragment has one exit.
// 3. Where fragments of different nodes meet in a block that all instances
//    reach, that block becomes a join, so that no code is copied.
//
//===----------------------------------------------------------------------===//

#include "Skeleton.h"
#include "../Item/ItemFunction.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace sluice::codegen {

static BasicBlock *isolate(Instruction *instruction, const Twine &name) {
  BasicBlock *alone =
      SplitBlock(instruction->getParent(), instruction->getIterator());
  alone->setName(name);
  if (!instruction->isTerminator())
    SplitBlock(alone, std::next(instruction->getIterator()));
  return alone;
}

void Skeleton::isolateNodes(Function &item) {
  BasicBlock &entry = item.getEntryBlock();
  SmallVector<AllocaInst *> allocas;
  for (Instruction &instruction : entry)
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
      if (alloca->isStaticAlloca())
        allocas.push_back(alloca);
  for (AllocaInst *alloca : reverse(allocas))
    alloca->moveBefore(entry.begin());
  BasicBlock::iterator afterAllocas = entry.begin();
  std::advance(afterAllocas, allocas.size());
  SplitBlock(&entry, afterAllocas);

  SmallVector<Instruction *> alone;
  for (Instruction &instruction : instructions(item))
    if (isBarrier(instruction) || isa<ReturnInst>(instruction))
      alone.push_back(&instruction);
  for (Instruction *instruction : alone)
    isolate(instruction, isa<ReturnInst>(instruction) ? "return" : "barrier");
}

void Skeleton::isolateBranches(Function &item, ArrayRef<BasicBlock *> cuts) {
  ControlDependence dependence(item);
  SmallVector<BasicBlock *> seeds(cuts);
  for (BasicBlock &block : item)
    if (isBarrier(block.front()))
      seeds.push_back(&block);
  SmallSetVector<BasicBlock *, 8> branches;
  branches.insert_range(dependence.allControllers(seeds));
  branches.insert_range(cuts);
  for (BasicBlock &block : item)
    if (all_of(dependence.controllers(&block),
               [&](BasicBlock *branch) { return branches.contains(branch); }))
      uniformBlocks.insert(&block);
  for (BasicBlock *block : branches) {
    BasicBlock *branch = isolate(block->getTerminator(), "branch");
    uniformBlocks.insert(branch);
    nodes.insert(branch);
  }
}

SmallVector<BasicBlock *> Skeleton::fragmentBlocks(BasicBlock *entry) const {
  SmallSetVector<BasicBlock *, 8> found;
  if (!isNode(entry))
    found.insert(entry);
  for (unsigned i = 0; i < found.size(); ++i)
    for (BasicBlock *successor : successors(found[i]))
      if (!isNode(successor))
        found.insert(successor);
  return SmallVector<BasicBlock *>(found.begin(), found.end());
}

void Skeleton::makeJoin(BasicBlock *block) {
  BasicBlock *rest = SplitBlock(block, block->getFirstNonPHIIt());
  rest->setName("joined");
  uniformBlocks.insert(rest);
  nodes.insert(block);
}

/// Finds the first block that fragments of several edges share.
bool Skeleton::makeFirstJoin(Function &item) {
  DenseMap<BasicBlock *, unsigned> ways;
  for (BasicBlock *node : nodes) {
    SmallSetVector<BasicBlock *, 2> targets(succ_begin(node), succ_end(node));
    for (BasicBlock *target : targets)
      for (BasicBlock *block : fragmentBlocks(target))
        ++ways[block];
  }
  ReversePostOrderTraversal<Function *> order(&item);
  for (BasicBlock *block : order)
    if (ways.lookup(block) > 1 && isUniformBlock(block)) {
      makeJoin(block);
      return true;
    }
  return false;
}

Error Skeleton::findFragments(Function &item) {
  ReversePostOrderTraversal<Function *> order(&item);
  for (BasicBlock *node : nodes) {
    SmallSetVector<BasicBlock *, 2> targets(succ_begin(node), succ_end(node));
    for (BasicBlock *target : targets) {
      Fragment fragment;
      fragment.from = node;
      fragment.entry = target;
      if (isNode(target))
        fragment.next = target;
      SmallVector<BasicBlock *> found = fragmentBlocks(target);
      SmallPtrSet<BasicBlock *, 8> members(found.begin(), found.end());
      for (BasicBlock *block : order) {
        if (!members.contains(block))
          continue;
        fragment.blocks.push_back(block);
        if (!owner.try_emplace(block, fragments.size()).second)
          return createStringError(
              inconvertibleErrorCode(),
              "a branch around a barrier in '%s' enters the middle of code "
              "that instances run differently",
              item.getName().str().c_str());
        for (BasicBlock *successor : successors(block)) {
          if (!isNode(successor))
            continue;
          assert((!fragment.next || fragment.next == successor) &&
                 "a fragment has one exit");
          fragment.next = successor;
        }
      }
      fragments.push_back(std::move(fragment));
    }
  }
  return Error::success();
}

const Fragment *Skeleton::fragmentOfEdge(const BasicBlock *from,
                                         const BasicBlock *to) const {
  if (!isNode(from))
    return fragmentOf(from);
  for (const Fragment &fragment : fragments)
    if (fragment.from == from && fragment.entry == to)
      return &fragment;
  return nullptr;
}

Expected<Skeleton> Skeleton::create(Function &item,
                                    ArrayRef<BasicBlock *> cuts) {
  Skeleton skeleton;
  skeleton.nodes.insert(&item.getEntryBlock());
  skeleton.isolateBranches(item, cuts);
  for (BasicBlock &block : item)
    if (isBarrier(block.front()) || isa<ReturnInst>(block.front()))
      skeleton.nodes.insert(&block);
  while (skeleton.makeFirstJoin(item))
    ;
  if (Error error = skeleton.findFragments(item))
    return std::move(error);
  return std::move(skeleton);
}

} // namespace sluice::codegen
