//===- InstanceStorage.h - Memory for values across fragments ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables of a group function: a scalar for each value that all instances
// share, and an array with one element per instance for other values and for
// private memory that is live across barriers. Arrays whose size is a small
// constant are on the stack; others are in the caller's scratch memory.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_GROUP_INSTANCESTORAGE_H
#define SLUICE_LIB_CODEGEN_LEAF_GROUP_INSTANCESTORAGE_H

#include "../Item/ItemSignature.h"
#include "ValuePlacement.h"

#include "llvm/IR/IRBuilder.h"

namespace sluice::codegen {

/// The largest box that a group function must run: the extents of a work-group,
/// or of a tile. None if only known at run time; the box is then always full.
using BoxCapacity = std::array<std::optional<int64_t>, 3>;

class InstanceStorage {
public:
  /// Creates the variables in the entry block of `group`, at `builder`.
  InstanceStorage(llvm::IRBuilderBase &builder, llvm::Function &item,
                  llvm::Function &group, const ItemSignature &signature,
                  const Skeleton &skeleton, const ValuePlacement &placement,
                  const BoxCapacity &capacity);

  /// The scalar of a value, or null.
  llvm::AllocaInst *scalar(const llvm::Value *value) const {
    return scalars.lookup(value);
  }
  /// The address of the element of instance `linearIndex`.
  llvm::Value *element(llvm::IRBuilderBase &builder, const llvm::Value *value,
                       llvm::Value *linearIndex) const;
  /// The one copy of an alloca that is not expanded.
  llvm::Value *alloca(const llvm::Value *value) const {
    return allocas.lookup(value);
  }
  /// The number of an instance in its box, from its index in each dimension.
  llvm::Value *linearIndex(llvm::IRBuilderBase &builder,
                           llvm::ArrayRef<llvm::Value *> index) const;
  /// Turns scalars into SSA values when the function is complete.
  void promoteScalars();

  llvm::SmallVector<uint64_t> scratchSizes;

private:
  struct Array {
    llvm::Value *base;
    llvm::Type *type; ///< null: `stride` bytes
    uint64_t stride;
  };
  llvm::Function &group;
  llvm::SmallVector<llvm::Value *, 3> extents;
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> scalars;
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> allocas;
  llvm::DenseMap<const llvm::Value *, Array> arrays;

  void createArrays(llvm::IRBuilderBase &builder,
                    llvm::ArrayRef<const llvm::Instruction *> values,
                    std::optional<uint64_t> numInstances, llvm::Value *scratch);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_INSTANCESTORAGE_H
