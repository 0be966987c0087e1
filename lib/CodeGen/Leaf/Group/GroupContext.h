//===- GroupContext.h - What fragments of a group function share -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments are emitted one by one, but into one function, with one storage and
// one way to get values of the item function there.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_GROUP_GROUPCONTEXT_H
#define SLUICE_LIB_CODEGEN_LEAF_GROUP_GROUPCONTEXT_H

#include "InstanceStorage.h"

namespace sluice::codegen {

class VariableRecords;

/// The data that all fragments of a group function share.
struct GroupContext {
  llvm::Function &item;
  llvm::Function &group;
  const RangeSpec &spec;
  const ItemSignature &signature;
  const Skeleton &skeleton;
  const ValuePlacement &placement;
  const InstanceStorage &storage;
  llvm::MDNode *accessGroup;
  /// True if more than one fragment does work: facts that hold within one
  /// instance (alias scopes, lifetimes) then no longer hold for the code.
  bool isFissioned;
  /// Instances wait for each other.
  bool hasBarriers;
  /// Loops count with 32 bits.
  bool isNarrow;
  /// The number of ids of the own level, if known. In fused dimensions, this
  /// counts over all groups.
  std::array<std::optional<int64_t>, 3> extents;
  /// The records of variables for debuggers.
  const VariableRecords &records;

  /// The dimension if `value` is an id of the own level.
  std::optional<unsigned> ownIdDimension(const llvm::Value *value) const;
};

/// Gives values of the item function in the group function: as one instance
/// sees them or, for code outside the loops, as any instance sees them.
class ValueSource {
public:
  explicit ValueSource(const GroupContext &context) : context(context) {}

  /// Code that loads or recomputes shared values is inserted before this
  /// instruction.
  llvm::Instruction *sharedPoint = nullptr;
  /// The same for values of one instance.
  llvm::Instruction *instancePoint = nullptr;
  /// The ids of the instance, unless they are those of the first instance in
  /// the box (32 bits if narrow), and its number in the box.
  std::array<llvm::Value *, 3> ids{};
  llvm::Value *linearIndex = nullptr;
  /// Values that have been computed or cloned already.
  llvm::DenseMap<const llvm::Value *, llvm::Value *> known;

  llvm::Value *get(llvm::Value *value);

private:
  const GroupContext &context;

  llvm::Value *materialize(llvm::Value *value);
  llvm::Value *recompute(llvm::Instruction &instruction);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_GROUPCONTEXT_H
