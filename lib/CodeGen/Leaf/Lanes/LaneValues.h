//===- LaneValues.h - Values and instructions for all lanes -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The straight part of code for lanes: what an instruction of the leaf becomes
// where some lanes are active, and where its value is found.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_LANEVALUES_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_LANEVALUES_H

#include "LaneRows.h"

#include "llvm/IR/IRBuilder.h"

namespace llvm {
class TargetTransformInfo;
} // namespace llvm

namespace sluice::codegen {

/// Masks have a bit for each lane; null: all lanes are active.
class LaneValues {
public:
  /// The builder stands in the first block of the new code, from which on all
  /// blocks are made by `addBlock`.
  LaneValues(llvm::IRBuilder<> &builder, const LaneShapes &shapes,
             const LaneRows &rows, const llvm::TargetTransformInfo &target,
             unsigned numLanes);

  llvm::BasicBlock *addBlock(const llvm::Twine &name);
  /// How many blocks there are, and whether a value comes from one that was
  /// added when there were `count`.
  unsigned numBlocks() const { return numbers.size(); }
  bool isSince(const llvm::Value *value, unsigned count) const;

  llvm::VectorType *vectorType(llvm::Type *element) const {
    return llvm::FixedVectorType::get(element, numLanes);
  }
  /// The type that stands for `value`: of a scalar if it is uniform or grows
  /// evenly.
  llvm::Type *typeOf(const llvm::Value &value) const;

  /// A uniform value, or the first lane's of one that grows evenly.
  llvm::Value *scalar(llvm::Value *value) const;
  llvm::Value *vector(llvm::Value *value);
  /// In the form of `typeOf(like)`.
  llvm::Value *get(llvm::Value *value, const llvm::Value &like);
  /// Says what `value` has become, in the form of `typeOf(value)`.
  void set(const llvm::Value *value, llvm::Value *emitted);
  /// `value` is the same as `other`.
  void setSame(const llvm::Value *value, llvm::Value *other) {
    same[value] = other;
  }

  /// The lanes that run the code at all, the first of them included; null: all.
  /// Where just these run, the others load what the first one does, which is
  /// faster than to skip their loads.
  void setRunning(llvm::Value *mask) { running = mask; }
  /// Emits anything but phis and terminators.
  void emit(llvm::Instruction &instruction, llvm::Value *mask);
  /// `own`: memory for all lanes of each private variable.
  void setVariables(llvm::ArrayRef<llvm::AllocaInst *> own);

  llvm::Value *allLanes() const;
  llvm::Value *noLane() const;

private:
  llvm::IRBuilder<> &builder;
  const LaneShapes &shapes;
  const LaneRows &rows;
  const llvm::TargetTransformInfo &target;
  unsigned numLanes;
  llvm::BasicBlock *entry;
  llvm::Value *running = nullptr;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> numbers;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> emitted, same, spread;

  llvm::Value *source(llvm::Value *value) const;
  void emitScalar(llvm::Instruction &instruction);
  llvm::Value *emitVector(llvm::Instruction &instruction, llvm::Value *mask);
  llvm::Value *emitBinary(llvm::BinaryOperator &binary, llvm::Value *mask);
  llvm::Value *emitLoad(llvm::LoadInst &load, llvm::Value *mask);
  void emitStore(llvm::StoreInst &store, llvm::Value *mask);
  llvm::Value *emitCall(llvm::CallInst &call);
  llvm::Value *emitVariant(llvm::CallInst &call, llvm::Value *mask);
  llvm::Value *emitAddress(llvm::GetElementPtrInst &address);
  llvm::Value *placeOf(const LaneRow &row);
  llvm::Value *emitRowLoad(llvm::LoadInst &load, const LaneRow &row,
                           llvm::Value *mask);
  llvm::Value *placesOf(llvm::Value *pointers, llvm::Value *mask);
  void emitRowStore(llvm::StoreInst &store, const LaneRow &row);
  bool isPrivate(const llvm::Value *pointer) const {
    return shapes.ownMemory().contains(pointer);
  }
  llvm::Value *emitPrivateAddress(llvm::GetElementPtrInst &address);
  llvm::Value *emitPrivateLoad(llvm::LoadInst &load, llvm::Value *mask);
  void emitPrivateStore(llvm::StoreInst &store, llvm::Value *mask);
  /// The places of all lanes, each of an element of `type`.
  llvm::Value *privatePlaces(llvm::Value *pointer, llvm::Type *type);
  /// Whether lanes lie side by side, 1 upwards, -1 downwards; 0: neither.
  int direction(const llvm::Value *pointer, llvm::Type *element) const;
  /// The lowest address that lanes access, which lie side by side.
  llvm::Value *lowest(llvm::Value *pointer, llvm::Type *element, int direction);
};

/// Lanes one after another: how emission goes on if none or only one is active
/// matters only for what can fail, and is uniform. So such code must run only
/// where a lane is active.
bool needsActiveLane(const llvm::Instruction &instruction,
                     const LaneShapes &shapes);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_LANEVALUES_H
