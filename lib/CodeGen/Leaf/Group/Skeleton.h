//===- Skeleton.h - Control flow that all instances share -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits an item function into what a whole work-group does together and
// what each instance does alone:
//
//   node      a block that all instances reach equally often: the entry, each
//             barrier, each branch on which a barrier depends, joins of these,
//             the return. Nodes hold nothing but their barrier, their branch
//             or their phis.
//   fragment  the blocks between a node's successor and the next node. Every
//             instance runs through it from its one entry to its one exit, so
//             a loop over the instances may surround it.
//
//       entry ──f0──▶ join ──f1──▶ branch ──f2──▶ barrier ──f3──▶ join ...
//                                    └──f4──▶ return
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_GROUP_SKELETON_H
#define SLUICE_LIB_CODEGEN_LEAF_GROUP_SKELETON_H

#include "sluice/Analysis/InstanceUniformity.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

namespace sluice::codegen {

/// The path from one node to the next.
struct Fragment {
  llvm::BasicBlock *from = nullptr;  ///< node
  llvm::BasicBlock *entry = nullptr; ///< may be `next` itself
  llvm::BasicBlock *next = nullptr;  ///< The next node; null if the path never
                                     ///< ends.
  /// In reverse post-order; empty if `entry` is `next`.
  llvm::SmallVector<llvm::BasicBlock *> blocks;
};

class Skeleton {
public:
  /// Puts the allocas of the entry, each barrier and each return into separate
  /// blocks. Must run before the analysis that is passed to `create`.
  static void isolateNodes(llvm::Function &item);

  /// Splits further blocks of `item` so that all nodes are separate blocks.
  /// `cuts` are blocks whose branches become nodes in addition to those that
  /// barriers require; all these branches must be uniform. Fails if the control
  /// flow around barriers is too irregular.
  static llvm::Expected<Skeleton>
  create(llvm::Function &item, llvm::ArrayRef<llvm::BasicBlock *> cuts);

  bool isNode(const llvm::BasicBlock *block) const {
    return nodes.contains(const_cast<llvm::BasicBlock *>(block));
  }
  /// True if all instances run `block` equally often.
  bool isUniformBlock(const llvm::BasicBlock *block) const {
    return uniformBlocks.contains(block);
  }
  /// The fragment that contains `block`, which is not a node; null if it never
  /// runs.
  const Fragment *fragmentOf(const llvm::BasicBlock *block) const {
    auto found = owner.find(block);
    return found == owner.end() ? nullptr : &fragments[found->second];
  }
  /// The fragment that contains the edge `from` -> `to`.
  const Fragment *fragmentOfEdge(const llvm::BasicBlock *from,
                                 const llvm::BasicBlock *to) const;

  llvm::SetVector<llvm::BasicBlock *> nodes; ///< the entry first
  llvm::SmallVector<Fragment> fragments;

private:
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> uniformBlocks;
  /// Index of the fragment of each block.
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> owner;

  void isolateBranches(llvm::Function &item,
                       llvm::ArrayRef<llvm::BasicBlock *> cuts);
  llvm::SmallVector<llvm::BasicBlock *>
  fragmentBlocks(llvm::BasicBlock *entry) const;
  void makeJoin(llvm::BasicBlock *block);
  bool makeFirstJoin(llvm::Function &item);
  llvm::Error findFragments(llvm::Function &item);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_SKELETON_H
