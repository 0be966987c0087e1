//===- ValuePlacement.h - Placement of a leaf's values ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides, for every value of an item function that is cut into fragments, how
// the fragments that use the value get it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_GROUP_VALUEPLACEMENT_H
#define SLUICE_LIB_CODEGEN_LEAF_GROUP_VALUEPLACEMENT_H

#include "Skeleton.h"

namespace sluice::codegen {

enum class PlacementKind {
  /// Computed inside the loop over the instances and used only by its own
  /// fragment.
  Local,
  /// Computed once for all instances, outside the loops over them.
  Shared,
  /// The same for all instances, but computed by each: kept in a scalar.
  Scalar,
  /// Recomputed wherever needed: cheap, and derived from ids, shared values and
  /// addresses of private memory.
  Recomputed,
  /// One array element for each instance.
  PerInstance
};

class ValuePlacement {
public:
  /// `isOwnId` is true for parameters that are ids of the instances in the
  /// group.
  ValuePlacement(llvm::Function &item, const Skeleton &skeleton,
                 const InstanceUniformity &uniformity,
                 llvm::function_ref<bool(const llvm::Value *)> isOwnId);

  /// The placement of an instruction.
  PlacementKind operator[](const llvm::Value *value) const {
    return placements.lookup_or(value, PlacementKind::Local);
  }
  bool isShared(const llvm::Value *value) const {
    return (*this)[value] == PlacementKind::Shared;
  }
  /// True if a fragment other than the one that computes the value uses it.
  bool leavesFragment(const llvm::Instruction *value) const {
    return escaping.contains(value);
  }
  /// An alloca that must exist once for each instance, since its contents live
  /// across fragments.
  bool isExpanded(const llvm::AllocaInst *alloca) const {
    return expanded.contains(alloca);
  }
  /// True if there is an alloca with a single copy whose address may be known
  /// elsewhere.
  bool hasCapturedPrivateMemory() const { return capturedPrivateMemory; }

private:
  llvm::Function &item;
  const Skeleton &skeleton;
  const InstanceUniformity &uniformity;
  llvm::function_ref<bool(const llvm::Value *)> isOwnId;
  llvm::DenseMap<const llvm::Value *, PlacementKind> placements;
  llvm::SmallPtrSet<const llvm::Instruction *, 16> escaping;
  llvm::SmallPtrSet<const llvm::AllocaInst *, 8> expanded;
  bool capturedPrivateMemory = false;

  void findEscaping();
  void findExpanded();
  void findShared();
  void placeEscaping();
  bool isSharedCandidate(const llvm::Instruction &instruction) const;
  bool hasSharedOperands(const llvm::Instruction &instruction) const;
  bool isRecomputable(const llvm::Value *value, unsigned &budget) const;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_VALUEPLACEMENT_H
