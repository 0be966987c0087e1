//===- FragmentEmitter.h - One fragment as a loop nest ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits one fragment of a skeleton into a group function: shared values once,
// the rest inside loops over the instances of the box.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_GROUP_FRAGMENTEMITTER_H
#define SLUICE_LIB_CODEGEN_LEAF_GROUP_FRAGMENTEMITTER_H

#include "InstanceLoops.h"
#include "InstanceStorage.h"

namespace sluice {

/// What all fragments of a group function have in common.
struct GroupContext {
  llvm::Function &item;
  llvm::Function &group;
  const RangeSpec &spec;
  const ItemSignature &signature;
  const Skeleton &skeleton;
  const ValuePlacement &placement;
  const InstanceStorage &storage;
  llvm::MDNode *accessGroup;
  /// More than one fragment does work: facts that hold within one instance
  /// (alias scopes, lifetimes) no longer hold for the code.
  bool isFissioned;
  /// Loops count with 32 bits.
  bool isNarrow;

  /// The dimension of which `value` is the id of the own level, if it is one.
  std::optional<unsigned> ownIdDimension(const llvm::Value *value) const;
};

/// Gives values of the item function in the group function, as one instance
/// or, for code outside the loops, as any instance sees them.
class ValueSource {
public:
  explicit ValueSource(const GroupContext &context) : context(context) {}

  /// Code that loads or recomputes shared values goes before this.
  llvm::Instruction *sharedPoint = nullptr;
  /// The same for values of one instance.
  llvm::Instruction *instancePoint = nullptr;
  /// The instance's ids where they are not those of the first instance in the
  /// box (32 bits if narrow), and its number in the box.
  std::array<llvm::Value *, 3> ids{};
  llvm::Value *linearIndex = nullptr;
  /// What has been computed or cloned already.
  llvm::DenseMap<const llvm::Value *, llvm::Value *> known;

  llvm::Value *get(llvm::Value *value);

private:
  const GroupContext &context;

  llvm::Value *materialize(llvm::Value *value);
  llvm::Value *recompute(llvm::Instruction &instruction);
};

struct Guard;
struct IdRange;

class FragmentEmitter {
public:
  FragmentEmitter(const GroupContext &context, const Fragment &fragment)
      : context(context), fragment(fragment), source(context) {}

  /// Emits the fragment at the end of the open block `start`; returns the
  /// block, open as well, from which control goes on to the next node.
  llvm::BasicBlock *emit(llvm::BasicBlock *start);

private:
  const GroupContext &context;
  const Fragment &fragment;
  ValueSource source;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> blocks;

  void emitShared(llvm::IRBuilderBase &builder);
  bool needsInstances() const;
  bool isCopiedPerInstance(const llvm::PHINode &phi) const;
  llvm::Argument *firstId(unsigned dim) const;
  IdRange idRange(llvm::IRBuilderBase &builder, unsigned dim,
                  llvm::SmallVectorImpl<Guard> &guards);
  void emitInstances(llvm::IRBuilderBase &builder);
  void emitBody(llvm::IRBuilderBase &builder);
  bool isDropped(const llvm::Instruction &instruction) const;
  void cloneBlock(llvm::BasicBlock &block);
  void connectBlock(llvm::BasicBlock &block, llvm::BasicBlock *entry,
                    llvm::BasicBlock *exit);
  void connectPhi(llvm::PHINode &phi, llvm::BasicBlock *entry);
  void storeEscaping(llvm::Instruction &instruction);
  void storePhis(llvm::IRBuilderBase &builder);
  llvm::Value *valueAtExit(llvm::PHINode &phi, llvm::BasicBlock *exit);
  void copySharedPhis(llvm::IRBuilderBase &builder);
  bool isIndependent(const llvm::Instruction &instruction) const;
};

} // namespace sluice

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_FRAGMENTEMITTER_H
