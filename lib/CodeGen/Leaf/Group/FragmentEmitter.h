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

#include "GroupContext.h"
#include "InstanceLoops.h"

namespace sluice::codegen {

struct Guard;
struct IdRange;

class FragmentEmitter {
public:
  FragmentEmitter(const GroupContext &context, const Fragment &fragment)
      : context(context), fragment(fragment), source(context) {}

  /// Emits the fragment at the end of the open block `start`. Returns the open
  /// block from which control continues to the next node.
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

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_FRAGMENTEMITTER_H
